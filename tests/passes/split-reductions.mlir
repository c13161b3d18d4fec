// Large reductions with few results are split into equal partial reductions; the remainder comes last.
// RUN: kgen-opt "%s" --kgen-split-reductions=task-work=64 | FileCheck "%s"

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// CHECK-LABEL: func @sum
// CHECK:         %[[MOST:.*]] = tensor.extract_slice %arg0[0] [960] [1]
// CHECK:         %[[PARTS:.*]] = tensor.expand_shape %[[MOST]] {{\[\[}}0, 1]] output_shape [64, 15]
// CHECK:         %[[SUMS:.*]] = linalg.generic {{.*}}["parallel", "reduction"]} ins(%[[PARTS]] : tensor<64x15xf32>)
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[SUMS]] : tensor<64xf32>) outs(%{{.*}} : tensor<f32>)
// CHECK:         %[[REST:.*]] = tensor.extract_slice %arg0[960] [43] [1]
// CHECK:         %[[ALL:.*]] = linalg.generic {{.*}} ins(%[[REST]] : tensor<43xf32>) outs(%[[SUM]] : tensor<f32>)
// CHECK:         return %[[ALL]]
func.func @sum(%x: tensor<1003xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<1003xf32>) outs(%z : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}

// Rows and columns follow in memory: one loop. Nothing is left.
// CHECK-LABEL: func @matrix
// CHECK:         tensor.collapse_shape %arg0 {{\[\[}}0, 1]] : tensor<48x64xf32> into tensor<3072xf32>
// CHECK-NOT:     tensor.extract_slice
// CHECK:         tensor.expand_shape {{.*}} : tensor<3072xf32> into tensor<64x48xf32>
func.func @matrix(%x: tensor<48x64xf32>) -> tensor<f32> {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%least : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<48x64xf32>) outs(%z : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.maximumf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}

// Two results: 32 partial reductions of each.
// CHECK-LABEL: func @rows
// CHECK:         tensor.expand_shape {{.*}} : tensor<2x64xf32> into tensor<2x32x2xf32>
func.func @rows(%x: tensor<2x64xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x64xf32>) outs(%z : tensor<2xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  return %s : tensor<2xf32>
}

// Contiguous results: a task reads some of the rows, not a short slice of each.
// CHECK-LABEL: func @vertical
// CHECK:         %[[ROWS:.*]] = tensor.expand_shape %arg0 {{\[\[}}0, 1], [2]] output_shape [64, 2, 16]
// CHECK:         %[[PARTS:.*]] = linalg.generic {{.*}}["parallel", "reduction", "parallel"]} ins(%[[ROWS]] : tensor<64x2x16xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[PARTS]] : tensor<64x16xf32>) outs(%{{.*}} : tensor<16xf32>)
func.func @vertical(%x: tensor<128x16xf32>) -> tensor<16xf32> {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<16xf32>
  %z = linalg.fill ins(%least : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<128x16xf32>) outs(%z : tensor<16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.maximumf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  return %s : tensor<16xf32>
}

// Enough results for tasks; little work; index semantics; a parallel loop between two reduced ones.
// CHECK-NOT: tensor.expand_shape
// CHECK-LABEL: func @many_results
// CHECK-NOT: tensor.expand_shape
// CHECK:     linalg.generic
// CHECK-NOT: tensor.expand_shape
func.func @many_results(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x64xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %s : tensor<4xf32>
}
// CHECK-LABEL: func @little_work
// CHECK-NOT: tensor.expand_shape
// CHECK:     linalg.generic
// CHECK-NOT: tensor.expand_shape
func.func @little_work(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%z : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}
// CHECK-LABEL: func @index
// CHECK-NOT: tensor.expand_shape
// CHECK:     linalg.generic
// CHECK-NOT: tensor.expand_shape
func.func @index(%x: tensor<1003xf32>) -> tensor<i32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<i32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %s = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<1003xf32>) outs(%z : tensor<i32>) {
  ^bb0(%p: f32, %o: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %t = arith.maxsi %o, %n : i32
    linalg.yield %t : i32
  } -> tensor<i32>
  return %s : tensor<i32>
}
// CHECK-LABEL: func @reduced_around
// CHECK-NOT: tensor.expand_shape
// CHECK:     linalg.generic
// CHECK-NOT: tensor.expand_shape
func.func @reduced_around(%x: tensor<64x2x64xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j)>],
                       iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<64x2x64xf32>) outs(%z : tensor<2xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  return %s : tensor<2xf32>
}
