// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v3},func.func(kgen-vectorize,canonicalize,cse))" | FileCheck "%s"
// Flattened rows: vectors go across row ends, and the operand per row is in a register.

#full = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#columns = affine_map<(i, j) -> (j)>
module {

// CHECK-LABEL: func.func @short_tails
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<24x9xf32>, %[[M:[a-z0-9]+]]: tensor<24xf32>
// CHECK-DAG:     %[[TABLE:.*]] = arith.constant dense<[0, 0, 0, 0, 0, 0, 0, 0, 0, 1, {{.*}}, 7]> : tensor<72xi8>
// CHECK-DAG:     %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1]] : tensor<24x9xf32> into tensor<216xf32>
// CHECK:         scf.for %[[I:.*]] = %c0 to %c24 step %c8
// CHECK:           %[[REGISTER:.*]] = vector.transfer_read %[[M]][%[[I]]], {{.*}} vector<8xf32>
// CHECK:           %[[START:.*]] = arith.muli %[[I]], %c9
// CHECK:           scf.for %[[J:.*]] = %c0 to %c72 step %c8
// CHECK:             %[[AT:.*]] = arith.addi %[[START]], %[[J]]
// CHECK-DAG:         %[[V:.*]] = vector.transfer_read %[[FLAT]][%[[AT]]], {{.*}} vector<8xf32>
// CHECK-DAG:         %[[NUMBERS:.*]] = vector.transfer_read %[[TABLE]][%[[J]]], {{.*}} vector<8xi8>
// CHECK:             %[[WIDE:.*]] = arith.extui %[[NUMBERS]] : vector<8xi8> to vector<8xi32>
// CHECK:             %[[EACH:.*]] = kgen.dynamic_permute %[[REGISTER]], %[[WIDE]] : vector<8xf32>, vector<8xi32>
// CHECK:             %[[R:.*]] = arith.mulf %[[V]], %[[EACH]]
// CHECK:             vector.transfer_write %[[R]], %{{.*}}[%[[AT]]]
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] {{.*}} tensor<216xf32> into tensor<24x9xf32>
func.func @short_tails(%x: tensor<24x9xf32>, %m: tensor<24xf32>, %e: tensor<24x9xf32>) -> tensor<24x9xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x9xf32>, tensor<24xf32>) outs(%e : tensor<24x9xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x9xf32>
  return %0 : tensor<24x9xf32>
}

// The last eight of a number of rows that is no multiple of it: some are computed twice. Functions come in two chains.
// CHECK-LABEL: func.func @functions
// CHECK:         vector.transfer_read %arg1[%c0], {{.*}} vector<8xf32>
// CHECK:         scf.for {{.*}} = %c0 to %c48 step %c16
// CHECK:           kgen.dynamic_permute
// CHECK:           kgen.dynamic_permute
// CHECK:           math.exp {{.*}} : vector<16xf32>
// CHECK:         math.exp {{.*}} : vector<8xf32>
// CHECK:         vector.transfer_read %arg1[%c2], {{.*}} vector<8xf32>
// CHECK:         scf.for {{.*}} = %c0 to %c48 step %c16
func.func @functions(%x: tensor<10x7xf32>, %m: tensor<10xf32>, %e: tensor<10x7xf32>) -> tensor<10x7xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<10x7xf32>, tensor<10xf32>) outs(%e : tensor<10x7xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    %y = math.exp %w : f32
    linalg.yield %y : f32
  } -> tensor<10x7xf32>
  return %0 : tensor<10x7xf32>
}

// The result is read, too: each element has to be computed once.
// CHECK-LABEL: func.func @in_place
// CHECK:         kgen.dynamic_permute
// CHECK-LABEL: func.func @in_place_of_odd_rows
// CHECK-NOT:     kgen.dynamic_permute
// CHECK:         vector.broadcast
// CHECK-NOT:     kgen.dynamic_permute
func.func @in_place(%m: tensor<16xf32>, %x: tensor<16x9xf32>) -> tensor<16x9xf32> {
  %0 = linalg.generic {indexing_maps = [#rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<16xf32>) outs(%x : tensor<16x9xf32>) {
  ^bb0(%u: f32, %v: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<16x9xf32>
  return %0 : tensor<16x9xf32>
}
func.func @in_place_of_odd_rows(%m: tensor<17xf32>, %x: tensor<17x9xf32>) -> tensor<17x9xf32> {
  %0 = linalg.generic {indexing_maps = [#rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<17xf32>) outs(%x : tensor<17x9xf32>) {
  ^bb0(%u: f32, %v: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<17x9xf32>
  return %0 : tensor<17x9xf32>
}

// Rows of half a vector are better transposed; tails of four lanes are no waste; an operand per column is in
// no register.
// CHECK-LABEL: func.func @half
// CHECK-NOT:     kgen.dynamic_permute
// CHECK:         vector.broadcast
// CHECK-NOT:     kgen.dynamic_permute
func.func @half(%x: tensor<24x4xf32>, %m: tensor<24xf32>, %e: tensor<24x4xf32>) -> tensor<24x4xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x4xf32>, tensor<24xf32>) outs(%e : tensor<24x4xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x4xf32>
  return %0 : tensor<24x4xf32>
}
// CHECK-LABEL: func.func @long_tails
// CHECK-NOT:     kgen.dynamic_permute
// CHECK:         vector.broadcast
// CHECK-NOT:     kgen.dynamic_permute
func.func @long_tails(%x: tensor<24x13xf32>, %m: tensor<24xf32>, %e: tensor<24x13xf32>) -> tensor<24x13xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x13xf32>, tensor<24xf32>) outs(%e : tensor<24x13xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x13xf32>
  return %0 : tensor<24x13xf32>
}
// CHECK-LABEL: func.func @columns
// CHECK-NOT:     kgen.dynamic_permute
// CHECK:         vector.broadcast
// CHECK-NOT:     kgen.dynamic_permute
func.func @columns(%x: tensor<24x9xf32>, %m: tensor<24xf32>, %c: tensor<9xf32>, %e: tensor<24x9xf32>) -> tensor<24x9xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #columns, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m, %c : tensor<24x9xf32>, tensor<24xf32>, tensor<9xf32>) outs(%e : tensor<24x9xf32>) {
  ^bb0(%v: f32, %u: f32, %s: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    %y = arith.mulf %w, %s : f32
    linalg.yield %y : f32
  } -> tensor<24x9xf32>
  return %0 : tensor<24x9xf32>
}

// Long tails of rows that are not aligned for non-temporal stores of 16 bytes.
// CHECK-LABEL: func.func @non_temporal
// CHECK:         kgen.dynamic_permute
func.func @non_temporal(%x: tensor<524288x13xf32>, %m: tensor<524288xf32>, %e: tensor<524288x13xf32>) -> tensor<524288x13xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<524288x13xf32>, tensor<524288xf32>) outs(%e : tensor<524288x13xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<524288x13xf32>
  return %0 : tensor<524288x13xf32>
}
}
