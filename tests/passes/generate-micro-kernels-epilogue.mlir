// Where a store takes a whole line, groups of rows take the last four steps, and are stored, one after another.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-vnni --kgen-generate-micro-kernels --split-input-file | FileCheck "%s"

module {
  // Twelve steps in a loop; then three rows of two vectors, three, and one. The epilogue is a group's, too.
  // CHECK-LABEL: func.func private @uk_gemm_f32_7x32x16_1e
  // CHECK:         scf.for
  // CHECK-COUNT-14:  llvm.intr.fmuladd
  // CHECK-NOT:       llvm.intr.fmuladd
  // CHECK:           scf.yield
  // CHECK:         llvm.inline_asm
  // CHECK-COUNT-24: llvm.intr.fmuladd
  // CHECK-NOT:     llvm.intr.fmuladd
  // CHECK-COUNT-6: arith.addf {{.*}} : vector<16xf32>
  // CHECK:         llvm.fence syncscope("singlethread") seq_cst
  // CHECK:         llvm.inline_asm
  // CHECK-COUNT-24: llvm.intr.fmuladd
  // CHECK-NOT:     llvm.intr.fmuladd
  // CHECK:         llvm.fence
  // CHECK-COUNT-8: llvm.intr.fmuladd
  // CHECK-NOT:     llvm.intr.fmuladd
  // CHECK-COUNT-2: llvm.store {{.*}} : vector<16xf32>
  // CHECK-NEXT:    return
  ukernel.gemm @uk_gemm_f32_7x32x16_1e attributes {a_col = 1 : i64, a_row = 16 : i64, b_prefetch = 0 : i64, b_row = 32 : i64, c_row = 32 : i64,
      element = f32, epilogue_cols = array<i64: 1>, epilogue_rows = array<i64: 0>, k = 16 : i64, m = 7 : i64, n = 32 : i64} {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    ukernel.yield %s : f32
  }

  // Too few steps, or rows: all stores are at the end.
  // CHECK-LABEL: func.func private @uk_gemm_f32_7x32x12
  // CHECK-NOT:     llvm.fence
  // CHECK:         return
  ukernel.gemm @uk_gemm_f32_7x32x12 attributes {a_col = 1 : i64, a_row = 12 : i64, b_prefetch = 0 : i64, b_row = 32 : i64, c_row = 32 : i64,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 12 : i64, m = 7 : i64, n = 32 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
  // CHECK-LABEL: func.func private @uk_gemm_f32_3x32x64
  // CHECK-NOT:     llvm.fence
  // CHECK:         return
  ukernel.gemm @uk_gemm_f32_3x32x64 attributes {a_col = 1 : i64, a_row = 64 : i64, b_prefetch = 0 : i64, b_row = 32 : i64, c_row = 32 : i64,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 64 : i64, m = 3 : i64, n = 32 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // Dot products of bytes: four steps of four bytes each.
  // CHECK-LABEL: func.func private @uk_gemm_u8xi8_i32_8x32x64
  // CHECK:         scf.for
  // CHECK:         llvm.inline_asm
  // CHECK-COUNT-24: kgen.dot {{.*}} : vector<64xi8>, vector<16xi32>
  // CHECK-NOT:     llvm.call_intrinsic
  // CHECK:         llvm.fence
  // CHECK-COUNT-24: kgen.dot {{.*}} : vector<64xi8>, vector<16xi32>
  // CHECK-NOT:     llvm.call_intrinsic
  // CHECK:         llvm.fence
  // CHECK-COUNT-16: kgen.dot {{.*}} : vector<64xi8>, vector<16xi32>
  // CHECK-NOT:     llvm.call_intrinsic
  // CHECK:         return
  ukernel.gemm @uk_gemm_u8xi8_i32_8x32x64 attributes {a_col = 1 : i64, a_row = 64 : i64, a_unsigned, b_prefetch = 0 : i64, b_row = 128 : i64,
      c_row = 32 : i64, element = i8, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 64 : i64, m = 8 : i64, n = 32 : i64, result = i32,
      vnni = 4 : i64} {
  ^bb0(%acc: i32):
    ukernel.yield %acc : i32
  }
}

// -----

// Stores of shorter vectors keep up.
module attributes {kgen.target = "x86-64-v3"} {
  // CHECK-LABEL: func.func private @uk_gemm_f32_6x16x64
  // CHECK-NOT:     llvm.fence
  // CHECK:         return
  ukernel.gemm @uk_gemm_f32_6x16x64 attributes {a_col = 1 : i64, a_row = 64 : i64, b_prefetch = 0 : i64, b_row = 16 : i64, c_row = 16 : i64,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 64 : i64, m = 6 : i64, n = 16 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
}

// -----

// An epilogue that makes bytes of sums: vectors of two columns of two rows are packed together, and each row is stored at once. What does
// not wrap around is added to words.
module attributes {kgen.target = "x86-64-v3"} {
  // CHECK-LABEL: func.func private @uk_gemm_u8xi8_3x16x8_bytes
  // CHECK:         kgen.dot
  // CHECK-COUNT-4: math.roundeven {{.*}} : vector<8xf32>
  // CHECK-NOT:     math.roundeven
  // CHECK:         %[[LOW:.*]] = kgen.pack %{{.*}}, %{{.*}} : vector<8xi32>
  // CHECK:         llvm.intr.sadd.sat(%[[LOW]],
  // CHECK:         kgen.pack %{{.*}}, %{{.*}} : vector<8xi32>
  // CHECK:         %[[BYTES:.*]] = kgen.pack %{{.*}}, %{{.*}} {is_unsigned} : vector<16xi16>
  // CHECK:         %[[ORDERED:.*]] = vector.shuffle %[[BYTES]], %[[BYTES]] [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23, 8,
  // CHECK:         vector.extract_strided_slice %[[ORDERED]] {offsets = [0], sizes = [16]
  // CHECK:         llvm.store {{.*}} : vector<16xi8>
  // CHECK:         vector.extract_strided_slice %[[ORDERED]] {offsets = [16], sizes = [16]
  // CHECK:         llvm.store {{.*}} : vector<16xi8>
  // The last row is alone.
  // CHECK-COUNT-2: math.roundeven {{.*}} : vector<8xf32>
  // CHECK-COUNT-2: kgen.pack
  // CHECK-NOT:     kgen.pack
  // CHECK-COUNT-1: llvm.store {{.*}} : vector<16xi8>
  // CHECK-NOT:     llvm.store
  // CHECK:         return
  ukernel.gemm @uk_gemm_u8xi8_3x16x8_bytes attributes {a_col = 1 : i64, a_row = 8 : i64, a_unsigned, b_prefetch = 0 : i64, b_row = 64 : i64,
      c_row = 16 : i64, element = i8, epilogue_cols = array<i64: 1>, epilogue_rows = array<i64: 0>, k = 8 : i64, m = 3 : i64, n = 16 : i64,
      result = i8, vnni = 4 : i64} {
  ^bb0(%acc: i32, %scale: f32):
    %zero = arith.constant 0 : i32
    %point = arith.constant 121 : i32
    %most = arith.constant 255 : i32
    %0 = arith.sitofp %acc : i32 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = math.roundeven %1 : f32
    %3 = arith.fptosi %2 : f32 to i32
    %4 = arith.addi %3, %point overflow<nsw> : i32
    %5 = arith.maxsi %4, %zero : i32
    %6 = arith.minsi %5, %most : i32
    %7 = arith.trunci %6 : i32 to i8
    ukernel.yield %7 : i8
  }

  // Columns that are no whole vectors are narrowed one by one.
  // CHECK-LABEL: func.func private @uk_gemm_u8xi8_3x13x8_bytes
  // CHECK-NOT:     kgen.pack
  // CHECK:         return
  ukernel.gemm @uk_gemm_u8xi8_3x13x8_bytes attributes {a_col = 1 : i64, a_row = 8 : i64, a_unsigned, b_prefetch = 0 : i64, b_row = 64 : i64,
      c_row = 16 : i64, element = i8, epilogue_cols = array<i64: 1>, epilogue_rows = array<i64: 0>, k = 8 : i64, m = 3 : i64, n = 13 : i64,
      result = i8, vnni = 4 : i64} {
  ^bb0(%acc: i32, %scale: f32):
    %zero = arith.constant 0 : i32
    %most = arith.constant 255 : i32
    %0 = arith.sitofp %acc : i32 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = math.roundeven %1 : f32
    %3 = arith.fptosi %2 : f32 to i32
    %5 = arith.maxsi %3, %zero : i32
    %6 = arith.minsi %5, %most : i32
    %7 = arith.trunci %6 : i32 to i8
    ukernel.yield %7 : i8
  }
}
