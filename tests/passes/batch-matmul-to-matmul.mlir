// RUN: kgen-opt "%s" --kgen-batch-matmul-to-matmul --mlir-print-local-scope | FileCheck "%s"

// CHECK-LABEL: func @one
// CHECK:         %[[A:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32>
// CHECK:         %[[B:.*]] = tensor.collapse_shape %arg1
// CHECK:         %[[C:.*]] = tensor.collapse_shape %arg2
// CHECK:         %[[R:.*]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<4x8xf32>, tensor<8x5xf32>) outs(%[[C]] : tensor<4x5xf32>)
// CHECK:         tensor.expand_shape %[[R]] {{.*}} : tensor<4x5xf32> into tensor<1x4x5xf32>

// A batch that shares its B is rows.
// CHECK-LABEL: func @shared
// CHECK:         %[[A:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : tensor<3x4x8xf32> into tensor<12x8xf32>
// CHECK:         linalg.matmul ins(%[[A]], %arg1 : tensor<12x8xf32>, tensor<8x5xf32>)

// CHECK-LABEL: func @broadcast
// CHECK:         linalg.matmul ins(%{{.*}}, %arg1 : tensor<12x8xf32>, tensor<8x5xf32>)

// A B for each element of the batch.
// CHECK-LABEL: func @kept
// CHECK-NEXT:    linalg.batch_matmul ins(%arg0, %arg1

// A walks through rows and batch in another order than C.
// CHECK-LABEL: func @transposed
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<4x3x8xf32>, tensor<8x5xf32>)

// CHECK-LABEL: func @integers
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<4x8xi8>, tensor<8x5xi8>) outs(%{{.*}} : tensor<4x5xi32>)

func.func @one(%a: tensor<1x4x8xf32>, %b: tensor<1x8x5xf32>, %c: tensor<1x4x5xf32>) -> tensor<1x4x5xf32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<1x4x8xf32>, tensor<1x8x5xf32>) outs(%c : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  return %r : tensor<1x4x5xf32>
}
func.func @shared(%a: tensor<3x4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<3x4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}
func.func @broadcast(%a: tensor<3x4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %e = tensor.empty() : tensor<3x8x5xf32>
  %b3 = linalg.broadcast ins(%b : tensor<8x5xf32>) outs(%e : tensor<3x8x5xf32>) dimensions = [0]
  %r = linalg.batch_matmul ins(%a, %b3 : tensor<3x4x8xf32>, tensor<3x8x5xf32>) outs(%c : tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}
func.func @kept(%a: tensor<3x4x8xf32>, %b: tensor<3x8x5xf32>, %c: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<3x4x8xf32>, tensor<3x8x5xf32>) outs(%c : tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}
func.func @transposed(%a: tensor<4x3x8xf32>, %b: tensor<8x5xf32>, %c: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x3x8xf32>, tensor<8x5xf32>) outs(%c : tensor<3x4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}
func.func @integers(%a: tensor<1x4x8xi8>, %b: tensor<1x8x5xi8>, %c: tensor<1x4x5xi32>) -> tensor<1x4x5xi32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<1x4x8xi8>, tensor<1x8x5xi8>) outs(%c : tensor<1x4x5xi32>) -> tensor<1x4x5xi32>
  return %r : tensor<1x4x5xi32>
}
