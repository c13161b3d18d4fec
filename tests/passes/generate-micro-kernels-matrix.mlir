// RUN: kgen-opt "%s" --kgen-target=armv8.6-i8mm-bf16 --kgen-generate-micro-kernels --split-input-file | FileCheck "%s"

module {
  // A load of a row has two groups of k; those of two rows are interleaved, first the lower ones. Blocks become rows at the end.
  // CHECK-LABEL: func.func private @uk_gemm_i8_i32_2x4x32
  // CHECK:         scf.for
  // CHECK:           %[[A0:.*]] = llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<2xi64>
  // CHECK:           %[[A1:.*]] = llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<2xi64>
  // CHECK:           %[[LOW:.*]] = vector.shuffle %[[A0]], %[[A1]] [0, 2]
  // CHECK:           %[[X:.*]] = llvm.bitcast %[[LOW]] : vector<2xi64> to vector<16xi8>
  // CHECK:           %[[Y:.*]] = llvm.load {{.*}} : !llvm.ptr -> vector<16xi8>
  // CHECK:           kgen.matrix_dot %[[X]], %[[Y]], %{{.*}} {both_signed}
  // CHECK:           kgen.matrix_dot %[[X]], %{{.*}}, %{{.*}} {both_signed}
  // CHECK:           vector.shuffle %[[A0]], %[[A1]] [1, 3]
  // CHECK:           kgen.matrix_dot
  // CHECK:           %[[B0:.*]] = kgen.matrix_dot
  // CHECK:         vector.shuffle {{.*}} [0, 1, 4, 5]
  // CHECK:         vector.shuffle {{.*}} [2, 3, 6, 7]
  ukernel.gemm @uk_gemm_i8_i32_2x4x32 attributes {a_col = 1 : i64, a_row = 32 : i64, b_padded, b_prefetch = 0 : i64, b_row = 32 : i64, c_row = 4 : i64,
      element = i8, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 32 : i64, m = 2 : i64, n = 4 : i64, vnni = 8 : i64} {
  ^bb0(%acc: i32):
    ukernel.yield %acc : i32
  }

  // Signed A and unsigned B: columns are the first factor, and blocks are stored by columns. A last row is alone, a last column too.
  // CHECK-LABEL: func.func private @uk_gemm_i8xu8_i32_3x3x16
  // CHECK-COUNT-3: llvm.load {{.*}} -> vector<2xi64>
  // CHECK:         vector.shuffle {{.*}} [0, 2]
  // CHECK:         %[[Y:.*]] = llvm.load {{.*}} : !llvm.ptr -> vector<16xi8>
  // CHECK:         kgen.matrix_dot %[[Y]],
  // CHECK:         %[[LAST:.*]] = llvm.load {{.*}} : !llvm.ptr -> vector<8xi8>
  // CHECK:         vector.shuffle %[[LAST]], %[[LAST]] [0, 1, 2, 3, 4, 5, 6, 7, -1,
  // CHECK:         vector.shuffle {{.*}} [1, 3]
  // CHECK:         vector.shuffle {{.*}} [1, 0]
  // CHECK:         vector.shuffle {{.*}} [0, 2, 4, 6]
  // CHECK:         vector.shuffle {{.*}} [1, 3, 5, 7]
  ukernel.gemm @uk_gemm_i8xu8_i32_3x3x16 attributes {a_col = 1 : i64, a_row = 16 : i64, b_prefetch = 0 : i64, b_row = 32 : i64, b_unsigned, c_row = 4 : i64,
      element = i8, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 16 : i64, m = 3 : i64, n = 3 : i64, vnni = 8 : i64} {
  ^bb0(%acc: i32):
    ukernel.yield %acc : i32
  }

  // Values that k leaves are read one by one: nothing after them is accessed.
  // CHECK-LABEL: func.func private @uk_gemm_bf16_f32_2x4x7
  // CHECK:         llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> i64
  // CHECK:         llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> i64
  // CHECK:         kgen.matrix_dot {{.*}} : vector<8xbf16>, vector<4xf32>
  // CHECK:         llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> i32
  // CHECK:         llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> i16
  // CHECK:         kgen.matrix_dot {{.*}} : vector<8xbf16>, vector<4xf32>
  ukernel.gemm @uk_gemm_bf16_f32_2x4x7 attributes {a_col = 1 : i64, a_row = 7 : i64, b_padded, b_prefetch = 0 : i64, b_row = 16 : i64, c_row = 4 : i64,
      element = bf16, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 7 : i64, m = 2 : i64, n = 4 : i64, vnni = 4 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // Rows of A in runs of two, each a group of k: a vector has both, and nothing is interleaved.
  // CHECK-LABEL: func.func private @uk_brgemm_i8_i32_4x4x2x8
  // CHECK:         scf.for
  // CHECK:           %[[X:.*]] = llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<16xi8>
  // CHECK:           llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<16xi8>
  // CHECK-NOT:       vector.shuffle
  // CHECK:           kgen.matrix_dot %[[X]],
  ukernel.gemm @uk_brgemm_i8_i32_4x4x2x8 attributes {a_batch = 16 : i64, a_col = 1 : i64, a_row = 8 : i64, a_run_rows = 2 : i64, a_run_stride = 32 : i64,
      b_batch = 32 : i64, b_padded, b_prefetch = 0 : i64, b_row = 32 : i64, batch = 2 : i64, c_row = 4 : i64,
      element = i8, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 8 : i64, m = 4 : i64, n = 4 : i64, vnni = 8 : i64} {
  ^bb0(%acc: i32):
    ukernel.yield %acc : i32
  }
}
