// RUN: not kgen-opt "%s" --kgen-target=x86-64-v4-amx --split-input-file --kgen-generate-micro-kernels=provider=amx 2>&1 | FileCheck "%s"
// Every reason why tiles are not used.
// CHECK: error: no provider can make micro-kernel 'in_order':
// CHECK-NEXT: amx: it does not support strict_order
// CHECK: error: no provider can make micro-kernel 'sums_beside':
// CHECK-NEXT: amx: it does not support sums_row
// CHECK: error: no provider can make micro-kernel 'gaps':
// CHECK-NEXT: amx: the elements of a row of A are not adjacent
// CHECK: error: no provider can make micro-kernel 'rows_of_b':
// CHECK-NEXT: amx: B is not packed in groups of k that fill 32 bits
// CHECK: error: no provider can make micro-kernel 'nothing':
// CHECK-NEXT: amx: k is 0
// CHECK: error: no provider can make micro-kernel 'large':
// CHECK-NEXT: amx: the columns do not fit the tile registers
// CHECK: error: no provider can make micro-kernel 'floats':
// CHECK-NEXT: amx: the target does not multiply these types in AMX tiles
// CHECK: error: no provider can make micro-kernel 'wrong_sums':
// CHECK-NEXT: amx: the sums do not have the accumulator type of A and B
module {
  ukernel.gemm @in_order attributes {a_col = 1, b_prefetch = 0, element = bf16, m = 32, n = 32, k = 64, a_row = 64, b_row = 64, c_row = 32, vnni = 2, epilogue_cols = array<i64>, epilogue_rows = array<i64>, strict_order} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
  ukernel.gemm @sums_beside attributes {a_col = 1, b_prefetch = 0, element = bf16, m = 32, n = 32, k = 64, a_row = 64, b_row = 64, c_row = 32, vnni = 2, sums_row = 32, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
  ukernel.gemm @gaps attributes {a_col = 2, b_prefetch = 0, element = bf16, m = 32, n = 32, k = 64, a_row = 128, b_row = 64, c_row = 32, vnni = 2, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
  ukernel.gemm @rows_of_b attributes {a_col = 1, b_prefetch = 0, element = bf16, m = 32, n = 32, k = 64, a_row = 64, b_row = 64, c_row = 32, vnni = 1, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
  ukernel.gemm @nothing attributes {a_col = 1, b_prefetch = 0, element = bf16, m = 32, n = 32, k = 0, a_row = 64, b_row = 64, c_row = 32, vnni = 2, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
  ukernel.gemm @large attributes {a_col = 1, b_prefetch = 0, element = bf16, m = 32, n = 33, k = 64, a_row = 64, b_row = 64, c_row = 32, vnni = 2, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
  ukernel.gemm @floats attributes {a_col = 1, b_prefetch = 0, element = f32, m = 32, n = 32, k = 64, a_row = 64, b_row = 64, c_row = 32, vnni = 1, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
  ukernel.gemm @wrong_sums attributes {a_col = 1, b_prefetch = 0, element = bf16, m = 32, n = 32, k = 64, a_row = 64, b_row = 64, c_row = 32, vnni = 2, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: f64):
    ukernel.yield %acc : f64
  }
}

// -----

// CHECK: error: no provider can make micro-kernel 'expensive':
// CHECK-NEXT: amx: the target does not multiply these types in AMX tiles
// A made-up target: an L2 of 256 KiB and dear tile products.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma,+avx512f,+avx512bw,+avx512vl,+amx-tile,+amx-bf16,+amx-int8", tune = "sapphirerapids", vector_bits = 512, vector_registers = 32, l1d = 32768, l2 = 262144, gemm_tiles = {}, reciprocal_throughput = {tile_bf16 = 100000.0}>} {
  ukernel.gemm @expensive attributes {a_col = 1, b_prefetch = 0, element = bf16, m = 32, n = 32, k = 64, a_row = 64, b_row = 64, c_row = 32, vnni = 2, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
}
