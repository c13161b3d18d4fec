// Outer reductions of rows that do not fill vectors: consecutive rows become one.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-reshape-reductions --cse --canonicalize | FileCheck "%s"

#full = affine_map<(n, c, i) -> (n, c, i)>
#kept = affine_map<(n, c, i) -> (n, i)>

// CHECK-DAG: #[[FULL:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[JOINED:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>

// 16 rows of 49 elements fill 49 vectors. The largest ones begin as all of them do: the neutral element is a NaN.
// CHECK-LABEL: func @softmax
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         %[[X:.*]] = tensor.expand_shape %arg0 {{\[\[0\], \[1, 2\], \[3\]\]}} output_shape [32, 32, 16, 49]
// CHECK:         %[[Z:.*]] = linalg.fill ins(%[[LEAST]] : f32)
// CHECK:         %[[M:.*]] = linalg.generic {indexing_maps = [#[[FULL]], #[[JOINED]]], iterator_types = ["parallel", "reduction", "parallel", "parallel"]} ins(%[[X]] : tensor<32x32x16x49xf32>) outs(%[[Z]] : tensor<32x16x49xf32>)
// CHECK:         %[[ONE:.*]] = linalg.generic {{.*}} ins(%[[M]] : tensor<32x16x49xf32>) outs(%{{.*}} : tensor<32x49xf32>)
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[ONE]] : tensor<32x49xf32>) outs(%{{.*}} : tensor<32x16x49xf32>)
// CHECK:         %[[Y:.*]] = linalg.generic {indexing_maps = [#[[FULL]], #[[JOINED]], #[[FULL]]], {{.*}} ins(%[[X]], %[[R]] : tensor<32x32x16x49xf32>, tensor<32x16x49xf32>)
// CHECK:         tensor.collapse_shape %[[Y]] {{.*}} into tensor<32x512x49xf32>
func.func @softmax(%x: tensor<32x512x49xf32>) -> tensor<32x512x49xf32> {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<32x49xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<32x49xf32>) {
  ^bb0(%o: f32):
    linalg.yield %least : f32
  } -> tensor<32x49xf32>
  %m = linalg.generic {indexing_maps = [#full, #kept], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<32x512x49xf32>) outs(%z : tensor<32x49xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.maxnumf %o, %v : f32
    linalg.yield %w : f32
  } -> tensor<32x49xf32>
  %f = tensor.empty() : tensor<32x512x49xf32>
  %p = linalg.generic {indexing_maps = [#full, #kept, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %m : tensor<32x512x49xf32>, tensor<32x49xf32>) outs(%f : tensor<32x512x49xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<32x512x49xf32>
  return %p : tensor<32x512x49xf32>
}

// The caller's memory is written through a view.
// CHECK-LABEL: func @written_to_caller
// CHECK:         %[[C:.*]] = memref.expand_shape %arg2 {{.*}} output_shape [32, 32, 16, 49]
// CHECK:         bufferization.materialize_in_destination %{{.*}} in writable %[[C]] : (tensor<32x32x16x49xf32>, memref<32x32x16x49xf32>)
func.func @written_to_caller(%x: tensor<32x512x49xf32>, %z: tensor<32x49xf32>, %c: memref<32x512x49xf32>) {
  %s = linalg.generic {indexing_maps = [#full, #kept], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<32x512x49xf32>) outs(%z : tensor<32x49xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %o, %v : f32
    linalg.yield %w : f32
  } -> tensor<32x49xf32>
  %f = tensor.empty() : tensor<32x512x49xf32>
  %p = linalg.generic {indexing_maps = [#full, #kept, #full], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<32x512x49xf32>, tensor<32x49xf32>) outs(%f : tensor<32x512x49xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.divf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<32x512x49xf32>
  bufferization.materialize_in_destination %p in writable %c : (tensor<32x512x49xf32>, memref<32x512x49xf32>) -> ()
  return
}

// Rows of 196 elements nearly fill 13 vectors; of 5 rows, too few would be left.
// CHECK-LABEL: func @not_worth_it
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @not_worth_it(%x: tensor<32x512x196xf32>, %y: tensor<32x5x49xf32>, %a: tensor<32x196xf32>, %b: tensor<32x49xf32>) -> (tensor<32x196xf32>, tensor<32x49xf32>) {
  %s = linalg.generic {indexing_maps = [#full, #kept], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<32x512x196xf32>) outs(%a : tensor<32x196xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %o, %v : f32
    linalg.yield %w : f32
  } -> tensor<32x196xf32>
  %t = linalg.generic {indexing_maps = [#full, #kept], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%y : tensor<32x5x49xf32>) outs(%b : tensor<32x49xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %o, %v : f32
    linalg.yield %w : f32
  } -> tensor<32x49xf32>
  return %s, %t : tensor<32x196xf32>, tensor<32x49xf32>
}
