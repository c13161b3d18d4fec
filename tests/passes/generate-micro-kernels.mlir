// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-amx --kgen-generate-micro-kernels --split-input-file | FileCheck "%s"

module attributes {kgen.target = "targets/small-tiles.yaml"} {
  // Two rows of two vectors, the second one of three columns: masked in C, and in B too, which is not padded.
  // CHECK-NOT:     ukernel.gemm
  // CHECK-LABEL: func.func private @uk_gemm_f32_2x11x6_1e
  // CHECK-SAME:    (%[[A:.*]]: !llvm.ptr {llvm.noalias, llvm.readonly}, %[[B:.*]]: !llvm.ptr {llvm.noalias, llvm.readonly}, %[[C:.*]]: !llvm.ptr, %[[X:[a-z0-9]*]]: !llvm.ptr)
  // CHECK-SAME:    kgen.provider = "vector"
  // CHECK-SAME:    llvm.linkage = #llvm.linkage<internal>
  // CHECK-NOT:     llvm.load %[[C]]
  // CHECK:         scf.for
  // CHECK:           llvm.load {{.*}} -> vector<8xf32>
  // CHECK:           llvm.intr.masked.load {{.*}} -> vector<4xf32>
  // CHECK:           llvm.intr.fmuladd
  // CHECK:         arith.addf
  // CHECK:         llvm.store {{.*}} : vector<8xf32>
  // CHECK:         llvm.intr.masked.store {{.*}} vector<4xf32>
  // CHECK:         return
  ukernel.gemm @uk_gemm_f32_2x11x6_1e attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 11 : i64, c_row = 11 : i64,
      element = f32, epilogue_cols = array<i64: 1>, epilogue_rows = array<i64: 0>, k = 6 : i64, m = 2 : i64, n = 11 : i64} {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    ukernel.yield %s : f32
  }

  // Accumulation starts from C; padded B is read in whole vectors.
  // CHECK-LABEL: func.func private @uk_gemm_f64_1x3x2_acc
  // CHECK-SAME:    %[[C:[a-z0-9]*]]: !llvm.ptr)
  // CHECK:         llvm.intr.masked.load %[[C]]
  // CHECK:         llvm.load {{.*}} -> vector<4xf64>
  // CHECK-NOT:     llvm.intr.masked.load
  // CHECK:         llvm.intr.masked.store {{.*}} vector<4xf64>
  ukernel.gemm @uk_gemm_f64_1x3x2_acc attributes {a_col = 1 : i64, a_row = 2 : i64, accumulate, b_padded, b_prefetch = 0 : i64, b_row = 4 : i64,
      c_row = 3 : i64, element = f64, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
  ^bb0(%acc: f64):
    ukernel.yield %acc : f64
  }

  // No products at all: zeros are stored.
  // CHECK-LABEL: func.func private @uk_gemm_f32_1x8x0
  // CHECK-NOT:     scf.for
  // CHECK-NOT:     llvm.intr.prefetch
  // CHECK:         %[[Z:.*]] = arith.constant dense<0.0{{.*}}> : vector<8xf32>
  // CHECK:         llvm.store %[[Z]]
  ukernel.gemm @uk_gemm_f32_1x8x0 attributes {a_col = 1 : i64, a_row = 0 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
      element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 0 : i64, m = 1 : i64, n = 8 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // Lines are asked for evenly: eight in sixteen steps are one in each two, from the address that comes after C on.
  // CHECK-LABEL: func.func private @uk_gemm_f32_6x16x16_pf_1e
  // CHECK-SAME:      %[[SOON:[a-z0-9]+]]: !llvm.ptr, %{{[a-z0-9]+}}: !llvm.ptr)
  // CHECK:         scf.for %[[K:.*]] = %{{.*}} to %[[DEPTH:.*]] step
  // CHECK:           llvm.getelementptr %[[SOON]][
  // CHECK-NEXT:      "llvm.intr.prefetch"
  // CHECK-COUNT-24:  llvm.intr.fmuladd
  // CHECK-NOT:       llvm.intr.prefetch
  // CHECK:           scf.yield
  ukernel.gemm @uk_gemm_f32_6x16x16_pf_1e attributes {a_col = 1 : i64, a_row = 16 : i64, b_prefetch = 128 : i64, b_row = 16 : i64,
      c_row = 16 : i64, element = f32, epilogue_cols = array<i64: 1>, epilogue_rows = array<i64: 0>, k = 16 : i64, m = 6 : i64, n = 16 : i64} {
  ^bb0(%acc: f32, %bias: f32):
    %sum = arith.addf %acc, %bias : f32
    ukernel.yield %sum : f32
  }

  // Without registers for several steps in the loop's body, a loop around it asks for 28 lines in four groups of sixteen steps: half of
  // them from the sixteenth on. Each also asks for some rows of C, the last one for what is left.
  // CHECK-LABEL: func.func private @uk_gemm_f32_14x8x64_pf
  // CHECK-SAME:      %[[SOON:[a-z0-9]+]]: !llvm.ptr)
  // CHECK-DAG:     %[[GROUP:.*]] = llvm.mlir.constant(16 : i64)
  // CHECK-DAG:     %[[ALL:.*]] = llvm.mlir.constant(64 : i64)
  // CHECK:         scf.for %[[START:.*]] = %{{.*}} to %[[ALL]] step %[[GROUP]]
  // CHECK:           llvm.getelementptr %[[SOON]][
  // CHECK-COUNT-4:   "llvm.intr.prefetch"
  // CHECK:           llvm.getelementptr %{{.*}}[1024] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK-NEXT:      "llvm.intr.prefetch"
  // CHECK-COUNT-3:   "llvm.intr.prefetch"
  // CHECK:           arith.minui
  // CHECK-COUNT-4:   "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 1 : i32}>
  // CHECK-NOT:       llvm.intr.prefetch
  // CHECK:           scf.for %[[STEP:.*]] = %{{.*}} to %{{.*}} step
  // CHECK:             arith.addi %[[START]], %[[STEP]]
  // CHECK-COUNT-14:    llvm.intr.fmuladd
  // CHECK:             scf.yield
  // CHECK:           scf.yield
  // CHECK-NOT:     scf.for
  ukernel.gemm @uk_gemm_f32_14x8x64_pf attributes {a_col = 1 : i64, a_row = 64 : i64, b_prefetch = 448 : i64, b_row = 8 : i64,
      c_row = 8 : i64, element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 64 : i64, m = 14 : i64, n = 8 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // Two parts of k side by side, each of which prefetches rows into L2, one for the four of a body: a loop for what is
  // ahead in this panel, and one for where the parts of the next panel begin.
  // CHECK-LABEL: func.func private @uk_gemm_f32_1x16x512_2s
  // CHECK:         scf.for
  // CHECK-COUNT-2:   "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
  // CHECK-NOT:       llvm.intr.prefetch
  // CHECK:         scf.for
  // CHECK-COUNT-2:   "llvm.intr.prefetch"
  // CHECK-NOT:       llvm.intr.prefetch
  // CHECK:         llvm.store
  ukernel.gemm @uk_gemm_f32_1x16x512_2s attributes {a_col = 1 : i64, a_row = 512 : i64, b_prefetch = 0 : i64, b_row = 16 : i64,
      b_streams = 2 : i64, c_row = 16 : i64, element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 512 : i64, m = 1 : i64,
      n = 16 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // With more rows, instructions that are under way reach fewer lines: all of them are asked for, into L1.
  // CHECK-LABEL: func.func private @uk_gemm_f32_4x16x512_1s
  // CHECK:         scf.for
  // CHECK-COUNT-8:   "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
  // CHECK-NOT:       llvm.intr.prefetch
  // CHECK:         scf.for
  ukernel.gemm @uk_gemm_f32_4x16x512_1s attributes {a_col = 1 : i64, a_row = 512 : i64, b_prefetch = 0 : i64, b_row = 16 : i64,
      b_streams = 1 : i64, c_row = 16 : i64, element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 512 : i64, m = 4 : i64,
      n = 16 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // The lines of C are asked for a row at a time, in a loop of as many turns of two steps, and not all at once.
  // CHECK-LABEL: func.func private @uk_gemm_f32_3x16x128
  // CHECK-NOT:     "llvm.intr.prefetch"
  // CHECK:         %[[ALL:.*]] = llvm.mlir.constant(6 : i64)
  // CHECK:         %[[TWO:.*]] = llvm.mlir.constant(2 : i64)
  // CHECK:         scf.for %{{.*}} = %{{.*}} to %[[ALL]] step %[[TWO]]
  // CHECK-COUNT-1:   "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 1 : i32}>
  // CHECK:         scf.for
  // CHECK-NOT:     "llvm.intr.prefetch"
  // CHECK:         return
  ukernel.gemm @uk_gemm_f32_3x16x128 attributes {a_col = 1 : i64, a_row = 128 : i64, b_prefetch = 0 : i64, b_row = 16 : i64,
      c_row = 64 : i64, element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 128 : i64, m = 3 : i64, n = 16 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // Windows of an image ask for its next row, those that leave nothing out; of C each product asks for two of the rows.
  // CHECK-LABEL: func.func private @uk_brgemm_f32_4x16x3x48
  // CHECK-NOT:     "llvm.intr.prefetch"
  // CHECK:         scf.for
  // CHECK-COUNT-2:   "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 1 : i32}>
  // CHECK:           scf.for
  // CHECK:             %[[ROW:.*]] = llvm.getelementptr %{{.*}}[480] : (!llvm.ptr) -> !llvm.ptr, f32
  // CHECK:             "llvm.intr.prefetch"(%[[ROW]]) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
  // CHECK:             "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
  // CHECK-NOT:     "llvm.intr.prefetch"
  // CHECK:         return
  ukernel.gemm @uk_brgemm_f32_4x16x3x48 attributes {a_batch = 480 : i64, a_col = 1 : i64, a_row = 16 : i64, b_batch = 768 : i64,
      b_prefetch = 0 : i64, b_row = 16 : i64, batch = 3 : i64, c_row = 16 : i64, element = f32, epilogue_cols = array<i64>,
      epilogue_rows = array<i64>, k = 48 : i64, m = 4 : i64, n = 16 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // Rows of a B in place are asked for one with each step, in L2.
  // CHECK-LABEL: func.func private @uk_gemm_f32_1x16x8_acc_pf
  // CHECK-COUNT-8: "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
  // CHECK-NOT:     "llvm.intr.prefetch"
  // CHECK:         return
  ukernel.gemm @uk_gemm_f32_1x16x8_acc_pf attributes {a_col = 1 : i64, a_row = 8 : i64, accumulate, b_prefetch = 8192 : i64,
      b_prefetch_rows, b_row = 1024 : i64, c_row = 1024 : i64, element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>,
      k = 8 : i64, m = 1 : i64, n = 16 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // One column is a vector whose other lanes are zero.
  // CHECK-LABEL: func.func private @uk_gemm_f32_1x9x2
  // CHECK:         llvm.load {{.*}} -> f32
  // CHECK:         vector.insert {{.*}} : f32 into vector<4xf32>
  // CHECK:         llvm.intr.fmuladd({{.*}} : (vector<4xf32>
  // CHECK:         vector.extract {{.*}} : f32 from vector<4xf32>
  ukernel.gemm @uk_gemm_f32_1x9x2 attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 9 : i64,
      c_row = 9 : i64, element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 9 : i64} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // An extra of another type is read as what it is.
  // CHECK-LABEL: func.func private @uk_gemm_f32_1x8x2_2e
  // CHECK:         llvm.load {{.*}} -> vector<8xi8>
  // CHECK:         arith.sitofp {{.*}} : vector<8xi8> to vector<8xf32>
  // CHECK:         arith.addf
  ukernel.gemm @uk_gemm_f32_1x8x2_2e attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 8 : i64,
      c_row = 8 : i64, element = f32, epilogue_cols = array<i64: 1>, epilogue_rows = array<i64: 0>, k = 2 : i64, m = 1 : i64, n = 8 : i64} {
  ^bb0(%acc: f32, %x: i8):
    %f = arith.sitofp %x : i8 to f32
    %s = arith.addf %acc, %f : f32
    ukernel.yield %s : f32
  }

  // What is no micro-kernel stays.
  // CHECK-LABEL: func.func @kept
  // CHECK-NEXT:    return
  func.func @kept() {
    return
  }
}

// -----

module attributes {kgen.target = "zen4"} {
  // Pairs of k: one instruction for 32 products. The odd one at the end has only its own half of A.
  // CHECK-LABEL: func.func private @pairs
  // CHECK:         scf.for
  // CHECK:           llvm.load {{.*}} -> vector<16xi32>
  // CHECK:           llvm.load {{.*}} -> i32
  // CHECK:           kgen.dot {{.*}} : vector<32xbf16>, vector<16xf32>
  // CHECK-NOT:       llvm.intr.fmuladd
  // CHECK:         llvm.load {{.*}} -> i16
  // CHECK:         kgen.dot {{.*}} : vector<32xbf16>, vector<16xf32>
  // CHECK-NOT:     llvm.intr.fmuladd
  // CHECK:         return
  ukernel.gemm @pairs attributes {a_col = 1, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = bf16, m = 8, n = 16, k = 9, a_row = 9, b_row = 32, c_row = 16, vnni = 2, b_padded} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // The instruction has an order and a rounding of its own: sums in order are made by multiply-add.
  // CHECK-LABEL: func.func private @sequential_pairs
  // CHECK-NOT:     kgen.dot
  // CHECK:         llvm.intr.fmuladd
  // CHECK-NOT:     kgen.dot
  // CHECK:         return
  ukernel.gemm @sequential_pairs attributes {a_col = 1, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = bf16, m = 8, n = 16, k = 9, a_row = 9, b_row = 32, c_row = 16, vnni = 2, b_padded, strict_order} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
}

// -----

module {
  // Where the instruction is slower than widening, it is not used.
  // CHECK-LABEL: func.func private @slow_dot_product
  // CHECK-NOT:     kgen.dot
  // CHECK:           %[[PAIR:.*]] = llvm.load {{.*}} -> vector<16xi32>
  // CHECK:           arith.shli %[[PAIR]]
  // CHECK:           arith.andi %[[PAIR]]
  // CHECK-COUNT-2:   llvm.intr.fmuladd
  // CHECK-NOT:     kgen.dot
  // CHECK:         return
  ukernel.gemm @slow_dot_product attributes {a_col = 1, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = bf16, m = 8, n = 16, k = 8, a_row = 8, b_row = 32, c_row = 16, vnni = 2, b_padded} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
}

// -----

module attributes {kgen.target = "x86-64-v3"} {
  // Without the instruction both halves of a pair are widened.
  // CHECK-LABEL: func.func private @widened
  // CHECK-NOT:     kgen.dot
  // CHECK:           %[[PAIR:.*]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK:           arith.shli %[[PAIR]]
  // CHECK:           arith.andi %[[PAIR]]
  // CHECK-COUNT-2:   llvm.intr.fmuladd
  ukernel.gemm @widened attributes {a_col = 1, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = bf16, m = 8, n = 8, k = 8, a_row = 8, b_row = 16, c_row = 8, vnni = 2, b_padded} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // Both rows of a pair are kept for other kernels, in whole vectors; the tile starts from the sums that it is given.
  // CHECK-LABEL: func.func private @kept
  // CHECK-SAME:    %[[WIDE:[a-z0-9]+]]: !llvm.ptr, %[[SUMS:[a-z0-9]+]]: !llvm.ptr)
  // CHECK:           llvm.load %[[SUMS]] {{.*}} -> vector<8xf32>
  // CHECK:           %[[PAIR:.*]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK:           %[[LOW:.*]] = arith.shli %[[PAIR]]
  // CHECK:           %[[VALUE:.*]] = llvm.bitcast %[[LOW]]
  // CHECK:           llvm.store %[[VALUE]], %{{.*}} : vector<8xf32>
  // CHECK:           arith.andi
  // CHECK:           llvm.store %{{.*}} : vector<8xf32>
  ukernel.gemm @kept attributes {a_col = 1, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, b_type = bf16, m = 1, n = 8, k = 8, a_row = 8, b_row = 16, c_row = 8, vnni = 2, b_padded, b_upconverted_row = 8, sums_row = 8, strict_order} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // CHECK-LABEL: func.func private @in_place
  // CHECK:           llvm.load {{.*}} -> vector<8xi16>
  // CHECK:           arith.extui {{.*}} : vector<8xi16> to vector<8xi32>
  // CHECK:           arith.shli
  // CHECK:           llvm.intr.fmuladd
  ukernel.gemm @in_place attributes {a_col = 1, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = bf16, m = 8, n = 8, k = 8, a_row = 8, b_row = 8, c_row = 8} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // CHECK-LABEL: func.func private @integers
  // CHECK:           arith.muli {{.*}} : vector<8xi32>
  // CHECK:           arith.addi {{.*}} : vector<8xi32>
  ukernel.gemm @integers attributes {a_col = 1, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = i32, m = 8, n = 8, k = 8, a_row = 8, b_row = 8, c_row = 8} {
  ^bb0(%acc: i32):
    ukernel.yield %acc : i32
  }

  // Several products: a loop around the one over k, which carries the same sums.
  // CHECK-LABEL: func.func private @products
  // CHECK:         scf.for
  // CHECK:           llvm.getelementptr {{.*}}, f32
  // CHECK:           scf.for
  // CHECK:             llvm.intr.fmuladd
  // CHECK:         llvm.store
  ukernel.gemm @products attributes {a_col = 1, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, m = 8, n = 8, k = 8, a_row = 8, b_row = 8, c_row = 8, batch = 3, a_batch = 100, b_batch = 77} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // Dot products: vectors along k, the last one masked. In the end two become one until their sums are next to each other.
  // CHECK-LABEL: func.func private @dot_products
  // CHECK:         scf.for
  // CHECK-COUNT-4:   llvm.intr.fmuladd({{.*}} -> vector<8xf32>
  // CHECK:         llvm.intr.masked.load {{.*}} -> vector<8xf32>
  // CHECK:         vector.shuffle {{.*}} [0, 1, 2, 3, 8, 9, 10, 11] : vector<8xf32>
  // CHECK:         vector.shuffle {{.*}} [0, 1, 4, 5] : vector<8xf32>
  // CHECK:         vector.shuffle {{.*}} [0, 2] : vector<4xf32>
  // CHECK:         llvm.store {{.*}} : vector<2xf32>
  ukernel.gemm @dot_products attributes {a_col = 1, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, m = 2, n = 2, k = 67, a_row = 67, b_row = 1, b_col = 80, c_row = 2} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // What dot products read next is asked for, 16 KiB ahead, or rather at the next call's begin after that.
  // CHECK-LABEL: func.func private @dot_products_from_memory
  // CHECK:         scf.for
  // CHECK:           %[[AHEAD:.*]] = llvm.getelementptr %{{.*}}[4160]
  // CHECK:           "llvm.intr.prefetch"(%[[AHEAD]]) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
  // CHECK-COUNT-3:   "llvm.intr.prefetch"
  // CHECK-NOT:       llvm.intr.prefetch
  // CHECK:         return
  ukernel.gemm @dot_products_from_memory attributes {a_col = 1, b_prefetch = 0, b_streams = 1, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, m = 1, n = 2, k = 64, a_row = 64, b_row = 1, b_col = 80, c_row = 2} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // Lines that will be written are asked for, if there is time for them to come.
  // CHECK-LABEL: func.func private @asks_for_c
  // CHECK-NOT:     "llvm.intr.prefetch"
  // CHECK:         scf.for
  // CHECK-COUNT-2:   "llvm.intr.prefetch"
  // CHECK-NOT:     "llvm.intr.prefetch"
  // CHECK:         scf.for
  ukernel.gemm @asks_for_c attributes {a_col = 1, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, m = 2, n = 24, k = 64, a_row = 64, b_row = 24, c_row = 24} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // CHECK-LABEL: func.func private @short
  // CHECK-NOT:     "llvm.intr.prefetch"
  // CHECK:         return
  ukernel.gemm @short attributes {a_col = 1, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, m = 2, n = 24, k = 63, a_row = 63, b_row = 24, c_row = 24} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }

  // So are those that it is added to: they are read when the sums are there. A short kernel starts from them.
  // CHECK-LABEL: func.func private @adds_c
  // CHECK-NOT:     llvm.load
  // CHECK:         scf.for
  // CHECK-COUNT-2:   "llvm.intr.prefetch"
  // CHECK:         scf.for
  // CHECK:         scf.yield
  // CHECK-COUNT-6: arith.addf
  // CHECK-COUNT-6: llvm.load {{.*}} -> vector<8xf32>
  // CHECK:         llvm.store
  // CHECK-LABEL: func.func private @starts_from_c
  // CHECK-NOT:     "llvm.intr.prefetch"
  // CHECK-COUNT-6: llvm.load {{.*}} -> vector<8xf32>
  // CHECK:         scf.for
  ukernel.gemm @adds_c attributes {a_col = 1, accumulate, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, m = 2, n = 24, k = 64, a_row = 64, b_row = 24, c_row = 24} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
  ukernel.gemm @starts_from_c attributes {a_col = 1, accumulate, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, m = 2, n = 24, k = 63, a_row = 63, b_row = 24, c_row = 24} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
}

// -----

module {
  // Sums in f16: 32 to a vector, of which 20 are in the tile. They become f32 after the loop, and then C is added.
  // CHECK-LABEL: func.func private @half
  // CHECK:         scf.for
  // CHECK:           llvm.load {{.*}} -> vector<32xf16>
  // CHECK:           llvm.intr.fmuladd({{.*}}) : (vector<32xf16>, vector<32xf16>, vector<32xf16>) -> vector<32xf16>
  // CHECK:           scf.yield
  // CHECK:         vector.extract_strided_slice {{.*}} : vector<32xf16> to vector<16xf16>
  // CHECK:         arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
  // CHECK:         vector.extract_strided_slice {{.*}} : vector<32xf16> to vector<4xf16>
  // CHECK:         arith.addf {{.*}} : vector<16xf32>
  // CHECK:         llvm.store {{.*}} : vector<16xf32>
  // CHECK:         llvm.store {{.*}} : vector<4xf32>
  ukernel.gemm @half attributes {a_col = 1, b_prefetch = 0, epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f16, m = 8, n = 20, k = 9, a_row = 9, b_row = 32, c_row = 20, b_padded, accumulate, f16_accumulate} {
  ^bb0(%acc: f32):
    ukernel.yield %acc : f32
  }
}
