// RUN: kgen-opt "%s" --kgen-target --kgen-generate-micro-kernels --split-input-file | FileCheck "%s"

// A row has four vectors of sums: two sets of them are the eight chains that a target's `pipelines` have by default.
module attributes {kgen.target = "armv8.2-dotprod-fp16"} {
  // CHECK-LABEL:    func.func private @uk_gemm_f32_1x16x64
  // CHECK-COUNT-4:  arith.addf
  // CHECK-NOT:      arith.addf
  // CHECK:          return
  ukernel.gemm @uk_gemm_f32_1x16x64 attributes {a_col = 1 : i64, a_row = 64 : i64, b_prefetch = 0 : i64, b_row = 16 : i64, c_row = 16 : i64,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 64 : i64, m = 1 : i64, n = 16 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
}

// -----

// Four sets for sixteen.
module attributes {kgen.target = #kgen.target<name = "many-chains", triple = "aarch64-unknown-linux-gnu", features = "+neon", tune = "", vector_bits = 128,
    vector_registers = 32, l1d = 32768, l2 = 1048576, gemm_tiles = {}, facts = {chains = 16 : i64}>} {
  // CHECK-LABEL:    func.func private @uk_gemm_f32_1x16x64
  // CHECK-COUNT-12: arith.addf
  // CHECK-NOT:      arith.addf
  // CHECK:          return
  ukernel.gemm @uk_gemm_f32_1x16x64 attributes {a_col = 1 : i64, a_row = 64 : i64, b_prefetch = 0 : i64, b_row = 16 : i64, c_row = 16 : i64,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 64 : i64, m = 1 : i64, n = 16 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
}
