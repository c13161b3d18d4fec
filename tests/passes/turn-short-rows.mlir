// Many short rows: their elements become the outer dimension, between two transpositions.
// RUN: kgen-opt "%s" --kgen-turn-short-rows | FileCheck "%s"

#full = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#columns = affine_map<(i, j) -> (j)>

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[INNER:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[OUTER:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @chain
// CHECK:         %[[X:.*]] = linalg.transpose ins(%arg0 : tensor<2048x10xf32>) outs(%{{.*}} : tensor<10x2048xf32>) permutation = [1, 0]
// CHECK:         %[[S:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[INNER]]], iterator_types = ["reduction", "parallel"]} ins(%[[X]] : tensor<10x2048xf32>)
// CHECK:         %[[P:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[INNER]], #[[ID]]]{{.*}} ins(%[[X]], %[[S]] : tensor<10x2048xf32>, tensor<2048xf32>)
// CHECK:         %[[R:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[OUTER]], #[[ID]]]{{.*}} ins(%[[P]], %arg2 : tensor<10x2048xf32>, tensor<10xf32>)
// CHECK:         %[[Y:.*]] = linalg.transpose ins(%[[R]] : tensor<10x2048xf32>) outs(%{{.*}} : tensor<2048x10xf32>) permutation = [1, 0]
// CHECK:         return %[[Y]]
func.func @chain(%x: tensor<2048x10xf32>, %zero: tensor<2048xf32>, %scale: tensor<10xf32>) -> tensor<2048x10xf32> {
  %s = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2048x10xf32>) outs(%zero : tensor<2048xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<2048xf32>
  %e = tensor.empty() : tensor<2048x10xf32>
  %p = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<2048x10xf32>, tensor<2048xf32>) outs(%e : tensor<2048x10xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<2048x10xf32>
  %r = linalg.generic {indexing_maps = [#full, #columns, #full], iterator_types = ["parallel", "parallel"]}
      ins(%p, %scale : tensor<2048x10xf32>, tensor<10xf32>) outs(%e : tensor<2048x10xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<2048x10xf32>
  return %r : tensor<2048x10xf32>
}

// A sum alone is not worth a transposition, ...
// CHECK-LABEL: func @one
// CHECK:         linalg.generic {{.*}} ins(%arg0 : tensor<2048x10xf32>) outs(%arg1 : tensor<2048xf32>)
func.func @one(%x: tensor<2048x10xf32>, %zero: tensor<2048xf32>) -> tensor<2048xf32> {
  %s = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2048x10xf32>) outs(%zero : tensor<2048xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<2048xf32>
  return %s : tensor<2048xf32>
}

// ... nor are few rows.
// CHECK-LABEL: func @few
// CHECK:         linalg.generic {{.*}} ins(%arg0 : tensor<64x10xf32>) outs(%arg1 : tensor<64xf32>)
func.func @few(%x: tensor<64x10xf32>, %zero: tensor<64xf32>) -> tensor<64x10xf32> {
  %s = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x10xf32>) outs(%zero : tensor<64xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<64xf32>
  %e = tensor.empty() : tensor<64x10xf32>
  %p = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<64x10xf32>, tensor<64xf32>) outs(%e : tensor<64x10xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<64x10xf32>
  %r = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<64x10xf32>) outs(%e : tensor<64x10xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.mulf %v, %v : f32
    linalg.yield %w : f32
  } -> tensor<64x10xf32>
  return %r : tensor<64x10xf32>
}
