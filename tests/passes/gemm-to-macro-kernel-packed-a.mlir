// Blocks of A are packed for matrix products where many tiles of columns read them.
// RUN: kgen-opt "%s" --kgen-target=armv8.6-i8mm-bf16 --kgen-gemm-to-macro-kernel --canonicalize --cse --split-input-file | FileCheck "%s"

#map_a = affine_map<(m, n, k) -> (m, k)>
#map_b = affine_map<(m, n, k) -> (k, n)>
module {
  // Pairs of rows are interleaved in memory of the task. A group of k is a product, with rows in runs of two; the odd row at the end is
  // in a tile that reads A in place.
  // CHECK:       ukernel.gemm @uk_brgemm_i8_i32_6x16x4x8 attributes {a_batch = 16 : i64, a_col = 1 : i64, a_row = 8 : i64, a_run_rows = 2 : i64, a_run_stride = 64 : i64, b_batch = 256 : i64
  // CHECK-LABEL: func.func @many_columns
  // CHECK:         %[[MEMORY:.*]] = memref.alloca() {alignment = 64 : i64} : memref<163840xi8>
  // CHECK:         %[[PACKED:.*]] = memref.view %[[MEMORY]][%c0][] : memref<163840xi8> to memref<6x64xi8>
  // CHECK:         scf.for %[[PAIR:.*]] = %c0 to %c6 step %c1
  // CHECK:           scf.for %[[K:.*]] = %c0 to %c32 step %c16
  // CHECK:             %[[FIRST:.*]] = vector.load {{.*}}[%c0, %c0] : memref<2x16xi8, strided<[32, 1], offset: ?>>, vector<16xi8>
  // CHECK:             %[[SECOND:.*]] = vector.load {{.*}}[%c1, %c0]
  // CHECK:             %[[LOW:.*]] = vector.shuffle %[[FIRST]], %[[SECOND]] [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]
  // CHECK:             vector.store %[[LOW]], %[[PACKED]][%[[PAIR]], %{{.*}}]
  // CHECK:             %[[HIGH:.*]] = vector.shuffle %[[FIRST]], %[[SECOND]] [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]
  // CHECK:             vector.store %[[HIGH]], %[[PACKED]][%[[PAIR]], %{{.*}}]
  // CHECK:         %[[TILE:.*]] = memref.reinterpret_cast %[[PACKED]] to offset: [0], sizes: [2, 8], strides: [8, 1]
  // CHECK:         %[[A:.*]] = memref.cast %[[TILE]]
  // CHECK:         ukernel.call @uk_brgemm_i8_i32_6x16x4x8(%[[A]],
  // CHECK:         memref.reinterpret_cast %[[PACKED]] to offset: [192], sizes: [2, 8], strides: [8, 1]
  // CHECK:         ukernel.call @uk_brgemm_i8_i32_4x16x4x8(
  // CHECK:         ukernel.call @uk_gemm_i8_i32_3x16x32(%{{.*}}) : memref<3x32xi8,
  func.func @many_columns(%a: memref<13x32xi8>, %b: memref<5x4x32x8xi8>, %c: memref<13x160xi32>) {
    tpp.gemm ins(%a, %b : memref<13x32xi8>, memref<5x4x32x8xi8>) outs(%c : memref<13x160xi32>)
        attributes {a_map = #map_a, b_map = #map_b, epilogue_maps = [], panel = 32, vnni = 8} {
    ^bb0(%acc: i32):
      tpp.yield %acc : i32
    }
    return
  }

  // Four tiles of columns do not pay for it.
  // CHECK-LABEL: func.func @few_columns
  // CHECK-NOT:     vector.load
  // CHECK:         ukernel.call @uk_gemm_i8_i32_6x16x32
  func.func @few_columns(%a: memref<12x32xi8>, %b: memref<2x4x32x8xi8>, %c: memref<12x64xi32>) {
    tpp.gemm ins(%a, %b : memref<12x32xi8>, memref<2x4x32x8xi8>) outs(%c : memref<12x64xi32>)
        attributes {a_map = #map_a, b_map = #map_b, epilogue_maps = [], panel = 32, vnni = 8} {
    ^bb0(%acc: i32):
      tpp.yield %acc : i32
    }
    return
  }

  // Half a load of k would remain.
  // CHECK-LABEL: func.func @odd_groups
  // CHECK-NOT:     vector.load
  // CHECK:         ukernel.call @uk_gemm_i8_i32_6x16x24
  func.func @odd_groups(%a: memref<12x24xi8>, %b: memref<5x3x32x8xi8>, %c: memref<12x160xi32>) {
    tpp.gemm ins(%a, %b : memref<12x24xi8>, memref<5x3x32x8xi8>) outs(%c : memref<12x160xi32>)
        attributes {a_map = #map_a, b_map = #map_b, epilogue_maps = [], panel = 32, vnni = 8} {
    ^bb0(%acc: i32):
      tpp.yield %acc : i32
    }
    return
  }
}
