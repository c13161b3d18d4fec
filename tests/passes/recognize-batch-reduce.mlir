// RUN: kgen-opt "%s" --kgen-recognize-batch-reduce --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-recognize-batch-reduce=outer-loops --mlir-print-local-scope | FileCheck "%s" --check-prefix=LOOPS
// Contractions over two reductions in one form.

// CHECK-LABEL:   func @one
// CHECK-NEXT:    linalg.batch_reduce_matmul
// CHECK-LABEL:   func @blocked
// CHECK-NEXT:    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d4, d5, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
// CHECK-LABEL:   func @three
// CHECK-NEXT:    linalg.batch_reduce_matmul ins(%arg0, %arg1
// Other operands than linalg.batch_reduce_matmul has, and other operations.
// CHECK-LABEL:   func @rows_first
// CHECK-NEXT:    linalg.generic {{.*}}["parallel", "parallel", "reduction", "reduction"]
// CHECK-LABEL:   func @widening
// CHECK-NEXT:    linalg.generic {{.*}}["parallel", "parallel", "reduction", "reduction"]
// CHECK-LABEL:   func @plain
// CHECK-NEXT:    linalg.matmul

// LOOPS-LABEL:   func @blocked
// LOOPS:         scf.forall ({{.*}}) in (4, 2)
// LOOPS:         linalg.batch_reduce_matmul ins({{.*}} : tensor<8x16x64xf32>, tensor<8x64x32xf32>) outs({{.*}} : tensor<16x32xf32>)

func.func @one(%a: tensor<1x4x8xf32>, %b: tensor<1x8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.batch_reduce_matmul ins(%a, %b : tensor<1x4x8xf32>, tensor<1x8x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
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
func.func @rows_first(%a: tensor<4x3x8xf32>, %b: tensor<3x8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(r, m, n, k) -> (m, r, k)>, affine_map<(r, m, n, k) -> (r, k, n)>, affine_map<(r, m, n, k) -> (m, n)>],
      iterator_types = ["reduction", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x3x8xf32>, tensor<3x8x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @widening(%a: tensor<3x4x8xbf16>, %b: tensor<3x8x5xbf16>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(r, m, n, k) -> (r, m, k)>, affine_map<(r, m, n, k) -> (r, k, n)>, affine_map<(r, m, n, k) -> (m, n)>],
      iterator_types = ["reduction", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x4x8xbf16>, tensor<3x8x5xbf16>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%p: bf16, %q: bf16, %o: f32):
    %x = arith.extf %p : bf16 to f32
    %y = arith.extf %q : bf16 to f32
    %s = arith.mulf %x, %y : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @plain(%a: tensor<4x96xf32>, %b: tensor<96x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x96xf32>, tensor<96x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
