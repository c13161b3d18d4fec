// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v3},func.func(kgen-vectorize,canonicalize,cse))" | FileCheck "%s"
// Tensors that are read at computed indices (tensor.extract).

#map = affine_map<(i, j) -> (i, j)>
module {

// A row by its index, which is read once for each row; i64 does not make vectors shorter.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[TABLE:[a-z0-9]+]]: tensor<9x19xf32>, %[[WHERE:[a-z0-9]+]]: tensor<5xi64>
// CHECK:         scf.for %[[I:.*]] = %c0 to %c5
// CHECK:           %[[INDEX:.*]] = tensor.extract %[[WHERE]][%[[I]]]
// CHECK:           %[[ROW:.*]] = arith.index_cast %[[INDEX]] : i64 to index
// CHECK:           scf.for %[[J:.*]] = %c0 to %c16 step %c8
// CHECK-NOT:         tensor.extract
// CHECK:             vector.transfer_read %[[TABLE]][%[[ROW]], %[[J]]], {{.*}} vector<8xf32>
// CHECK:           vector.transfer_read %[[TABLE]][%[[ROW]], %c16], {{.*}} vector<3xf32>
func.func @rows(%table: tensor<9x19xf32>, %where: tensor<5xi64>, %e: tensor<5x19xf32>) -> tensor<5x19xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, #map], iterator_types = ["parallel", "parallel"]}
      ins(%where : tensor<5xi64>) outs(%e : tensor<5x19xf32>) {
  ^bb0(%w: i64, %o: f32):
    %i = arith.index_cast %w : i64 to index
    %j = linalg.index 1 : index
    %x = tensor.extract %table[%i, %j] : tensor<9x19xf32>
    linalg.yield %x : f32
  } -> tensor<5x19xf32>
  return %0 : tensor<5x19xf32>
}

// Backwards: the last vector's first element is where the lanes end.
// CHECK-LABEL: func.func @backwards
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x16xf32>
// CHECK:         %[[ROW:.*]] = arith.subi %c3, %
// CHECK:         %[[FIRST:.*]] = arith.subi %c8, %
// CHECK:         %[[V:.*]] = vector.transfer_read %[[X]][%[[ROW]], %[[FIRST]]], {{.*}} vector<8xf32>
// CHECK:         vector.shuffle %[[V]], %[[V]] [7, 6, 5, 4, 3, 2, 1, 0]
func.func @backwards(%x: tensor<4x16xf32>, %e: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %c3 = arith.constant 3 : index
  %c15 = arith.constant 15 : index
  %0 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x16xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.subi %c3, %i : index
    %column = arith.subi %c15, %j : index
    %0 = tensor.extract %x[%row, %column] : tensor<4x16xf32>
    linalg.yield %0 : f32
  } -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// Every third element is read one by one; the rest of the body works on vectors.
// CHECK-LABEL: func.func @strided
// CHECK-COUNT-8: tensor.extract %{{.*}} : tensor<48xf32>
// CHECK:         vector.from_elements {{.*}} : vector<8xf32>
// CHECK:         arith.addf {{.*}} : vector<8xf32>
func.func @strided(%x: tensor<48xf32>, %y: tensor<16xf32>, %e: tensor<16xf32>) -> tensor<16xf32> {
  %c3 = arith.constant 3 : index
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%y : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%y0: f32, %o: f32):
    %i = linalg.index 0 : index
    %place = arith.muli %i, %c3 : index
    %0 = tensor.extract %x[%place] : tensor<48xf32>
    %1 = arith.addf %0, %y0 : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// Indices that are data.
// CHECK-LABEL: func.func @lookup
// CHECK:         %[[WHERE:.*]] = arith.index_cast %{{.*}} : vector<8xi64> to vector<8xindex>
// CHECK-COUNT-8: vector.extract %[[WHERE]]
// CHECK:         vector.from_elements
func.func @lookup(%x: tensor<8xi64>, %table: tensor<4xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xi64>) outs(%e : tensor<8xf32>) {
  ^bb0(%x0: i64, %o: f32):
    %i = arith.index_cast %x0 : i64 to index
    %s = tensor.extract %table[%i] : tensor<4xf32>
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Tasks add the offset of their slice.
// CHECK-LABEL: func.func @task_slice
// CHECK:         %[[ROW:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK:         vector.transfer_read %{{.*}}[%[[ROW]], %{{.*}}], {{.*}} vector<8xf32>
// CHECK-NOT:     linalg.generic
func.func @task_slice(%x: tensor<9x8xf32>, %first: index, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %row = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %first)
    %j = linalg.index 1 : index
    %0 = tensor.extract %x[%row, %j] : tensor<9x8xf32>
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Filled padding stays a slice: reshaped, it would be copied.
// CHECK-LABEL: func.func @padding
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         tensor.insert_slice
func.func @padding(%zero: f32, %x: tensor<6x4x8xf32>) -> tensor<6x4x8xf32> {
  %slice = tensor.extract_slice %x[0, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<6x4x8xf32> to tensor<1x4x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> ()>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%zero : f32) outs(%slice : tensor<1x4x8xf32>) {
  ^bb0(%z: f32, %o: f32):
    linalg.yield %z : f32
  } -> tensor<1x4x8xf32>
  %1 = tensor.insert_slice %0 into %x[0, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<1x4x8xf32> into tensor<6x4x8xf32>
  return %1 : tensor<6x4x8xf32>
}

// Of a slice with gaps, rows of 4 x 8 elements become one, and no others, also where its batch of 1 was dropped.
// CHECK-LABEL: func.func @gaps
// CHECK:         tensor.collapse_shape %{{.*}} : tensor<1x6x4x8xf16> into tensor<6x32xf16>
// CHECK:         vector.transfer_read {{.*}} : tensor<6x32xf16>, vector<8xf16>
func.func @gaps(%x: tensor<1x6x9x8xf16>, %e: tensor<6x4x8xf32>) -> tensor<6x4x8xf32> {
  %slice = tensor.extract_slice %x[0, 0, 0, 0] [1, 6, 4, 8] [1, 1, 1, 1] : tensor<1x6x9x8xf16> to tensor<1x6x4x8xf16>
  %rows = tensor.collapse_shape %slice [[0, 1], [2], [3]] : tensor<1x6x4x8xf16> into tensor<6x4x8xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%rows : tensor<6x4x8xf16>) outs(%e : tensor<6x4x8xf32>) {
  ^bb0(%v: f16, %o: f32):
    %wide = arith.extf %v : f16 to f32
    linalg.yield %wide : f32
  } -> tensor<6x4x8xf32>
  return %0 : tensor<6x4x8xf32>
}

// Indices of a sorted constant table within one register, which is read from the first lane's index on but not beyond the row's
// end, and its lanes permuted.
// CHECK-LABEL: func.func @one_register
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<3x12xf32>
// CHECK-DAG:     %[[TABLE:.*]] = arith.constant dense<[0, 0, 1, 1, 2, 2, 3, 3, 5, 6, 7, 8, 9, 9, 10, 11]> : tensor<16xi32>
// CHECK:         scf.for %[[J:.*]] = %c0 to %c16 step %c8
// CHECK:           %[[PLACES:.*]] = vector.transfer_read %[[TABLE]][%[[J]]]
// CHECK:           %[[PLACE:.*]] = tensor.extract %[[TABLE]][%[[J]]]
// CHECK:           %[[FIRST:.*]] = arith.minsi %[[PLACE]], %c4_i32
// CHECK:           %[[FROM:.*]] = arith.index_cast %[[FIRST]] : i32 to index
// CHECK:           %[[V:.*]] = vector.transfer_read %[[X]][%{{.*}}, %[[FROM]]], {{.*}} vector<8xf32>
// CHECK:           %[[ALL:.*]] = vector.broadcast %[[FIRST]] : i32 to vector<8xi32>
// CHECK:           %[[LANES:.*]] = arith.subi %[[PLACES]], %[[ALL]]
// CHECK:           kgen.dynamic_permute %[[V]], %[[LANES]] : vector<8xf32>, vector<8xi32>
func.func @one_register(%x: tensor<3x12xf32>, %e: tensor<3x16xf32>) -> tensor<3x16xf32> {
  %t = arith.constant dense<[0, 0, 1, 1, 2, 2, 3, 3, 5, 6, 7, 8, 9, 9, 10, 11]> : tensor<16xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #map], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<16xi32>) outs(%e : tensor<3x16xf32>) {
  ^bb0(%p: i32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %p : i32 to index
    %v = tensor.extract %x[%i, %j] : tensor<3x12xf32>
    linalg.yield %v : f32
  } -> tensor<3x16xf32>
  return %0 : tensor<3x16xf32>
}

// Indices within two registers; a shorter row is read as a whole. The remainder is permuted, too.
// CHECK-LABEL: func.func @two_registers
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<13xf32>
// CHECK:         %[[ROW:.*]] = vector.transfer_read %[[X]][%{{.*}}], {{.*}} vector<13xf32>
// CHECK:         %[[PAIR:.*]] = vector.shuffle %[[ROW]], %[[ROW]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0]
// CHECK:         kgen.dynamic_permute %[[PAIR]], %{{.*}} : vector<16xf32>, vector<8xi32>
// CHECK:         %[[REST:.*]] = kgen.dynamic_permute
// CHECK:         vector.shuffle %[[REST]], %[[REST]] [0, 1]
func.func @two_registers(%x: tensor<13xf32>, %e: tensor<10xf32>) -> tensor<10xf32> {
  %t = arith.constant dense<[0, 1, 3, 4, 5, 6, 8, 9, 10, 12]> : tensor<10xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%t : tensor<10xi32>) outs(%e : tensor<10xf32>) {
  ^bb0(%p: i32, %o: f32):
    %j = arith.index_cast %p : i32 to index
    %v = tensor.extract %x[%j] : tensor<13xf32>
    linalg.yield %v : f32
  } -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// Not if the table is not sorted, or if indices are too far from each other.
// CHECK-LABEL: func.func @unsorted_table
// CHECK-NOT:     kgen.dynamic_permute
// CHECK:         tensor.extract
// CHECK-NOT:     kgen.dynamic_permute
func.func @unsorted_table(%x: tensor<50xf32>, %e: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %back = arith.constant dense<[3, 2, 1, 0, 4, 5, 6, 7]> : tensor<8xi32>
  %far = arith.constant dense<[0, 7, 14, 21, 28, 35, 42, 49]> : tensor<8xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%back : tensor<8xi32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: i32, %o: f32):
    %j = arith.index_cast %p : i32 to index
    %v = tensor.extract %x[%j] : tensor<50xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%far : tensor<8xi32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: i32, %o: f32):
    %j = arith.index_cast %p : i32 to index
    %v = tensor.extract %x[%j] : tensor<50xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
}
