// RUN: kgen-opt "%s" --kgen-propagate-reshapes --split-input-file | FileCheck "%s"

// A bias over the last dimension can be added before the rows are split.
// CHECK-LABEL: func.func @bias
// CHECK-SAME: (%[[GEMM:.*]]: tensor<8x4xf32>, %[[BIAS:.*]]: tensor<4xf32>
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK-SAME: ins(%[[GEMM]], %[[BIAS]] : tensor<8x4xf32>, tensor<4xf32>)
// CHECK: tensor.expand_shape %[[SUM]] {{\[\[}}0, 1], [2]]
func.func @bias(%gemm: tensor<8x4xf32>, %bias: tensor<4xf32>) -> tensor<2x4x4xf32> {
  %r = tensor.expand_shape %gemm [[0, 1], [2]] output_shape [2, 4, 4] : tensor<8x4xf32> into tensor<2x4x4xf32>
  %e = tensor.empty() : tensor<2x4x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r, %bias : tensor<2x4x4xf32>, tensor<4xf32>) outs(%e : tensor<2x4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}

// -----

// An operand with an element for each row of a half cannot be reshaped: the reshape stays where it is.
// CHECK-LABEL: func.func @half_of_the_rows
// CHECK: tensor.expand_shape
// CHECK: linalg.generic
// CHECK-SAME: tensor<2x4x4xf32>, tensor<4xf32>
func.func @half_of_the_rows(%gemm: tensor<8x4xf32>, %other: tensor<4xf32>) -> tensor<2x4x4xf32> {
  %r = tensor.expand_shape %gemm [[0, 1], [2]] output_shape [2, 4, 4] : tensor<8x4xf32> into tensor<2x4x4xf32>
  %e = tensor.empty() : tensor<2x4x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (b)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r, %other : tensor<2x4x4xf32>, tensor<4xf32>) outs(%e : tensor<2x4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}

// -----

// A reshape of a result is applied to the destination.
// CHECK-LABEL: func.func @destination
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>, %[[OUT:.*]]: memref<2x4x4xf32>)
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[OUT]] {{\[\[}}0, 1], [2]]
// CHECK: bufferization.materialize_in_destination %[[X]] in restrict writable %[[FLAT]]
func.func @destination(%x: tensor<8x4xf32>, %out: memref<2x4x4xf32>) {
  %r = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 4, 4] : tensor<8x4xf32> into tensor<2x4x4xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<2x4x4xf32>, memref<2x4x4xf32>) -> ()
  return
}

// -----

// A destination with a constant row pitch can be reshaped, too.
// CHECK-LABEL: func.func @destination_of_rows
// CHECK-NOT: tensor.expand_shape
// CHECK: memref.collapse_shape {{.*}} into memref<8x4xf32, strided<[5, 1]>>
func.func @destination_of_rows(%x: tensor<8x4xf32>, %out: memref<2x4x4xf32, strided<[20, 5, 1]>>) {
  %r = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 4, 4] : tensor<8x4xf32> into tensor<2x4x4xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<2x4x4xf32>, memref<2x4x4xf32, strided<[20, 5, 1]>>) -> ()
  return
}

// -----

// A destination with gaps cannot be reshaped.
// CHECK-LABEL: func.func @destination_with_gaps
// CHECK: tensor.expand_shape
// CHECK-NOT: memref.collapse_shape
func.func @destination_with_gaps(%x: tensor<8x4xf32>, %out: memref<2x4x4xf32, strided<[24, 5, 1]>>) {
  %r = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 4, 4] : tensor<8x4xf32> into tensor<2x4x4xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<2x4x4xf32>, memref<2x4x4xf32, strided<[24, 5, 1]>>) -> ()
  return
}

// -----

// A scalar has no dimension that a pad could lengthen.
// CHECK-LABEL: func.func @padded_scalar
// CHECK: %[[ROW:.*]] = tensor.expand_shape %{{.*}} [] output_shape [1] : tensor<f32> into tensor<1xf32>
// CHECK: tensor.pad %[[ROW]] low[1] high[0]
func.func @padded_scalar(%x: tensor<f32>) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %row = tensor.expand_shape %x [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %padded = tensor.pad %row low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<1xf32> to tensor<2xf32>
  return %padded : tensor<2xf32>
}
