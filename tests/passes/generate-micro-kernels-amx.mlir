// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-amx --split-input-file --kgen-generate-micro-kernels | FileCheck "%s"

module {
  // Four tiles of sums, two of B and two of A; whole steps only, so nothing is copied.
  // CHECK-LABEL: func.func private @square
  // CHECK-SAME:    kgen.provider = "amx"
  // CHECK-SAME:    ukernel.tile_shapes = [array<i64: 16, 16, 16, 16, 16, 16, 16, 16>, array<i64: 64, 64, 64, 64, 64, 64, 64, 64>]
  // CHECK-NOT:     llvm.alloca
  // CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
  // CHECK:         scf.for
  // CHECK-COUNT-3:   llvm.call_intrinsic "llvm.x86.tileloadd64"
  // CHECK-COUNT-2:   llvm.call_intrinsic "llvm.x86.tdpbf16ps"
  // CHECK:           llvm.call_intrinsic "llvm.x86.tileloadd64"
  // CHECK-COUNT-2:   llvm.call_intrinsic "llvm.x86.tdpbf16ps"
  // CHECK-NOT:       llvm.call_intrinsic
  // CHECK:         }
  // CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
  // CHECK-NEXT:    return
  ukernel.gemm @square attributes {a_col = 1, b_prefetch = 0, element = bf16, m = 32, n = 32, k = 64, a_row = 64, b_row = 64, c_row = 32, vnni = 2, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // 37 rows of 13 columns and 35 values of k, added to C: three tiles of 13 rows, the last of which computes two rows once
  // more, so that sums have a place of their own; the last three values of k are read with a mask into scratch memory.
  // CHECK-LABEL: func.func private @ragged
  // CHECK-SAME:    ukernel.tile_shapes = [array<i64: 13, 0, 13, 0, 16, 0, 13, 13>, array<i64: 52, 0, 52, 0, 52, 0, 64, 64>]
  // CHECK-COUNT-3: llvm.alloca
  // CHECK:         llvm.call_intrinsic "llvm.x86.tilezero"
  // CHECK-NEXT:    llvm.mlir.constant
  // CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tilestored64"
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tileloadd64"
  // CHECK:         llvm.intr.masked.load {{.*}} -> vector<32xi16>
  // CHECK:         llvm.store
  // CHECK:         scf.for
  // CHECK-COUNT-2:   llvm.call_intrinsic "llvm.x86.tdpbf16ps"
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tilestored64"
  // CHECK:         scf.for
  // CHECK:           llvm.intr.masked.store
  // The last tile.
  // CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"
  // CHECK:         scf.for
  // CHECK:           llvm.call_intrinsic "llvm.x86.tdpbf16ps"
  // CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps"
  // CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"
  // Its rows, but for the first two.
  // CHECK:         %[[TWO:.*]] = llvm.mlir.constant(2 : i64)
  // CHECK:         scf.for %{{.*}} = %[[TWO]] to
  // CHECK:           llvm.intr.masked.store
  ukernel.gemm @ragged attributes {a_col = 1, b_prefetch = 0, element = bf16, m = 37, n = 13, k = 35, a_row = 35, b_row = 32, c_row = 13, vnni = 2, epilogue_cols = array<i64>, epilogue_rows = array<i64>, accumulate} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // A result of another type: sums go through memory, then row by row through the epilogue.
  // CHECK-LABEL: func.func private @narrow_result
  // CHECK:         llvm.alloca %{{.*}} x i8 {alignment = 64 : i64}
  // CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"
  // CHECK:         scf.for
  // CHECK:           llvm.load {{.*}} -> vector<16xf32>
  // CHECK:           arith.truncf
  ukernel.gemm @narrow_result attributes {a_col = 1, b_prefetch = 0, element = bf16, m = 32, n = 32, k = 64, a_row = 64, b_row = 64, c_row = 32, vnni = 2, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: f32):
    %t = arith.truncf %acc : f32 to bf16
    ukernel.yield %t : bf16
  }

  // Many rows and a long k: blocks of k whose part of B stays in L1, for all rows, with A loaded past it; sums
  // wait in memory. In the last pass, the epilogue of some rows stands beside the products of the next ones.
  // CHECK-LABEL: func.func private @strip
  // CHECK:         llvm.alloca
  // The first pass starts from zero,
  // CHECK:         scf.for
  // CHECK-COUNT-4:   llvm.call_intrinsic "llvm.x86.tilezero"
  // CHECK:           scf.for
  // CHECK:             llvm.call_intrinsic "llvm.x86.tileloadd64"
  // CHECK:             llvm.call_intrinsic "llvm.x86.tileloaddt164"
  // CHECK:             llvm.intr.prefetch
  // CHECK-COUNT-4:   llvm.call_intrinsic "llvm.x86.tilestored64"
  // those in the middle from what waits,
  // CHECK:         scf.for
  // CHECK:           scf.for
  // CHECK-COUNT-4:     llvm.call_intrinsic "llvm.x86.tileloadd64"
  // CHECK:             scf.for
  // CHECK:               llvm.call_intrinsic "llvm.x86.tdpbf16ps"
  // CHECK-NOT:         arith.truncf
  // the last one has nothing to finish for its first rows.
  // CHECK:         }
  // CHECK:         scf.for
  // CHECK:           llvm.call_intrinsic "llvm.x86.tdpbf16ps"
  // CHECK:         scf.for
  // CHECK:           scf.for
  // CHECK:             llvm.call_intrinsic "llvm.x86.tdpbf16ps"
  // CHECK:             arith.truncf
  // CHECK:         scf.for
  // CHECK:           arith.truncf
  // CHECK:         return
  ukernel.gemm @strip attributes {a_col = 1, b_prefetch = 65536, element = bf16, m = 96, n = 32, k = 2560, a_row = 2560, b_row = 64, c_row = 32, vnni = 2, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: f32):
    %t = arith.truncf %acc : f32 to bf16
    ukernel.yield %t : bf16
  }

  // The instruction knows which bytes have a sign.
  // CHECK-LABEL: func.func private @signed
  // CHECK:         llvm.call_intrinsic "llvm.x86.tdpbssd"
  // CHECK-LABEL: func.func private @unsigned_a
  // CHECK:         llvm.call_intrinsic "llvm.x86.tdpbusd"
  // CHECK-LABEL: func.func private @unsigned_b
  // CHECK:         llvm.call_intrinsic "llvm.x86.tdpbsud"
  // CHECK-LABEL: func.func private @unsigned
  // CHECK:         llvm.call_intrinsic "llvm.x86.tdpbuud"
  ukernel.gemm @signed attributes {a_col = 1, b_prefetch = 0, element = i8, m = 32, n = 32, k = 64, a_row = 64, b_row = 128, c_row = 32, vnni = 4, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: i32):
    ukernel.yield %acc : i32
  }
  ukernel.gemm @unsigned_a attributes {a_col = 1, b_prefetch = 0, element = i8, m = 32, n = 32, k = 64, a_row = 64, b_row = 128, c_row = 32, vnni = 4, epilogue_cols = array<i64>, epilogue_rows = array<i64>, a_unsigned} {
  ^bb0(%acc: i32):
    ukernel.yield %acc : i32
  }
  ukernel.gemm @unsigned_b attributes {a_col = 1, b_prefetch = 0, element = i8, m = 32, n = 32, k = 64, a_row = 64, b_row = 128, c_row = 32, vnni = 4, epilogue_cols = array<i64>, epilogue_rows = array<i64>, b_unsigned} {
  ^bb0(%acc: i32):
    ukernel.yield %acc : i32
  }
  ukernel.gemm @unsigned attributes {a_col = 1, b_prefetch = 0, element = i8, m = 32, n = 32, k = 64, a_row = 64, b_row = 128, c_row = 32, vnni = 4, epilogue_cols = array<i64>, epilogue_rows = array<i64>, a_unsigned, b_unsigned} {
  ^bb0(%acc: i32):
    ukernel.yield %acc : i32
  }

  // Several products: the tail of each goes through the same scratch memory.
  // CHECK-LABEL: func.func private @batch
  // CHECK:         scf.for
  // CHECK:           scf.for
  // CHECK:             llvm.call_intrinsic "llvm.x86.tdpbf16ps"
  // CHECK:           }
  // CHECK:           llvm.call_intrinsic "llvm.x86.tdpbf16ps"
  // CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"
  ukernel.gemm @batch attributes {a_col = 1, b_prefetch = 0, element = bf16, m = 32, n = 32, k = 40, a_row = 40, b_row = 64, c_row = 32, vnni = 2, batch = 3, a_batch = 1280, b_batch = 1280, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // What tiles cannot do is left to vectors: sums in order, rows of A with gaps.
  // CHECK-LABEL: func.func private @in_order
  // CHECK-SAME:    kgen.provider = "vector"
  // CHECK-LABEL: func.func private @gaps
  // CHECK-SAME:    kgen.provider = "vector"
  ukernel.gemm @in_order attributes {a_col = 1, b_prefetch = 0, element = bf16, m = 4, n = 32, k = 64, a_row = 64, b_row = 64, c_row = 32, vnni = 2, epilogue_cols = array<i64>, epilogue_rows = array<i64>, strict_order} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
  ukernel.gemm @gaps attributes {a_col = 2, b_prefetch = 0, element = bf16, m = 4, n = 32, k = 64, a_row = 128, b_row = 64, c_row = 32, vnni = 2, epilogue_cols = array<i64>, epilogue_rows = array<i64>} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
}
