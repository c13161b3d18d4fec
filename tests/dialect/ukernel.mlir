// RUN: kgen-opt "%s" | kgen-opt | FileCheck "%s"
// RUN: kgen-opt "%s" --mlir-print-op-generic | kgen-opt | FileCheck "%s"
// RUN: kgen-opt "%s" --emit-bytecode | kgen-opt | FileCheck "%s"
// RUN: kgen-opt "%s" --canonicalize --cse --loop-invariant-code-motion | FileCheck "%s"

// CHECK:      ukernel.gemm @uk_gemm_f32_1x3x2_acc_1e attributes {a_col = 1 : i64, a_row = 2 : i64, accumulate, b_padded, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 3 : i64, element = f32, epilogue_cols = array<i64: 1>, epilogue_rows = array<i64: 0>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32):
// CHECK-NEXT:   %[[S:.*]] = arith.addf %[[ACC]], %[[X]] : f32
// CHECK-NEXT:   ukernel.yield %[[S]] : f32
ukernel.gemm @uk_gemm_f32_1x3x2_acc_1e attributes {a_col = 1 : i64, a_row = 2 : i64, accumulate, b_padded, b_prefetch = 0 : i64, b_row = 8 : i64,
    c_row = 3 : i64, element = f32, epilogue_cols = array<i64: 1>, epilogue_rows = array<i64: 0>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32, %x: f32):
  %s = arith.addf %acc, %x : f32
  ukernel.yield %s : f32
}

// A batch-reduce kernel of bf16: pairs of k, sums in f32, a result in bf16.
// CHECK:      ukernel.gemm @uk_brgemm_bf16_1x16x4x3_1e attributes {a_batch = 3 : i64, a_col = 1 : i64, a_row = 12 : i64, b_batch = 64 : i64, b_padded, b_prefetch = 0 : i64, b_row = 32 : i64, batch = 4 : i64, c_row = 16 : i64, element = bf16, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 3 : i64, m = 1 : i64, n = 16 : i64, strict_order, vnni = 2 : i64} {
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:   %[[S:.*]] = arith.truncf %[[ACC]] : f32 to bf16
// CHECK-NEXT:   ukernel.yield %[[S]] : bf16
ukernel.gemm @uk_brgemm_bf16_1x16x4x3_1e attributes {a_col = 1, a_row = 12, a_batch = 3, b_batch = 64, b_padded, b_prefetch = 0, b_row = 32,
    batch = 4, c_row = 16, element = bf16, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 3, m = 1, n = 16, strict_order, vnni = 2} {
^bb0(%acc: f32):
  %s = arith.truncf %acc : f32 to bf16
  ukernel.yield %s : bf16
}

// A kernel of dot products: the columns of B are apart, their elements adjacent.
// CHECK:      ukernel.gemm @uk_gemm_f32_4x4x64 attributes {a_col = 1 : i64, a_row = 64 : i64, b_col = 64 : i64, b_prefetch = 0 : i64, b_row = 1 : i64
ukernel.gemm @uk_gemm_f32_4x4x64 attributes {a_col = 1, a_row = 64, b_col = 64, b_prefetch = 0, b_row = 1, c_row = 4, element = f32,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 64, m = 4, n = 4} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// Calls write memory: equal ones stay two, and neither is removed or hoisted out of the loop.
// CHECK-LABEL: func.func @calls
// CHECK:         scf.for
// CHECK:           ukernel.call @uk_gemm_f32_1x3x2_acc_1e(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : memref<1x2xf32>, memref<2x8xf32>, memref<1x3xf32, strided<[3, 1], offset: ?>>, memref<3xf32>
// CHECK:           ukernel.call @uk_gemm_f32_1x3x2_acc_1e
// CHECK:         }
func.func @calls(%a: memref<1x2xf32>, %b: memref<2x8xf32>, %c: memref<1x3xf32, strided<[3, 1], offset: ?>>, %x: memref<3xf32>, %n: index) {
  %from = arith.constant 0 : index
  %by = arith.constant 1 : index
  scf.for %i = %from to %n step %by {
    ukernel.call @uk_gemm_f32_1x3x2_acc_1e(%a, %b, %c, %x) : memref<1x2xf32>, memref<2x8xf32>, memref<1x3xf32, strided<[3, 1], offset: ?>>, memref<3xf32>
    ukernel.call @uk_gemm_f32_1x3x2_acc_1e(%a, %b, %c, %x) : memref<1x2xf32>, memref<2x8xf32>, memref<1x3xf32, strided<[3, 1], offset: ?>>, memref<3xf32>
  }
  return
}

// The state of tile registers is not seen by passes: equal operations stay two.
// CHECK-LABEL: func.func @tiles
// CHECK-NEXT:    ukernel.configure_tiles rows [16, 0, 0, 0, 0, 0, 16, 16] bytes [64, 0, 0, 0, 0, 0, 64, 64]
// CHECK-NEXT:    ukernel.configure_tiles rows [16, 0, 0, 0, 0, 0, 16, 16] bytes [64, 0, 0, 0, 0, 0, 64, 64]
// CHECK-NEXT:    ukernel.release_tiles
// CHECK-NEXT:    ukernel.release_tiles
func.func @tiles() {
  ukernel.configure_tiles rows [16, 0, 0, 0, 0, 0, 16, 16] bytes [64, 0, 0, 0, 0, 0, 64, 64]
  ukernel.configure_tiles rows [16, 0, 0, 0, 0, 0, 16, 16] bytes [64, 0, 0, 0, 0, 0, 64, 64]
  ukernel.release_tiles
  ukernel.release_tiles
  return
}
