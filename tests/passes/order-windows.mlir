// Reductions over windows of images work along rows, or with channels last where rows are short.
// RUN: kgen-opt "%s" --split-input-file --kgen-target=x86-64-v3 --kgen-order-windows | FileCheck "%s"

#image = affine_map<(n, c, y, x, i, j) -> (n, c, y * 2 + i, x * 2 + j)>
#window = affine_map<(n, c, y, x, i, j) -> (i, j)>
#sums = affine_map<(n, c, y, x, i, j) -> (n, c, y, x)>
#all = affine_map<(n, c, y, x) -> (n, c, y, x)>
#place = affine_map<(n, c, y, x) -> (y, x)>

// Rows of 8 results stay as they are.
// CHECK-LABEL: func @rows
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x16x8x8xf32>)
func.func @rows(%x: tensor<2x16x17x17xf32>) -> tensor<2x16x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<2x16x8x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16x8x8xf32>) -> tensor<2x16x8x8xf32>
  %s = linalg.generic {indexing_maps = [#image, #window, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<2x16x17x17xf32>, tensor<3x3xf32>) outs(%i : tensor<2x16x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %c, %a : f32
    linalg.yield %d : f32
  } -> tensor<2x16x8x8xf32>
  return %s : tensor<2x16x8x8xf32>
}

// -----

#image = affine_map<(n, c, y, x, i, j) -> (n, c, y * 2 + i, x * 2 + j)>
#window = affine_map<(n, c, y, x, i, j) -> (i, j)>
#sums = affine_map<(n, c, y, x, i, j) -> (n, c, y, x)>
#all = affine_map<(n, c, y, x) -> (n, c, y, x)>
#place = affine_map<(n, c, y, x) -> (y, x)>

// Short rows: the padding and what follows element by element move, too, indices with them.
// CHECK-DAG: #[[$WINDOWS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>
// CHECK-DAG: #[[$PLACE:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
// CHECK-LABEL: func @short
// CHECK: %[[X:.*]] = linalg.transpose ins(%arg0 : tensor<2x16x6x6xf32>) outs(%{{.*}} : tensor<2x6x6x16xf32>) permutation = [0, 2, 3, 1]
// CHECK: %[[PAD:.*]] = tensor.pad %[[X]] nofold low[0, 1, 1, 0] high[0, 0, 0, 0]
// CHECK: %[[S:.*]] = linalg.generic {indexing_maps = [#[[$WINDOWS]], {{.*}} ins(%[[PAD]], %{{.*}}) outs(%{{.*}} : tensor<2x3x3x16xf32>)
// CHECK: %[[Q:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #[[$PLACE]], #{{.*}}], {{.*}} ins(%[[S]], %arg1 : tensor<2x3x3x16xf32>, tensor<3x3xf32>) outs(%{{.*}} : tensor<2x3x3x16xf32>)
// CHECK: linalg.index 3
// CHECK: %[[Y:.*]] = linalg.transpose ins(%[[Q]] : tensor<2x3x3x16xf32>) outs(%{{.*}} : tensor<2x16x3x3xf32>) permutation = [0, 3, 1, 2]
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]
func.func @short(%x: tensor<2x16x6x6xf32>, %counts: tensor<3x3xf32>) -> tensor<2x16x3x3xf32> {
  %zero = arith.constant 0.0 : f32
  %pad = tensor.pad %x nofold low[0, 0, 1, 1] high[0, 0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<2x16x6x6xf32> to tensor<2x16x7x7xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<2x16x3x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16x3x3xf32>) -> tensor<2x16x3x3xf32>
  %s = linalg.generic {indexing_maps = [#image, #window, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%pad, %w : tensor<2x16x7x7xf32>, tensor<3x3xf32>) outs(%i : tensor<2x16x3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %c, %a : f32
    linalg.yield %d : f32
  } -> tensor<2x16x3x3xf32>
  %q = linalg.generic {indexing_maps = [#all, #place, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %counts : tensor<2x16x3x3xf32>, tensor<3x3xf32>) outs(%e : tensor<2x16x3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %channel = linalg.index 1 : index
    %number = arith.index_cast %channel : index to i32
    %float = arith.sitofp %number : i32 to f32
    %sum = arith.addf %a, %float : f32
    %d = arith.divf %sum, %b : f32
    linalg.yield %d : f32
  } -> tensor<2x16x3x3xf32>
  return %q : tensor<2x16x3x3xf32>
}

// -----

#image = affine_map<(n, c, y, x, i, j) -> (n, c, y + i, x + j)>
#window = affine_map<(n, c, y, x, i, j) -> (i, j)>
#sums = affine_map<(n, c, y, x, i, j) -> (n, c, y, x)>

// Between images with channels last, nothing is transposed.
// CHECK-LABEL: func @between
// CHECK-NOT: linalg.transpose
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%arg0, %{{.*}}) outs(%{{.*}} : tensor<?x4x4x16xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return %[[S]]
func.func @between(%x: tensor<?x6x6x16xf32>) -> tensor<?x4x4x16xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6x6x16xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %p = tensor.empty(%n) : tensor<?x16x6x6xf32>
  %t = linalg.transpose ins(%x : tensor<?x6x6x16xf32>) outs(%p : tensor<?x16x6x6xf32>) permutation = [0, 3, 1, 2]
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty(%n) : tensor<?x16x4x4xf32>
  %i = linalg.fill ins(%lowest : f32) outs(%e : tensor<?x16x4x4xf32>) -> tensor<?x16x4x4xf32>
  %s = linalg.generic {indexing_maps = [#image, #window, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%t, %w : tensor<?x16x6x6xf32>, tensor<3x3xf32>) outs(%i : tensor<?x16x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.maximumf %c, %a : f32
    linalg.yield %d : f32
  } -> tensor<?x16x4x4xf32>
  %f = tensor.empty(%n) : tensor<?x4x4x16xf32>
  %y = linalg.transpose ins(%s : tensor<?x16x4x4xf32>) outs(%f : tensor<?x4x4x16xf32>) permutation = [0, 2, 3, 1]
  return %y : tensor<?x4x4x16xf32>
}

// -----

#image = affine_map<(n, c, y, x, i, j) -> (n, c, y + i, x * 5 + j)>
#window = affine_map<(n, c, y, x, i, j) -> (i, j)>
#sums = affine_map<(n, c, y, x, i, j) -> (n, c, y, x)>

// Strides that no vector loads along rows.
// CHECK-LABEL: func @strides
// CHECK: outs(%{{.*}} : tensor<1x4x9x16xf32>)
func.func @strides(%x: tensor<1x16x4x50xf32>) -> tensor<1x16x4x9xf32> {
  %zero = arith.constant 0.0 : f32
  %w = tensor.empty() : tensor<1x2xf32>
  %e = tensor.empty() : tensor<1x16x4x9xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16x4x9xf32>) -> tensor<1x16x4x9xf32>
  %s = linalg.generic {indexing_maps = [#image, #window, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x16x4x50xf32>, tensor<1x2xf32>) outs(%i : tensor<1x16x4x9xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %c, %a : f32
    linalg.yield %d : f32
  } -> tensor<1x16x4x9xf32>
  return %s : tensor<1x16x4x9xf32>
}

// -----

#image = affine_map<(n, c, y, x, i, j) -> (n, c, y * 2 + i, x * 2 + j)>
#window = affine_map<(n, c, y, x, i, j) -> (i, j)>
#sums = affine_map<(n, c, y, x, i, j) -> (n, c, y, x)>

// Images that no cache keeps: rows of two results are enough.
// CHECK-LABEL: func @large
// CHECK-NOT: linalg.transpose
// CHECK: outs(%{{.*}} : tensor<64x4096x2x2xf32>)
func.func @large(%x: tensor<64x4096x4x4xf32>) -> tensor<64x4096x2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %w = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<64x4096x2x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x4096x2x2xf32>) -> tensor<64x4096x2x2xf32>
  %s = linalg.generic {indexing_maps = [#image, #window, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<64x4096x4x4xf32>, tensor<2x2xf32>) outs(%i : tensor<64x4096x2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %c, %a : f32
    linalg.yield %d : f32
  } -> tensor<64x4096x2x2xf32>
  return %s : tensor<64x4096x2x2xf32>
}

// -----

#image = affine_map<(n, c, y, x, i, j) -> (n, c, y + i, x + j)>
#pixel = affine_map<(n, c, y, x, i, j) -> (y + i, x + j)>
#window = affine_map<(n, c, y, x, i, j) -> (i, j)>
#sums = affine_map<(n, c, y, x, i, j) -> (n, c, y, x)>

// Operands by window and by pixel.
// CHECK-DAG: #[[$PIXEL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1 + d4, d2 + d5)>
// CHECK-LABEL: func @others
// CHECK-DAG: %[[X:.*]] = linalg.transpose ins(%arg0
// CHECK-DAG: %[[MAX:.*]] = linalg.transpose ins(%arg1
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #[[$PIXEL]], {{.*}} ins(%[[X]], %[[MAX]], %arg2, %{{.*}} : tensor<1x6x6x16xf64>, tensor<1x4x4x16xf64>, tensor<6x6xi32>, tensor<3x3xf64>) outs(%{{.*}} : tensor<1x4x4x16xi32>)
func.func @others(%x: tensor<1x16x6x6xf64>, %max: tensor<1x16x4x4xf64>, %indices: tensor<6x6xi32>) -> tensor<1x16x4x4xi32> {
  %none = arith.constant 1000 : i32
  %w = tensor.empty() : tensor<3x3xf64>
  %e = tensor.empty() : tensor<1x16x4x4xi32>
  %i = linalg.fill ins(%none : i32) outs(%e : tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi32>
  %s = linalg.generic {indexing_maps = [#image, #sums, #pixel, #window, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %max, %indices, %w : tensor<1x16x6x6xf64>, tensor<1x16x4x4xf64>, tensor<6x6xi32>, tensor<3x3xf64>) outs(%i : tensor<1x16x4x4xi32>) {
  ^bb0(%a: f64, %m: f64, %at: i32, %b: f64, %c: i32):
    %is = arith.cmpf oeq, %a, %m : f64
    %n = arith.select %is, %at, %c : i32
    %d = arith.minsi %n, %c : i32
    linalg.yield %d : i32
  } -> tensor<1x16x4x4xi32>
  return %s : tensor<1x16x4x4xi32>
}

// -----

#image = affine_map<(n, y, g, x, o, i, j, k) -> (n, y + i, x + j, g, k)>
#filter = affine_map<(n, y, g, x, o, i, j, k) -> (g, i, j, k, o)>
#sums = affine_map<(n, y, g, x, o, i, j, k) -> (n, y, g, x, o)>

// A convolution of groups that share lines of the cache: pixels of a group are put next to each other.
// CHECK-DAG: #[[$PIXELS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d5, d2, d3 * 4 + d6)>
// CHECK-LABEL: func @lines
// CHECK: %[[T:.*]] = linalg.transpose {{.*}} outs(%{{.*}} : tensor<1x6x4x6x4xf32>) permutation = [0, 1, 3, 2, 4]
// CHECK: %[[P:.*]] = tensor.pad %[[T]] low[0, 1, 0, 1, 0] high[0, 1, 0, 1, 0]
// CHECK: %[[X:.*]] = tensor.collapse_shape %[[P]] {{.*}} into tensor<1x8x4x32xf32>
// CHECK: linalg.generic {indexing_maps = [#[[$PIXELS]], {{.*}} ins(%[[X]], %{{.*}} : tensor<1x8x4x32xf32>, tensor<4x3x12x4xf32>)
// CHECK-NOT: linalg.generic
func.func @lines(%x: tensor<1x6x6x16xf32>, %f: tensor<4x3x3x4x4xf32>, %i: tensor<1x6x4x6x4xf32>) -> tensor<1x6x4x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %pad = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x6x6x16xf32> to tensor<1x8x8x16xf32>
  %e = tensor.expand_shape %pad [[0], [1], [2], [3, 4]] output_shape [1, 8, 8, 4, 4] : tensor<1x8x8x16xf32> into tensor<1x8x8x4x4xf32>
  %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%e, %f : tensor<1x8x8x4x4xf32>, tensor<4x3x3x4x4xf32>) outs(%i : tensor<1x6x4x6x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %d = arith.addf %c, %p : f32
    linalg.yield %d : f32
  } -> tensor<1x6x4x6x4xf32>
  return %s : tensor<1x6x4x6x4xf32>
}

// -----

#image = affine_map<(n, y, g, x, o, i, j, k) -> (n, y * 2 + i, x * 2 + j * 2, g, k)>
#filter = affine_map<(n, y, g, x, o, i, j, k) -> (g, i, j, k, o)>
#sums = affine_map<(n, y, g, x, o, i, j, k) -> (n, y, g, x, o)>

// Taps that are apart, of an open number of columns: a product for each column of the window, whose taps are constants.
// CHECK-LABEL: func @taps
// CHECK: %[[LEFT:.*]] = tensor.extract_slice %arg0[0, 0, 0, 0, 0]
// CHECK: %[[FIRST:.*]] = arith.constant dense<{{\[\[\[\[}}1.000000e+00]]], {{.*}}3.000000e+00{{.*}} : tensor<2x1x1x1xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[LEFT]], %[[FIRST]]
// CHECK: %[[RIGHT:.*]] = tensor.extract_slice %arg0[0, 0, 2, 0, 0]
// CHECK: %[[SECOND:.*]] = arith.constant dense<{{\[\[\[\[}}2.000000e+00]]], {{.*}}4.000000e+00{{.*}} : tensor<2x1x1x1xf32>
// CHECK: linalg.generic {{.*}} ins(%[[RIGHT]], %[[SECOND]] {{.*}} outs(%[[SUM]]
func.func @taps(%x: tensor<1x9x?x2x1xf32>, %i: tensor<1x5x2x?x1xf32>) -> tensor<1x5x2x?x1xf32> {
  %f = arith.constant dense<[[[[[1.0]], [[2.0]]]], [[[[3.0]], [[4.0]]]]]> : tensor<2x1x2x1x1xf32>
  %s = linalg.generic {indexing_maps = [#image, #filter, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %f : tensor<1x9x?x2x1xf32>, tensor<2x1x2x1x1xf32>) outs(%i : tensor<1x5x2x?x1xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %d = arith.addf %c, %p : f32
    linalg.yield %d : f32
  } -> tensor<1x5x2x?x1xf32>
  return %s : tensor<1x5x2x?x1xf32>
}
