// RUN: kgen-opt "%s" --kgen-lower-micro-kernel-calls --split-input-file --verify-diagnostics

// The kernel's code must have been generated before.
ukernel.gemm @uk_gemm_f32_1x3x2 attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
func.func @call(%a: memref<1x2xf32>, %b: memref<2x3xf32>, %c: memref<1x3xf32>) {
  // expected-error@+1 {{'uk_gemm_f32_1x3x2' does not reference a valid function}}
  ukernel.call @uk_gemm_f32_1x3x2(%a, %b, %c) : memref<1x2xf32>, memref<2x3xf32>, memref<1x3xf32>
  return
}
