// RUN: kgen-opt "%s" --kgen-target --kgen-generate-micro-kernels --split-input-file --verify-diagnostics
// RUN: not kgen-opt "%s" --kgen-target --kgen-generate-micro-kernels --split-input-file 2>&1 | FileCheck "%s"

// Every provider says why it cannot.
module attributes {kgen.target = "targets/small-tiles.yaml"} {
  // CHECK:      error: no provider can make micro-kernel 'uk_gemm_f16':
  // CHECK-NEXT:   vector: the sums do not have the accumulator type of A and B
  // CHECK-NEXT:   xsmm: only f32, f64 and bf16, the same in A and B; 3 columns are no multiple of the 16 in a vector
  // expected-error@+1 {{no provider can make micro-kernel 'uk_gemm_f16'}}
  ukernel.gemm @uk_gemm_f16 attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f16,
      epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
  ^bb0(%acc: f16):
    ukernel.yield %acc : f16
  }
}

// -----

module attributes {kgen.target = "targets/small-tiles.yaml"} {
  // CHECK:      error: no provider can make micro-kernel 'uk_gemm_wide_sums':
  // CHECK-NEXT:   vector: the sums do not have the accumulator type of A and B
  // CHECK-NEXT:   xsmm: the sums of f32 are f32, not f64; 3 columns
  // expected-error@+1 {{no provider can make micro-kernel 'uk_gemm_wide_sums'}}
  ukernel.gemm @uk_gemm_wide_sums attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
      epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
  ^bb0(%acc: f64):
    ukernel.yield %acc : f64
  }
}

// -----

// CHECK: error: needs a target
// expected-error@+1 {{needs a target: the module has no 'kgen.target'}}
module {
}

// -----

module attributes {kgen.target = "armv8.2-dotprod-fp16"} {
  // CHECK:      error: no provider can make micro-kernel 'uk_gemm_groups':
  // CHECK-NEXT:   vector: the target multiplies no groups of 8 adjacent values of k
  // expected-error@+1 {{no provider can make micro-kernel 'uk_gemm_groups'}}
  ukernel.gemm @uk_gemm_groups attributes {a_col = 1 : i64, a_row = 8 : i64, b_prefetch = 0 : i64, b_row = 24 : i64, c_row = 3 : i64, element = i8,
      epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 8 : i64, m = 1 : i64, n = 3 : i64, vnni = 8 : i64} {
  ^bb0(%acc: i32):
    ukernel.yield %acc : i32
  }
}
