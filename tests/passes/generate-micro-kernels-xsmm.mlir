// RUN: kgen-opt "%s" --kgen-target=x86-64-v4 --split-input-file --kgen-generate-micro-kernels=provider=xsmm | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4 --split-input-file --kgen-generate-micro-kernels | FileCheck "%s" --check-prefix=AUTO

// The bytes are module-level assembly, once for kernels that differ in their epilogues only; the epilogue runs over C.
// AUTO-NOT: llvm.module_asm
// AUTO:     kgen.provider = "vector"

// CHECK:       module attributes {{{.*}}llvm.module_asm = ["# Machine code made by libxsmm", ".text", ".p2align 6",
// CHECK-SAME:    ".type xsmm_gemm_f32_2x32x3_a3_b32_c32,@function", "xsmm_gemm_f32_2x32x3_a3_b32_c32:", ".byte 83,65,84,
// CHECK-SAME:    91,195", ".size xsmm_gemm_f32_2x32x3_a3_b32_c32, .-xsmm_gemm_f32_2x32x3_a3_b32_c32"
// CHECK-NOT:     ".text"
// CHECK:       llvm.func @xsmm_gemm_f32_2x32x3_a3_b32_c32(!llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-SAME:    dso_local
// CHECK:       func.func private @plain(%[[A:.*]]: !llvm.ptr {{.*}}, %[[B:.*]]: !llvm.ptr {{.*}}, %[[C:.*]]: !llvm.ptr)
// CHECK-SAME:    kgen.provider = "xsmm"
// CHECK-NEXT:    llvm.call @xsmm_gemm_f32_2x32x3_a3_b32_c32(%[[B]], %[[A]], %[[C]])
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.avx.vzeroupper"()
// CHECK-NEXT:    return
// CHECK:       func.func private @relu(
// CHECK:         llvm.call @xsmm_gemm_f32_2x32x3_a3_b32_c32(
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.avx.vzeroupper"()
// CHECK:         scf.for
// CHECK:           llvm.load {{.*}} -> vector<16xf32>
// CHECK:           arith.maximumf {{.*}} : vector<16xf32>
// CHECK:           llvm.store {{.*}} : vector<16xf32>
module {
  ukernel.gemm @plain attributes {element = f32, m = 2, n = 32, k = 3, a_row = 3, a_col = 1, b_row = 32,
      c_row = 32, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  ukernel.gemm @relu attributes {element = f32, m = 2, n = 32, k = 3, a_row = 3, a_col = 1, b_row = 32,
      c_row = 32, b_prefetch = 0, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %positive = arith.maximumf %sum, %zero : f32
    ukernel.yield %positive : f32
  }
}

// -----

// Strides of a single row or a single product mean nothing. AVX-512 masks what is no whole vector.
// CHECK:       llvm.func @xsmm_gemm_f64_1x5x1_a1_b5_c5_acc(
// CHECK:       func.func private @one
// CHECK:         llvm.call @xsmm_gemm_f64_1x5x1_a1_b5_c5_acc(%{{.*}}, %{{.*}}, %{{.*}}) : (
module {
  ukernel.gemm @one attributes {element = f64, m = 1, n = 5, k = 1, a_row = 0, a_col = 9, b_row = 0, c_row = 0, b_prefetch = 0,
      epilogue_rows = array<i64>, epilogue_cols = array<i64>, accumulate} {
  ^bb0(%sum: f64):
    ukernel.yield %sum : f64
  }
}

// -----

// All of a panel is asked for by the machine code, along with what it reads of B.
// CHECK:       llvm.func @xsmm_gemm_f32_2x32x64_a64_b32_c32_pf(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK:       func.func private @prefetching(%[[A:.*]]: !llvm.ptr {{.*}}, %[[B:.*]]: !llvm.ptr {{.*}}, %[[C:.*]]: !llvm.ptr, %[[SOON:.*]]: !llvm.ptr)
// CHECK-NEXT:    llvm.call @xsmm_gemm_f32_2x32x64_a64_b32_c32_pf(%[[B]], %[[A]], %[[C]], %[[SOON]])
module {
  ukernel.gemm @prefetching attributes {element = f32, m = 2, n = 32, k = 64, a_row = 64, a_col = 1, b_row = 32,
      c_row = 32, b_prefetch = 2048, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
  // A share of one is asked for before.
  // CHECK:       func.func private @sharing(%{{.*}}, %{{.*}}, %{{.*}}, %[[SOON:.*]]: !llvm.ptr)
  // CHECK:         scf.for
  // CHECK:           llvm.getelementptr %[[SOON]]
  // CHECK-NEXT:      "llvm.intr.prefetch"
  // CHECK:         llvm.call @xsmm_gemm_f32_2x32x64_a64_b32_c32(
  ukernel.gemm @sharing attributes {element = f32, m = 2, n = 32, k = 64, a_row = 64, a_col = 1, b_row = 32,
      c_row = 32, b_prefetch = 512, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    ukernel.yield %sum : f32
  }
}

// -----

// An extra of another type is read as what it is.
// CHECK:       func.func private @mixed
// CHECK:         llvm.call @xsmm_gemm_f32_2x16x3_a3_b16_c16(
// CHECK:           llvm.load {{.*}} -> vector<8xi8>
// CHECK:           arith.sitofp {{.*}} : vector<8xi8> to vector<8xf32>
#target = "x86-64-v3"
module attributes {kgen.target = #target} {
  ukernel.gemm @mixed attributes {element = f32, m = 2, n = 16, k = 3, a_row = 3, a_col = 1, b_row = 16,
      c_row = 16, b_prefetch = 0, epilogue_rows = array<i64: 0>, epilogue_cols = array<i64: 1>} {
  ^bb0(%sum: f32, %extra: i8):
    %wide = arith.sitofp %extra : i8 to f32
    %result = arith.addf %sum, %wide : f32
    ukernel.yield %result : f32
  }
}

// -----

// Several products: their distances are in the code, their number is read from memory. Sums of pairs of bf16 are f32; a result
// of another type is made from a tile of sums on the stack.
// CHECK:       llvm.func @xsmm_brgemm_bf16_2x20x4_a8_b32_c20_by8_by128(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK:       func.func private @products(%[[A:.*]]: !llvm.ptr {{.*}}, %[[B:.*]]: !llvm.ptr {{.*}}, %[[C:.*]]: !llvm.ptr)
// CHECK:         %[[SUMS:.*]] = llvm.alloca %{{.*}} x f32 {alignment = 64 : i64}
// CHECK:         %[[COUNT:.*]] = llvm.alloca %{{.*}} x i64
// CHECK:         %[[THREE:.*]] = llvm.mlir.constant(3 : i64)
// CHECK:         llvm.store %[[THREE]], %[[COUNT]]
// CHECK-NEXT:    llvm.call @xsmm_brgemm_bf16_2x20x4_a8_b32_c20_by8_by128(%[[B]], %[[A]], %[[SUMS]], %[[COUNT]])
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.avx.vzeroupper"()
// CHECK:         scf.for
// CHECK:           llvm.load {{.*}} -> vector<16xf32>
// CHECK:           arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK:           llvm.store {{.*}} : vector<16xbf16>
// Another number of the same products is the same code.
// CHECK:       func.func private @fewer_products
// CHECK:         llvm.call @xsmm_brgemm_bf16_2x20x4_a8_b32_c20_by8_by128(
module {
  ukernel.gemm @products attributes {element = bf16, m = 2, n = 20, k = 4, a_row = 8, a_col = 1, b_row = 64, c_row = 20, b_prefetch = 0,
      vnni = 2, batch = 3, a_batch = 8, b_batch = 128, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    %t = arith.truncf %sum : f32 to bf16
    ukernel.yield %t : bf16
  }
  ukernel.gemm @fewer_products attributes {element = bf16, m = 2, n = 20, k = 4, a_row = 8, a_col = 1, b_row = 64, c_row = 20, b_prefetch = 0,
      vnni = 2, batch = 2, a_batch = 8, b_batch = 128, epilogue_rows = array<i64>, epilogue_cols = array<i64>} {
  ^bb0(%sum: f32):
    %t = arith.truncf %sum : f32 to bf16
    ukernel.yield %t : bf16
  }
}
