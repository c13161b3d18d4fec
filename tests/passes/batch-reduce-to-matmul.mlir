// RUN: kgen-opt "%s" --kgen-batch-reduce-to-matmul --mlir-print-local-scope | FileCheck "%s"
// Contractions over two reductions, without the one that has a single step.

// CHECK-LABEL:   func @one
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8x5xf32>) outs(%arg2 : tensor<4x5xf32>)
// What is left has A's rows and steps in another order than linalg.matmul.
// CHECK-LABEL:   func @unit_k
// CHECK-NOT:     linalg.matmul
// CHECK:         iterator_types = ["reduction", "parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<3x5xf32>)
// CHECK-LABEL:   func @blocked
// CHECK-NEXT:    linalg.generic {{.*}}"parallel", "parallel", "reduction", "parallel", "parallel", "reduction"
// CHECK-LABEL:   func @three
// CHECK-NEXT:    linalg.generic
// CHECK-LABEL:   func @plain
// CHECK-NEXT:    linalg.matmul

func.func @one(%a: tensor<1x4x8xf32>, %b: tensor<1x8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.batch_reduce_matmul ins(%a, %b : tensor<1x4x8xf32>, tensor<1x8x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @unit_k(%a: tensor<3x4x1xf32>, %b: tensor<3x1x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(r, m, n, k) -> (r, m, k)>, affine_map<(r, m, n, k) -> (r, k, n)>, affine_map<(r, m, n, k) -> (m, n)>],
      iterator_types = ["reduction", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x4x1xf32>, tensor<3x1x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @blocked(%a: tensor<4x8x16x64xf32>, %b: tensor<2x8x64x32xf32>, %c: tensor<4x2x16x32xf32>) -> tensor<4x2x16x32xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, r, i, j, k) -> (m, r, i, k)>, affine_map<(m, n, r, i, j, k) -> (n, r, k, j)>, affine_map<(m, n, r, i, j, k) -> (m, n, i, j)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8x16x64xf32>, tensor<2x8x64x32xf32>) outs(%c : tensor<4x2x16x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x2x16x32xf32>
  return %r : tensor<4x2x16x32xf32>
}
func.func @three(%a: tensor<3x4x8xf32>, %b: tensor<3x8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(k, m, n, r) -> (r, m, k)>, affine_map<(k, m, n, r) -> (r, k, n)>, affine_map<(k, m, n, r) -> (m, n)>],
      iterator_types = ["reduction", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x4x8xf32>, tensor<3x8x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @plain(%a: tensor<4x96xf32>, %b: tensor<96x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x96xf32>, tensor<96x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
