// Many short rows: their elements become the outer dimension, between two transpositions.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-transpose-inner-reductions | FileCheck "%s"

#full = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#columns = affine_map<(i, j) -> (j)>

module {
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

// A sum of ten alone is not worth a transposition with 16 registers; one of three is.
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

// CHECK-LABEL: func @three
// CHECK:         linalg.transpose ins(%arg0 : tensor<2048x3xf32>)
// CHECK-NOT:     linalg.transpose
func.func @three(%x: tensor<2048x3xf32>, %zero: tensor<2048xf32>) -> tensor<2048xf32> {
  %s = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2048x3xf32>) outs(%zero : tensor<2048xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<2048xf32>
  return %s : tensor<2048xf32>
}

// A maximum and its place are.
// CHECK-LABEL: func @place
// CHECK:         %[[T:.*]] = linalg.transpose ins(%arg0 : tensor<2048x10xf32>)
// CHECK:         %[[M:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<10x2048xf32>) outs(%arg1 : tensor<2048xf32>)
// CHECK:         linalg.generic {{.*}}"reduction", "parallel"]} ins(%{{.*}}, %[[M]] : tensor<10x2048xf32>, tensor<2048xf32>) outs(%arg2 : tensor<2048xi32>)
// CHECK:           linalg.index 0
// CHECK-NOT:     linalg.transpose
func.func @place(%x: tensor<2048x10xf32>, %least: tensor<2048xf32>, %none: tensor<2048xi32>) -> tensor<2048xi32> {
  %m = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2048x10xf32>) outs(%least : tensor<2048xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.maximumf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<2048xf32>
  %s = linalg.generic {indexing_maps = [#full, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<2048x10xf32>, tensor<2048xf32>) outs(%none : tensor<2048xi32>) {
  ^bb0(%v: f32, %u: f32, %o: i32):
    %other = arith.constant 10 : i32
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %is = arith.cmpf oeq, %v, %u : f32
    %c = arith.select %is, %n, %other : i32
    %w = arith.minsi %c, %o : i32
    linalg.yield %w : i32
  } -> tensor<2048xi32>
  return %s : tensor<2048xi32>
}

// Few rows are not.
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

// Two vectors of eight lanes hold rows of 14 well enough.
// CHECK-LABEL: func @nearly_full
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @nearly_full(%x: tensor<2048x14xf32>, %zero: tensor<2048xf32>) -> tensor<2048x14xf32> {
  %s = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2048x14xf32>) outs(%zero : tensor<2048xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<2048xf32>
  %e = tensor.empty() : tensor<2048x14xf32>
  %p = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<2048x14xf32>, tensor<2048xf32>) outs(%e : tensor<2048x14xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<2048x14xf32>
  return %p : tensor<2048x14xf32>
}

// Of an odd number, too, if hardly any lane stays empty.
// CHECK-LABEL: func @odd
// CHECK:         linalg.transpose ins(%arg0 : tensor<2051x5xf32>)
func.func @odd(%x: tensor<2051x5xf32>, %zero: tensor<2051xf32>) -> tensor<2051x5xf32> {
  %s = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2051x5xf32>) outs(%zero : tensor<2051xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<2051xf32>
  %e = tensor.empty() : tensor<2051x5xf32>
  %p = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<2051x5xf32>, tensor<2051xf32>) outs(%e : tensor<2051x5xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<2051x5xf32>
  return %p : tensor<2051x5xf32>
}

// Of six of eight lanes vectors are full if they go from row to row, as what is computed here can: an element for each, or one for each row.
// CHECK-LABEL: func @flat
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.generic {{.*}}["parallel", "reduction"]
// CHECK-NOT:     linalg.transpose
func.func @flat(%x: tensor<2048x6xf32>, %zero: tensor<2048xf32>) -> tensor<2048x6xf32> {
  %s = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2048x6xf32>) outs(%zero : tensor<2048xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<2048xf32>
  %e = tensor.empty() : tensor<2048x6xf32>
  %p = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<2048x6xf32>, tensor<2048xf32>) outs(%e : tensor<2048x6xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<2048x6xf32>
  return %p : tensor<2048x6xf32>
}
}
