// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-generate-micro-kernels --split-input-file | FileCheck "%s"

module {
  // A single row reads four elements of A at once, which LLVM does not see through, and takes each of them from both halves of the vector.
  // CHECK-LABEL: func.func private @uk_gemm_f32_1x8x34
  // CHECK:         scf.for
  // CHECK:           %[[LOADED:.*]] = llvm.load {{.*}} -> vector<4xf32>
  // CHECK:           %[[BOTH:.*]] = vector.shuffle %[[LOADED]], %[[LOADED]] [0, 1, 2, 3, 0, 1, 2, 3]
  // CHECK:           %[[FOUR:.*]] = llvm.inline_asm {{.*}}"", "=v,0" %[[BOTH]]
  // CHECK:           %[[FIRST:.*]] = vector.shuffle %[[FOUR]], %[[FOUR]] [0, 0, 0, 0, 4, 4, 4, 4]
  // CHECK:           llvm.intr.fmuladd(%[[FIRST]],
  // CHECK:           vector.shuffle %[[FOUR]], %[[FOUR]] [1, 1, 1, 1, 5, 5, 5, 5]
  // CHECK:           vector.shuffle %[[FOUR]], %[[FOUR]] [2, 2, 2, 2, 6, 6, 6, 6]
  // CHECK:           vector.shuffle %[[FOUR]], %[[FOUR]] [3, 3, 3, 3, 7, 7, 7, 7]
  // What is left is read one by one.
  // CHECK:         vector.broadcast {{.*}} : f32 to vector<8xf32>
  ukernel.gemm @uk_gemm_f32_1x8x34 attributes {a_col = 1 : i64, a_row = 34 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 34 : i64, m = 1 : i64, n = 8 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // Not where they are apart, and not for several rows.
  // CHECK-LABEL: func.func private @uk_gemm_f32_1x8x32_apart
  // CHECK-NOT:     inline_asm
  // CHECK:         llvm.intr.fmuladd
  // CHECK-NOT:     inline_asm
  ukernel.gemm @uk_gemm_f32_1x8x32_apart attributes {a_col = 3 : i64, a_row = 96 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 32 : i64, m = 1 : i64, n = 8 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
  // CHECK-LABEL: func.func private @uk_gemm_f32_2x8x32
  // CHECK-NOT:     inline_asm
  // CHECK:         llvm.intr.fmuladd
  // CHECK-NOT:     inline_asm
  ukernel.gemm @uk_gemm_f32_2x8x32 attributes {a_col = 1 : i64, a_row = 32 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 32 : i64, m = 2 : i64, n = 8 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // Weights of 4 bits become part of a number's mantissa, the second one in its place; two vectors of columns come before the others.
  // CHECK-LABEL: func.func private @uk_gemm_f32xi4b32_1x32x32
  // CHECK:         llvm.mlir.constant(0x4B000008 : f32)
  // CHECK:         llvm.mlir.constant(5.24296{{.*}}e+05 : f32)
  // CHECK:         scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
  // CHECK-NOT:       arith.sitofp
  // CHECK:           arith.andi
  // CHECK:           arith.xori
  // CHECK:           llvm.bitcast {{.*}} : vector<8xi32> to vector<8xf32>
  // CHECK:           arith.subf
  // CHECK:           llvm.intr.fmuladd
  // CHECK:         scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
  ukernel.gemm @uk_gemm_f32xi4b32_1x32x32 attributes {a_col = 1 : i64, a_row = 32 : i64, b_prefetch = 0 : i64, b_row = 640 : i64, c_row = 32 : i64,
      b_blocks = #kgen.blockwise_quant<bits = 4, size = 32, zeros = false>, b_type = i8,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 32 : i64, m = 1 : i64, n = 32 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
}

// -----

module attributes {kgen.target = "x86-64-v4"} {
  // With 512 bits, the second vector of columns has an address of A of its own.
  // CHECK-LABEL: func.func private @uk_gemm_f32xi8b32_1x32x32
  // CHECK:         %[[ZERO:.*]] = llvm.inline_asm {{.*}}"", "=r,0" %{{.*}} : (i64) -> i64
  // CHECK:         scf.for
  // CHECK:           arith.muli %[[ZERO]], %{{.*}} : i64
  ukernel.gemm @uk_gemm_f32xi8b32_1x32x32 attributes {a_col = 1 : i64, a_row = 32 : i64, b_prefetch = 0 : i64, b_row = 1152 : i64, c_row = 32 : i64,
      b_blocks = #kgen.blockwise_quant<bits = 8, size = 32, zeros = false>, b_type = i8,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 32 : i64, m = 1 : i64, n = 32 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
}
