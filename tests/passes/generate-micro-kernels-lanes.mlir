// RUN: kgen-opt "%s" --kgen-target=armv8.2-dotprod-fp16 --kgen-generate-micro-kernels --split-input-file | FileCheck "%s"

module {
  // Each row reads four elements of A at once, which are lanes of the four steps; what is left is read one by one.
  // CHECK-LABEL: func.func private @uk_gemm_f32_5x16x9
  // CHECK:         scf.for
  // CHECK-COUNT-4:   llvm.load {{.*}} -> vector<4xf32>
  // CHECK:           %[[A:.*]] = llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<4xf32>
  // CHECK:           %[[FIRST:.*]] = vector.shuffle %[[A]], %[[A]] [0, 0, 0, 0]
  // CHECK:           llvm.intr.fmuladd(%[[FIRST]],
  // CHECK-COUNT-4:   llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<4xf32>
  // CHECK-NOT:       {alignment = 1 : i64}
  // CHECK:           %[[SECOND:.*]] = vector.shuffle %[[A]], %[[A]] [1, 1, 1, 1]
  // CHECK:           llvm.intr.fmuladd(%[[SECOND]],
  // CHECK:           vector.shuffle %[[A]], %[[A]] [2, 2, 2, 2]
  // CHECK:           vector.shuffle %[[A]], %[[A]] [3, 3, 3, 3]
  // CHECK:         vector.broadcast {{.*}} : f32 to vector<4xf32>
  ukernel.gemm @uk_gemm_f32_5x16x9 attributes {a_col = 1 : i64, a_row = 9 : i64, b_prefetch = 0 : i64, b_row = 16 : i64, c_row = 16 : i64,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 9 : i64, m = 5 : i64, n = 16 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // Not where they are apart, and not where registers do not hold the lanes of all rows.
  // CHECK-LABEL: func.func private @uk_gemm_f32_5x16x8_apart
  // CHECK-NOT:     {alignment = 1 : i64}
  // CHECK:         vector.broadcast {{.*}} : f32 to vector<4xf32>
  ukernel.gemm @uk_gemm_f32_5x16x8_apart attributes {a_col = 3 : i64, a_row = 24 : i64, b_prefetch = 0 : i64, b_row = 16 : i64, c_row = 16 : i64,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 8 : i64, m = 5 : i64, n = 16 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
  // CHECK-LABEL: func.func private @uk_gemm_f32_6x16x8
  // CHECK-NOT:     {alignment = 1 : i64}
  // CHECK:         vector.broadcast {{.*}} : f32 to vector<4xf32>
  ukernel.gemm @uk_gemm_f32_6x16x8 attributes {a_col = 1 : i64, a_row = 8 : i64, b_prefetch = 0 : i64, b_row = 16 : i64, c_row = 16 : i64,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 8 : i64, m = 6 : i64, n = 16 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // Lanes are groups of four bytes; both factors have the sign of A.
  // CHECK-LABEL: func.func private @uk_gemm_i8_i32_5x16x32
  // CHECK-COUNT-5: llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<4xi32>
  // CHECK:         vector.shuffle {{.*}} [0, 0, 0, 0] : vector<4xi32>, vector<4xi32>
  // CHECK-NOT:     arith.xori
  // CHECK:         kgen.dot {{.*}} {both_signed} : vector<16xi8>, vector<4xi32>
  ukernel.gemm @uk_gemm_i8_i32_5x16x32 attributes {a_col = 1 : i64, a_row = 32 : i64, b_padded, b_prefetch = 0 : i64, b_row = 16 : i64, c_row = 16 : i64,
      element = i8, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 32 : i64, m = 5 : i64, n = 16 : i64, vnni = 4 : i64} {
  ^bb0(%acc: i32):
    ukernel.yield %acc : i32
  }

  // Unsigned A and signed B: B's signs are flipped, and 128 times the sums of A's rows compensate.
  // CHECK-LABEL: func.func private @uk_gemm_u8xi8_i32_5x16x32
  // CHECK:         kgen.dot {{.*}} {both_unsigned} : vector<16xi8>, vector<4xi32>
  // CHECK:         %[[FACTOR:.*]] = llvm.mlir.constant(-128 : i32)
  // CHECK:         arith.muli {{.*}}, %[[FACTOR]]
  // CHECK:         arith.xori
  // CHECK:         kgen.dot {{.*}} {both_unsigned} : vector<16xi8>, vector<4xi32>
  ukernel.gemm @uk_gemm_u8xi8_i32_5x16x32 attributes {a_col = 1 : i64, a_row = 32 : i64, a_unsigned, b_padded, b_prefetch = 0 : i64, b_row = 16 : i64,
      c_row = 16 : i64, element = i8, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 32 : i64, m = 5 : i64, n = 16 : i64, vnni = 4 : i64} {
  ^bb0(%acc: i32):
    ukernel.yield %acc : i32
  }
}
