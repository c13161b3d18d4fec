// RUN: not kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --kgen-generate-micro-kernels=provider=xsmm 2>&1 | FileCheck "%s"
// Every reason why libxsmm is not asked; each kernel of a module that it cannot make is reported.

// CHECK: error: no provider can make micro-kernel 'strided':
// CHECK-NEXT: xsmm: the elements of a row of A are 7 apart, not adjacent{{$}}
// CHECK: error: no provider can make micro-kernel 'a':
// CHECK-NEXT: xsmm: rows of A with 3 elements are only 2 apart{{$}}
// CHECK: error: no provider can make micro-kernel 'b':
// CHECK-NEXT: xsmm: rows of B with 16 elements are only 0 apart{{$}}
// CHECK: error: no provider can make micro-kernel 'c':
// CHECK-NEXT: xsmm: rows of C with 16 elements are only 8 apart{{$}}
// CHECK: error: no provider can make micro-kernel 'far':
// CHECK-NEXT: xsmm: the tile of A is beyond a 32-bit displacement{{$}}
// CHECK: error: no provider can make micro-kernel 'none':
// CHECK-NEXT: xsmm: k is 0{{$}}
// CHECK: error: no provider can make micro-kernel 'runs':
// CHECK-NEXT: xsmm: it does not support a_run_rows{{$}}
// CHECK: error: no provider can make micro-kernel 'border':
// CHECK-NEXT: xsmm: it does not support a_valid_ranges{{$}}
// CHECK: error: no provider can make micro-kernel 'half':
// CHECK-NEXT: xsmm: only f32, f64 and bf16, the same in A and B{{$}}
// CHECK-NOT: fine
#target = "x86-64-v4"
module attributes {kgen.target = #target} {
  ukernel.gemm @strided attributes {element = f32, m = 2, n = 16, k = 3, a_row = 3, a_col = 7, b_row = 16,
      c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @a attributes {element = f32, m = 2, n = 16, k = 3, a_row = 2, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @b attributes {element = f32, m = 2, n = 16, k = 3, a_row = 3, a_col = 1, b_row = 0,
      c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @c attributes {element = f32, m = 2, n = 16, k = 3, a_row = 3, a_col = 1, b_row = 16,
      c_row = 8, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @far attributes {element = f32, m = 2, n = 16, k = 3, a_row = 1073741824, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @none attributes {element = f32, m = 2, n = 16, k = 0, a_row = 0, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @runs attributes {element = f32, m = 4, n = 16, k = 3, a_row = 3, a_col = 1, a_run_rows = 2, a_run_stride = 9, b_row = 16,
      c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @border attributes {element = f32, m = 4, n = 16, k = 3, a_row = 3, a_col = 1, a_valid_ranges = array<i64: 0, 1, 0, 3, 0, 1, 0, 3, 0, 1, 0, 3, 0, 1, 0, 2>, b_row = 16,
      c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @half attributes {element = f16, m = 2, n = 16, k = 3, a_row = 3, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f16):
    ukernel.yield %sum : f16
  }
  ukernel.gemm @fine attributes {element = f32, m = 2, n = 16, k = 3, a_row = 3, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
}

// -----

// AVX2 has whole vectors only. Several reasons are one line.
// CHECK: error: no provider can make micro-kernel 'columns':
// CHECK-NEXT: xsmm: 13 columns are no multiple of the 8 in a vector; libxsmm would compute the rest in scalar AVX2 code{{$}}
// CHECK: error: no provider can make micro-kernel 'doubles':
// CHECK-NEXT: xsmm: 6 columns are no multiple of the 4 in a vector; libxsmm would compute the rest in scalar AVX2 code{{$}}
// CHECK: error: no provider can make micro-kernel 'both':
// CHECK-NEXT: xsmm: the elements of a row of A are 2 apart, not adjacent; 1 columns are no multiple of
module {
  ukernel.gemm @columns attributes {element = f32, m = 2, n = 13, k = 3, a_row = 3, a_col = 1, b_row = 13,
      c_row = 13, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @doubles attributes {element = f64, m = 2, n = 6, k = 3, a_row = 3, a_col = 1, b_row = 6,
      c_row = 6, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f64):
    ukernel.yield %sum : f64
  }
  ukernel.gemm @both attributes {element = f32, m = 2, n = 1, k = 3, a_row = 6, a_col = 2, b_row = 1,
      c_row = 1, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @fine attributes {element = f32, m = 2, n = 8, k = 3, a_row = 3, a_col = 1, b_row = 8,
      c_row = 8, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
}

// -----

// CHECK: error: no provider can make micro-kernel 'kernel':
// CHECK-NEXT: xsmm: the target no-fma has no AVX2 with FMA{{$}}
// A made-up target: AVX2 without FMA.
#target = #kgen.target<name = "no-fma", triple = "x86_64-unknown-linux-gnu",
    features = "+avx,+avx2", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 524288, gemm_tiles = {}>
module attributes {kgen.target = #target} {
  ukernel.gemm @kernel attributes {element = f32, m = 2, n = 16, k = 3, a_row = 3, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
}

// -----

// What it does not add up, or not in this way.
// CHECK: error: no provider can make micro-kernel 'order':
// CHECK-NEXT: xsmm: it does not support strict_order{{$}}
// CHECK: error: no provider can make micro-kernel 'sums_beside':
// CHECK-NEXT: xsmm: it does not support sums_row{{$}}
// CHECK: error: no provider can make micro-kernel 'dots':
// CHECK-NEXT: xsmm: only adjacent columns of B; rows of B with 16 elements are only 1 apart{{$}}
// CHECK: error: no provider can make micro-kernel 'far_products':
// CHECK-NEXT: xsmm: the products of A are beyond a 32-bit displacement{{$}}
// CHECK: error: no provider can make micro-kernel 'wide_sums':
// CHECK-NEXT: xsmm: the sums of f32 are f32, not f64{{$}}
// CHECK: error: no provider can make micro-kernel 'single':
// CHECK-NEXT: xsmm: bf16 needs B in pairs of k{{$}}
// CHECK: error: no provider can make micro-kernel 'pairs_of_f32':
// CHECK-NEXT: xsmm: only bf16 has B in pairs of k{{$}}
// CHECK: error: no provider can make micro-kernel 'odd':
// CHECK-NEXT: xsmm: an odd number of products, of which libxsmm would read one more in A{{$}}
// CHECK: error: no provider can make micro-kernel 'half_pairs_of_a':
// CHECK-NEXT: xsmm: rows of A begin in the middle of a pair{{$}}
// CHECK: error: no provider can make micro-kernel 'half_pairs':
// CHECK-NEXT: xsmm: rows of B begin in the middle of a pair{{$}}
// CHECK-NOT: fine
#target = "x86-64-v4"
module attributes {kgen.target = #target} {
  ukernel.gemm @order attributes {m = 2, c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>,
      element = f32, n = 16, k = 3, a_row = 3, a_col = 1, b_row = 16, strict_order} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @sums_beside attributes {m = 2, c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>,
      element = f32, n = 16, k = 3, a_row = 3, a_col = 1, b_row = 16, sums_row = 16} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @dots attributes {m = 2, c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>,
      element = f32, n = 16, k = 3, a_row = 3, a_col = 1, b_row = 1, b_col = 3} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @far_products attributes {m = 2, c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>,
      element = f32, n = 16, k = 3, a_row = 3, a_col = 1, b_row = 16, batch = 2, a_batch = 1073741824, b_batch = 48} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @wide_sums attributes {m = 2, c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>,
      element = f32, n = 16, k = 3, a_row = 3, a_col = 1, b_row = 16} {
  ^bb0(%sum: f64):
    ukernel.yield %sum : f64
  }
  ukernel.gemm @single attributes {m = 2, c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>,
      element = bf16, n = 16, k = 4, a_row = 4, a_col = 1, b_row = 16} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @pairs_of_f32 attributes {m = 2, c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>,
      element = f32, n = 16, k = 4, a_row = 4, a_col = 1, b_row = 32, vnni = 2} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @odd attributes {m = 2, c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>,
      element = bf16, n = 16, k = 5, a_row = 6, a_col = 1, b_row = 32, vnni = 2} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @half_pairs_of_a attributes {m = 2, c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>,
      element = bf16, n = 16, k = 4, a_row = 5, a_col = 1, b_row = 32, vnni = 2} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @half_pairs attributes {m = 2, c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>,
      element = bf16, n = 16, k = 4, a_row = 4, a_col = 1, b_row = 33, vnni = 2} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @fine attributes {m = 2, c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>,
      element = bf16, n = 16, k = 4, a_row = 4, a_col = 1, b_row = 32, vnni = 2, batch = 3, a_batch = 8, b_batch = 64} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
}

// -----

// CHECK: error: no provider can make micro-kernel 'narrow':
// CHECK-NEXT: xsmm: bf16 needs AVX-512{{$}}
module {
  ukernel.gemm @narrow attributes {m = 2, c_row = 16, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>,
      element = bf16, n = 16, k = 4, a_row = 4, a_col = 1, b_row = 32, vnni = 2} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
}
