// RUN: kgen-opt "%s" --kgen-target=%S/targets/small-tiles.yaml --kgen-gemm-to-macro-kernel --canonicalize --cse --split-input-file | FileCheck "%s"

// Blocks of k: the first starts from zero, the middle ones accumulate, and only the last one runs the epilogue.
module {
  // CHECK-LABEL: func.func @depth
  // CHECK:         ukernel.call @uk_gemm_f32_4x16x8(%{{.*}}, %{{.*}}, %{{[^,]*}}) :
  // CHECK:         scf.for
  // CHECK:           ukernel.call @uk_gemm_f32_4x16x8_acc(%{{.*}}, %{{.*}}, %{{[^,]*}}) :
  // CHECK:         }
  // CHECK:         ukernel.call @uk_gemm_f32_4x16x8_acc_1e(%{{.*}}, %{{.*}}, %{{.*}}, %{{[^,]*}}) :
  // CHECK-NOT:     ukernel.call
  // CHECK-NOT:     tpp.gemm
  func.func @depth(%a: memref<4x32xf32>, %b: memref<32x16xf32>, %c: memref<4x16xf32>, %x: memref<16xf32>) {
    tpp.gemm ins(%a, %b : memref<4x32xf32>, memref<32x16xf32>) epilogue_ins(%x : memref<16xf32>) outs(%c : memref<4x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n) -> (n)>]} {
    ^bb0(%acc: f32, %y: f32):
      %s = arith.addf %acc, %y : f32
      tpp.yield %s : f32
    }
    return
  }
}

// -----

// C of another type cannot keep sums between blocks of k: there is one block.
module {
  // CHECK-LABEL: func.func @other_type
  // CHECK:         ukernel.call @uk_gemm_f32_i32_4x16x32_1e(%{{.*}}, %{{.*}}, %{{[^,]*}}) :
  // CHECK-NOT:     ukernel.call
  // CHECK-NOT:     tpp.gemm
  func.func @other_type(%a: memref<4x32xf32>, %b: memref<32x16xf32>, %c: memref<4x16xi32>) {
    tpp.gemm ins(%a, %b : memref<4x32xf32>, memref<32x16xf32>) outs(%c : memref<4x16xi32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      %i = arith.fptosi %acc : f32 to i32
      tpp.yield %i : i32
    }
    return
  }
}

// -----

// A gemm that accumulates does so from the first block on. Half a block more is not worth one of its own.
module {
  // CHECK-LABEL: func.func @accumulating
  // CHECK:         ukernel.call @uk_gemm_f32_4x16x11_acc(
  // CHECK-NOT:     ukernel.call
  func.func @accumulating(%a: memref<4x11xf32>, %b: memref<11x16xf32>, %c: memref<4x16xf32>) {
    tpp.gemm ins(%a, %b : memref<4x11xf32>, memref<11x16xf32>) outs(%c : memref<4x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], accumulate} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Seven rows are balanced as four and three, never as four, two and one; six are one tile, for which there are registers.
module {
  // CHECK-LABEL: func.func @seven_rows
  // CHECK-DAG:     ukernel.call @uk_gemm_f32_4x16x8(
  // CHECK-DAG:     ukernel.call @uk_gemm_f32_3x16x8(
  func.func @seven_rows(%a: memref<7x8xf32>, %b: memref<8x16xf32>, %c: memref<7x16xf32>) {
    tpp.gemm ins(%a, %b : memref<7x8xf32>, memref<8x16xf32>) outs(%c : memref<7x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }

  // CHECK-LABEL: func.func @six_rows
  // CHECK-NOT:     scf.for
  // CHECK:         ukernel.call @uk_gemm_f32_6x16x8(
  // CHECK-NOT:     ukernel.call
  func.func @six_rows(%a: memref<6x8xf32>, %b: memref<8x16xf32>, %c: memref<6x16xf32>) {
    tpp.gemm ins(%a, %b : memref<6x8xf32>, memref<8x16xf32>) outs(%c : memref<6x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// The remaining columns get a tile of their own width, which may be taller: both have eight accumulators.
module {
  // CHECK-LABEL: func.func @columns
  // CHECK:         ukernel.call @uk_gemm_f32_4x16x8(
  // CHECK:         ukernel.call @uk_gemm_f32_8x5x8(
  func.func @columns(%a: memref<8x8xf32>, %b: memref<8x21xf32>, %c: memref<8x21xf32>) {
    tpp.gemm ins(%a, %b : memref<8x8xf32>, memref<8x21xf32>) outs(%c : memref<8x21xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// A batch that continues the rows of A, C and the epilogue operands, and that B does not have, is merged into the rows.
module {
  // CHECK-LABEL: func.func @merged
  // CHECK:         ukernel.call @uk_gemm_f32_4x16x8_1e(
  // CHECK-NOT:     ukernel.call
  func.func @merged(%a: memref<8x1x8xf32>, %b: memref<8x16xf32>, %c: memref<8x1x16xf32>, %x: memref<16xf32>) {
    tpp.gemm ins(%a, %b : memref<8x1x8xf32>, memref<8x16xf32>) epilogue_ins(%x : memref<16xf32>) outs(%c : memref<8x1x16xf32>)
        attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(b, m, n) -> (n)>]} {
    ^bb0(%acc: f32, %y: f32):
      %s = arith.addf %acc, %y : f32
      tpp.yield %s : f32
    }
    return
  }

  // Not merged: B has the batch too.
  // CHECK-LABEL: func.func @batch_of_b
  // CHECK:         scf.for
  // CHECK:           ukernel.call @uk_gemm_f32_1x16x8(
  func.func @batch_of_b(%a: memref<8x1x8xf32>, %b: memref<8x8x16xf32>, %c: memref<8x1x16xf32>) {
    tpp.gemm ins(%a, %b : memref<8x1x8xf32>, memref<8x8x16xf32>) outs(%c : memref<8x1x16xf32>)
        attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (b, k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }

  // Not merged: a bias by row begins anew with each batch.
  // CHECK-LABEL: func.func @rows_of_epilogue_operand
  // CHECK:         scf.for
  // CHECK:           ukernel.call @uk_gemm_f32_2x16x8_1e(
  func.func @rows_of_epilogue_operand(%a: memref<8x2x8xf32>, %b: memref<8x16xf32>, %c: memref<8x2x16xf32>, %x: memref<2xf32>) {
    tpp.gemm ins(%a, %b : memref<8x2x8xf32>, memref<8x16xf32>) epilogue_ins(%x : memref<2xf32>) outs(%c : memref<8x2x16xf32>)
        attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(b, m, n) -> (m)>]} {
    ^bb0(%acc: f32, %y: f32):
      %s = arith.addf %acc, %y : f32
      tpp.yield %s : f32
    }
    return
  }

  // Not merged, because there is a gap between the batches of A: a tile has those of two of them, as runs of rows.
  // CHECK-LABEL: func.func @gap
  // CHECK:         scf.for
  // CHECK:           ukernel.call @uk_gemm_f32_4x16x8(
  func.func @gap(%a: memref<8x2x8xf32, strided<[32, 8, 1]>>, %b: memref<8x16xf32>, %c: memref<8x2x16xf32>) {
    tpp.gemm ins(%a, %b : memref<8x2x8xf32, strided<[32, 8, 1]>>, memref<8x16xf32>) outs(%c : memref<8x2x16xf32>)
        attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// One descriptor for each distinct kernel. Kernels that differ in epilogue or strides only are numbered.
// CHECK-COUNT-3: ukernel.gemm @
// CHECK-NOT:     ukernel.gemm @
module {
  // CHECK-LABEL: func.func @same
  // CHECK:         ukernel.call @uk_gemm_f32_4x16x8_1e(
  // CHECK:         ukernel.call @uk_gemm_f32_4x16x8_1e(
  // CHECK:         ukernel.call @uk_gemm_f32_4x16x8_1e_1(
  // CHECK:         ukernel.call @uk_gemm_f32_4x16x8_1e_2(
  func.func @same(%a: memref<4x8xf32>, %b: memref<8x16xf32>, %c: memref<4x16xf32>, %x: memref<16xf32>, %a2: memref<4x8xf32, strided<[9, 1]>>) {
    tpp.gemm ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) epilogue_ins(%x : memref<16xf32>) outs(%c : memref<4x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n) -> (n)>]} {
    ^bb0(%acc: f32, %y: f32):
      %s = arith.addf %acc, %y : f32
      tpp.yield %s : f32
    }
    tpp.gemm ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) epilogue_ins(%x : memref<16xf32>) outs(%c : memref<4x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n) -> (n)>]} {
    ^bb0(%acc: f32, %y: f32):
      %s = arith.addf %acc, %y : f32
      tpp.yield %s : f32
    }
    tpp.gemm ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) epilogue_ins(%x : memref<16xf32>) outs(%c : memref<4x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n) -> (n)>]} {
    ^bb0(%acc: f32, %y: f32):
      %s = arith.subf %acc, %y : f32
      tpp.yield %s : f32
    }
    tpp.gemm ins(%a2, %b : memref<4x8xf32, strided<[9, 1]>>, memref<8x16xf32>) epilogue_ins(%x : memref<16xf32>) outs(%c : memref<4x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n) -> (n)>]} {
    ^bb0(%acc: f32, %y: f32):
      %s = arith.addf %acc, %y : f32
      tpp.yield %s : f32
    }
    return
  }
}

// -----

// B in panels is padded and its rows are a panel apart; the second panel begins 8 * 16 elements after the first.
// CHECK:         ukernel.gemm {{.*}} b_padded, b_prefetch = 0 : i64, b_row = 16 : i64
module {
  // CHECK-LABEL: func.func @panels
  // CHECK:         memref.reinterpret_cast %{{.*}} to offset: [128], sizes: [8, 11], strides: [16, 1] : memref<2x8x16xf32>
  func.func @panels(%a: memref<4x8xf32>, %b: memref<2x8x16xf32>, %c: memref<4x27xf32>) {
    tpp.gemm ins(%a, %b : memref<4x8xf32>, memref<2x8x16xf32>) outs(%c : memref<4x27xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// One tile has all rows, and B is larger than a quarter of the second-level cache: each panel is read once, with prefetches, and all of
// k at once: as two access streams for one row, as one where a stream would have fewer than 64 rows of B, and as one for more rows.
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_1x16x120_1s {{.*}} b_streams = 1 : i64
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_1x16x256_2s {{.*}} b_streams = 2 : i64
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_2x16x256_1s {{.*}} b_streams = 1 : i64
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_1x16x20 attributes
// A made-up target: an L2 of 1 KiB and register tiles of 6 x 16 and cache blocks of 8 x 8.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell",
    vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 1024,
    gemm_tiles = {gemm_f32 = {mr = 6 : i64, nr = 16 : i64, mc = 8 : i64, kc = 8 : i64}}>} {
  // CHECK-LABEL: func.func @streams
  // CHECK:         ukernel.call @uk_gemm_f32_1x16x256_2s(%{{.*}}, %{{.*}}, %{{[a-z0-9_]*}})
  func.func @streams(%a: memref<1x256xf32>, %b: memref<2x256x16xf32>, %c: memref<1x32xf32>) {
    tpp.gemm ins(%a, %b : memref<1x256xf32>, memref<2x256x16xf32>) outs(%c : memref<1x32xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
  func.func @fewer(%a: memref<1x120xf32>, %b: memref<2x120x16xf32>, %c: memref<1x32xf32>) {
    tpp.gemm ins(%a, %b : memref<1x120xf32>, memref<2x120x16xf32>) outs(%c : memref<1x32xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
  func.func @more_rows(%a: memref<2x256xf32>, %b: memref<300x256x16xf32>, %c: memref<2x4800xf32>) {
    tpp.gemm ins(%a, %b : memref<2x256xf32>, memref<300x256x16xf32>) outs(%c : memref<2x4800xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
  func.func @none(%a: memref<1x20xf32>, %b: memref<1x20x16xf32>, %c: memref<1x16xf32>) {
    tpp.gemm ins(%a, %b : memref<1x20xf32>, memref<1x20x16xf32>) outs(%c : memref<1x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Few rows of A take some rows of a large unpacked B at a time, and prefetch the same columns of the next ones. With more rows of A they
// are more rows of B, more than a quarter of the second-level cache: the columns after the next ones are prefetched. A B whose rows are
// as long as a tile is one access stream.
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_1x32x8_pf {{.*}} b_prefetch = 8192 : i64, b_prefetch_rows
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_4x24x16_pf {{.*}} b_prefetch = 19200 : i64, b_prefetch_rows
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_1x40x4096 attributes
// A made-up target: an L2 of 256 KiB and register tiles of 6 x 16 and cache blocks of 72 x 256.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell",
    vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 262144,
    gemm_tiles = {gemm_f32 = {mr = 6 : i64, nr = 16 : i64, mc = 72 : i64, kc = 256 : i64}}>} {
  // CHECK-LABEL: func.func @next_rows
  // CHECK:         scf.for %[[K:.*]] =
  // CHECK:           %[[NEXT:.*]] = arith.addi %[[K]], %{{.*}}
  // CHECK:           ukernel.call @uk_gemm_f32_1x32x8
  func.func @next_rows(%a: memref<1x1024xf32>, %b: memref<1024x1024xf32>, %c: memref<1x1024xf32>) {
    tpp.gemm ins(%a, %b : memref<1x1024xf32>, memref<1024x1024xf32>) outs(%c : memref<1x1024xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
  // CHECK-LABEL: func.func @next_columns
  // CHECK:         arith.select
  // CHECK:         ukernel.call @uk_gemm_f32_4x24x16
  func.func @next_columns(%a: memref<4x256xf32>, %b: memref<256x1200xf32>, %c: memref<4x1200xf32>) {
    tpp.gemm ins(%a, %b : memref<4x256xf32>, memref<256x1200xf32>) outs(%c : memref<4x1200xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
  // CHECK-LABEL: func.func @one_tile
  // CHECK:         ukernel.call @uk_gemm_f32_1x40x4096(
  func.func @one_tile(%a: memref<1x4096xf32>, %b: memref<4096x40xf32>, %c: memref<1x40xf32>) {
    tpp.gemm ins(%a, %b : memref<1x4096xf32>, memref<4096x40xf32>) outs(%c : memref<1x40xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// With more columns than a panel, and B larger than a quarter of the second-level cache, the tiles of a panel prefetch the next one, each its share: half of 8 * 16 elements, from
// where the panel after this one begins, and 16 elements further on for each row of A.
// CHECK:         ukernel.gemm @uk_gemm_f32_4x16x8_pf {{.*}} b_prefetch = 64 : i64
// A made-up target: an L2 of 1 KiB and register tiles of 4 x 16 and cache blocks of 8 x 8.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell",
    vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 1024,
    gemm_tiles = {gemm_f32 = {mr = 4 : i64, nr = 16 : i64, mc = 8 : i64, kc = 8 : i64}}>} {
  // CHECK-LABEL: func.func @prefetch
  // CHECK:         scf.for %[[COLUMN:.*]] =
  // CHECK:           scf.for %[[I:.*]] =
  // CHECK:             %[[SOON:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [1, 1], strides: [1, 1] : memref<2x8x16xf32>
  // CHECK:             ukernel.call @uk_gemm_f32_4x16x8_pf(%{{.*}}, %{{.*}}, %{{.*}}, %[[SOON]])
  // CHECK-NOT:       ukernel.call
  // CHECK:         }
  func.func @prefetch(%a: memref<8x8xf32>, %b: memref<2x8x16xf32>, %c: memref<8x32xf32>) {
    tpp.gemm ins(%a, %b : memref<8x8xf32>, memref<2x8x16xf32>) outs(%c : memref<8x32xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// The last panel of a block of k prefetches the first one of the next block, and that of the last block what comes after B: in a task,
// the next task begins there.
// A made-up target: an L2 of 1 KiB and register tiles of 4 x 16 and cache blocks of 8 x 8.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell",
    vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 1024,
    gemm_tiles = {gemm_f32 = {mr = 4 : i64, nr = 16 : i64, mc = 8 : i64, kc = 8 : i64}}>} {
  // CHECK-LABEL: func.func @prefetch_block
  // CHECK-DAG:     %[[NONE:.*]] = arith.constant 0 : index
  // CHECK-DAG:     %[[DEPTH:.*]] = arith.constant 8 : index
  // CHECK-DAG:     %[[PANEL:.*]] = arith.constant 16 : index
  // CHECK-DAG:     %[[COLUMNS:.*]] = arith.constant 32 : index
  // CHECK:         scf.for %[[COLUMN:.*]] =
  // CHECK:           %[[NEXT:.*]] = arith.addi %[[COLUMN]], %[[PANEL]]
  // CHECK:           %[[LAST:.*]] = arith.cmpi uge, %[[NEXT]], %[[COLUMNS]]
  // CHECK-DAG:       arith.select %[[LAST]], %[[NONE]], %[[NEXT]]
  // CHECK-DAG:       arith.select %[[LAST]], %[[DEPTH]], %[[NONE]]
  // CHECK:           ukernel.call @uk_gemm_f32_4x16x8_pf(
  // CHECK:         scf.for %[[COLUMN:.*]] =
  // CHECK:           %[[NEXT:.*]] = arith.addi %[[COLUMN]], %[[PANEL]]
  // CHECK:           %[[LAST:.*]] = arith.cmpi uge, %[[NEXT]], %[[COLUMNS]]
  // CHECK:           arith.select %[[LAST]], %[[NONE]], %[[DEPTH]]
  // CHECK-NOT:       arith.select
  // CHECK:           ukernel.call @uk_gemm_f32_4x16x8_acc_pf(
  func.func @prefetch_block(%a: memref<8x16xf32>, %b: memref<2x16x16xf32>, %c: memref<8x32xf32>) {
    tpp.gemm ins(%a, %b : memref<8x16xf32>, memref<2x16x16xf32>) outs(%c : memref<8x32xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Rows of an A larger than the second-level cache: each of two panels prefetches its half of the next block of rows, four elements
// with each row.
// CHECK:         ukernel.gemm @uk_gemm_f32_4x16x8_pf {{.*}} b_prefetch = 16 : i64
// A made-up target: an L2 of 4 KiB and register tiles of 4 x 16 and cache blocks of 8 x 8.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell",
    vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 4096,
    gemm_tiles = {gemm_f32 = {mr = 4 : i64, nr = 16 : i64, mc = 8 : i64, kc = 8 : i64}}>} {
  // CHECK-LABEL: func.func @prefetch_rows
  // CHECK-SAME:    %[[A:.*]]: memref<256x8xf32>
  // CHECK-DAG:     %[[BLOCK:.*]] = arith.constant 8 : index
  // CHECK:         scf.for %[[ROW:.*]] =
  // CHECK:           scf.for %[[COLUMN:.*]] =
  // CHECK:             arith.addi %[[ROW]], %[[BLOCK]]
  // CHECK:             scf.for
  // CHECK:               %[[SOON:.*]] = memref.reinterpret_cast %[[A]] to offset: [%{{.*}}], sizes: [1, 1], strides: [1, 1]
  // CHECK:               ukernel.call @uk_gemm_f32_4x16x8_pf(%{{.*}}, %{{.*}}, %{{.*}}, %[[SOON]])
  func.func @prefetch_rows(%a: memref<256x8xf32>, %b: memref<2x8x16xf32>, %c: memref<256x32xf32>) {
    tpp.gemm ins(%a, %b : memref<256x8xf32>, memref<2x8x16xf32>) outs(%c : memref<256x32xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Nothing is computed for no rows. Other operations stay.
module {
  // CHECK-LABEL: func.func @empty
  // CHECK-NOT:     ukernel.call
  // CHECK:         return
  func.func @empty(%a: memref<0x8xf32>, %b: memref<8x16xf32>, %c: memref<0x16xf32>) {
    tpp.gemm ins(%a, %b : memref<0x8xf32>, memref<8x16xf32>) outs(%c : memref<0x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }

  // CHECK-LABEL: func.func @kept
  // CHECK:         linalg.matmul
  func.func @kept(%a: memref<4x8xf32>, %b: memref<8x16xf32>, %c: memref<4x16xf32>) {
    linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) outs(%c : memref<4x16xf32>)
    return
  }
}

// -----

// All products are one micro-kernel's, whatever lies between them, unless they are deeper together than a block of k and a half.
// CHECK:         ukernel.gemm @uk_brgemm_f32_4x16x3x32_1e attributes {a_batch = 512 : i64, a_col = 1 : i64, a_row = 40 : i64, b_batch = 1000 : i64
// CHECK-SAME:      b_row = 16 : i64, batch = 3 : i64
// CHECK-SAME:      k = 32 : i64, m = 4 : i64, n = 16 : i64
module attributes {kgen.target = "x86-64-v3"} {
  // CHECK-LABEL: func.func @products
  // CHECK:         scf.for
  // CHECK-NOT:       scf.for
  // CHECK:           ukernel.call @uk_brgemm_f32_4x16x3x32_1e(
  // CHECK-NOT:     ukernel.call
  func.func @products(%a: memref<3x8x32xf32, strided<[512, 40, 1]>>, %b: memref<3x32x16xf32, strided<[1000, 16, 1]>>, %c: memref<8x16xf32>) {
    tpp.brgemm ins(%a, %b : memref<3x8x32xf32, strided<[512, 40, 1]>>, memref<3x32x16xf32, strided<[1000, 16, 1]>>) outs(%c : memref<8x16xf32>)
        attributes {a_map = affine_map<(m, n, r, k) -> (r, m, k)>, b_map = affine_map<(m, n, r, k) -> (r, k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      %s = arith.negf %acc : f32
      tpp.yield %s : f32
    }
    return
  }
}

// -----

// Pairs of k: rows of B's panels are two times as wide and half as many. The second panel of product r begins 4 * 32 elements
// after the first one; products are 2 * 4 * 32 apart.
// CHECK:         ukernel.gemm @uk_brgemm_bf16_f32_4x4x3x7 attributes {a_batch = 28 : i64
// CHECK-SAME:      b_batch = 256 : i64, b_padded, b_prefetch = 0 : i64, b_row = 32 : i64
// CHECK-SAME:      vnni = 2 : i64
// CHECK:         ukernel.gemm @uk_brgemm_bf16_f32_4x16x3x7
module attributes {kgen.target = "x86-64-v3"} {
  // CHECK-LABEL: func.func @pairs
  // CHECK:         memref.reinterpret_cast %{{.*}} to offset: [128], sizes: [4, 8], strides: [32, 1] : memref<3x2x4x16x2xbf16>
  func.func @pairs(%a: memref<3x4x7xbf16>, %b: memref<3x2x4x16x2xbf16>, %c: memref<4x20xf32>) {
    tpp.brgemm ins(%a, %b : memref<3x4x7xbf16>, memref<3x2x4x16x2xbf16>) outs(%c : memref<4x20xf32>)
        attributes {a_map = affine_map<(m, n, r, k) -> (r, m, k)>, b_map = affine_map<(m, n, r, k) -> (r, k, n)>, epilogue_maps = [], panel = 16, vnni = 2} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Dot products: square tiles, all of k, columns of B that are rows of it. So is a single column. One row prefetches columns that come
// from memory.
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_1x4x100_1s attributes {{.*}}b_streams = 1 : i64
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_1x1x100 attributes {{.*}}b_row = 1 : i64
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_3x3x100 attributes {{.*}}b_col = 100 : i64, {{.*}}b_row = 1 : i64
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_1x4x100 attributes {a_col = 1 : i64, a_row = 100 : i64, b_col = 100 : i64, b_prefetch = 0 : i64, b_row = 1 : i64
module {
  // CHECK-LABEL: func.func @dot_products
  // CHECK:         scf.for
  // CHECK:           ukernel.call @uk_gemm_f32_1x4x100(
  // CHECK-NOT:     ukernel.call
  func.func @dot_products(%a: memref<1x100xf32>, %b: memref<12x100xf32>, %c: memref<1x12xf32>) {
    tpp.gemm ins(%a, %b : memref<1x100xf32>, memref<12x100xf32>) outs(%c : memref<1x12xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (n, k)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }

  // CHECK-LABEL: func.func @from_memory
  // CHECK:         ukernel.call @uk_gemm_f32_1x4x100_1s(
  func.func @from_memory(%a: memref<1x100xf32>, %b: memref<1200x100xf32>, %c: memref<1x1200xf32>) {
    tpp.gemm ins(%a, %b : memref<1x100xf32>, memref<1200x100xf32>) outs(%c : memref<1x1200xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (n, k)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }

  // Panels of one column are such columns, too: three rows of three are what the registers hold beside a row and the columns.
  // CHECK-LABEL: func.func @panels_of_columns
  // CHECK-COUNT-2: ukernel.call @uk_gemm_f32_3x3x100(
  // CHECK-NOT:     ukernel.call
  func.func @panels_of_columns(%a: memref<9x100xf32>, %b: memref<3x100x1xf32>, %c: memref<9x3xf32>) {
    tpp.gemm ins(%a, %b : memref<9x100xf32>, memref<3x100x1xf32>) outs(%c : memref<9x3xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 1 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }

  // CHECK-LABEL: func.func @dot_product
  // CHECK:         ukernel.call @uk_gemm_f32_1x1x100(
  func.func @dot_product(%a: memref<100xf32>, %b: memref<100xf32>, %c: memref<1x1xf32>) {
    tpp.gemm ins(%a, %b : memref<100xf32>, memref<100xf32>) outs(%c : memref<1x1xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (k)>, b_map = affine_map<(m, n, k) -> (k)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// CHECK:         ukernel.gemm @uk_gemm_f32_4x16x8 attributes {{.*}}strict_order
module {
  func.func @strict_order(%a: memref<4x8xf32>, %b: memref<8x16xf32>, %c: memref<4x16xf32>) {
    tpp.gemm ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) outs(%c : memref<4x16xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], strict_order} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// AMX: all rows, which the kernel takes 32 at a time. Where it cannot be used (strict order, rows of A with gaps), tiles for vectors.
// CHECK-DAG:     ukernel.gemm @uk_gemm_bf16_f32_64x32x64{{(_pf)?}} attributes
// CHECK-DAG:     ukernel.gemm @uk_gemm_bf16_f32_8x32x64{{(_pf)?}} attributes {{.*}}strict_order
// CHECK-DAG:     ukernel.gemm @uk_gemm_bf16_f32_8x32x64{{(_pf)?}}{{.*}} attributes {a_col = 64 : i64
// A made-up target: an L2 of 256 KiB.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx512f,+amx-tile,+amx-bf16", tune = "sapphirerapids",
    vector_bits = 512, vector_registers = 32, l1d = 32768, l2 = 262144, gemm_tiles = {}>} {
  func.func @tiles(%a: memref<64x64xbf16>, %b: memref<2x32x32x2xbf16>, %c: memref<64x64xf32>) {
    tpp.gemm ins(%a, %b : memref<64x64xbf16>, memref<2x32x32x2xbf16>) outs(%c : memref<64x64xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32, vnni = 2} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
  func.func @in_order(%a: memref<64x64xbf16>, %b: memref<2x32x32x2xbf16>, %c: memref<64x64xf32>) {
    tpp.gemm ins(%a, %b : memref<64x64xbf16>, memref<2x32x32x2xbf16>) outs(%c : memref<64x64xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32, vnni = 2, strict_order} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
  func.func @gaps(%a: memref<64x64xbf16>, %b: memref<2x32x32x2xbf16>, %c: memref<64x64xf32>) {
    tpp.gemm ins(%a, %b : memref<64x64xbf16>, memref<2x32x32x2xbf16>) outs(%c : memref<64x64xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (k, m)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32, vnni = 2} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// A panel of two register tiles: both are computed for the same rows of A, and the first one prefetches the next panel.
// A made-up target: an L2 of 1 KiB and register tiles of 4 x 8 and cache blocks of 8 x 8.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell",
    vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 1024,
    gemm_tiles = {gemm_f32 = {mr = 4 : i64, nr = 8 : i64, mc = 8 : i64, kc = 8 : i64}}>} {
  // CHECK-LABEL: func.func @halves
  // CHECK:         scf.for
  // CHECK:           scf.for
  // CHECK:             ukernel.call @uk_gemm_f32_4x8x8_pf(
  // CHECK:             ukernel.call @uk_gemm_f32_4x8x8(
  // CHECK:           }
  // CHECK:         }
  // The remaining columns, in whole tiles and then in narrow ones, prefetch nothing.
  // CHECK:         scf.for
  // CHECK:           ukernel.call @uk_gemm_f32_4x8x8(
  // CHECK:         }
  // CHECK:         scf.for
  // CHECK:           ukernel.call @uk_gemm_f32_4x3x8(
  // CHECK-NOT:     ukernel.call
  func.func @halves(%a: memref<8x8xf32>, %b: memref<3x8x16xf32>, %c: memref<8x43xf32>) {
    tpp.gemm ins(%a, %b : memref<8x8xf32>, memref<3x8x16xf32>) outs(%c : memref<8x43xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Where k is one block, a block of A has as many elements as one of mc x kc (64 here), in whole tiles, and two of them at least.
// A made-up target: an L2 of 256 KiB and register tiles of 4 x 16.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell",
    vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 262144,
    gemm_tiles = {gemm_f32 = {mr = 4 : i64, nr = 16 : i64}, gemm_i8 = {mr = 4 : i64, nr = 8 : i64, mc = 8 : i64, kc = 8 : i64}}>} {
  // CHECK-LABEL: func.func @deep
  // CHECK:         %[[STEP:.*]] = arith.constant 8 : index
  // CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[STEP]]
  // CHECK:           ukernel.call @uk_gemm_i8_i32_4x8x32
  func.func @deep(%a: memref<64x32xi8>, %b: memref<32x8xi8>, %c: memref<64x8xi32>) {
    tpp.gemm ins(%a, %b : memref<64x32xi8>, memref<32x8xi8>) outs(%c : memref<64x8xi32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: i32):
      tpp.yield %acc : i32
    }
    return
  }

  // CHECK-LABEL: func.func @flat
  // CHECK:         %[[STEP:.*]] = arith.constant 16 : index
  // CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[STEP]]
  // CHECK:           ukernel.call @uk_gemm_i8_i32_4x8x4
  func.func @flat(%a: memref<64x4xi8>, %b: memref<4x8xi8>, %c: memref<64x8xi32>) {
    tpp.gemm ins(%a, %b : memref<64x4xi8>, memref<4x8xi8>) outs(%c : memref<64x8xi32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: i32):
      tpp.yield %acc : i32
    }
    return
  }
}

// -----

// Rows of an unpacked B that are more than a page apart: no more of them at a time than a TLB has entries.
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_6x16x64 {{.*}} k = 64 : i64
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_6x16x64_acc {{.*}} k = 64 : i64
// CHECK-DAG:     ukernel.gemm @uk_gemm_f32_6x16x256 {{.*}} k = 256 : i64
module attributes {kgen.target = "x86-64-v3"} {
  // CHECK-LABEL: func.func @distant_rows
  // CHECK-NOT:     uk_gemm_f32_6x16x256
  // CHECK:         ukernel.call
  // CHECK-NOT:     uk_gemm_f32_6x16x256
  func.func @distant_rows(%a: memref<12x256xf32>, %b: memref<256x32xf32, strided<[1040, 1]>>, %c: memref<12x32xf32>) {
    tpp.gemm ins(%a, %b : memref<12x256xf32>, memref<256x32xf32, strided<[1040, 1]>>) outs(%c : memref<12x32xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
  // CHECK-LABEL: func.func @near_rows
  // CHECK-NOT:     uk_gemm_f32_6x16x64
  // CHECK:         return
  func.func @near_rows(%a: memref<12x256xf32>, %b: memref<256x32xf32, strided<[1024, 1]>>, %c: memref<12x32xf32>) {
    tpp.gemm ins(%a, %b : memref<12x256xf32>, memref<256x32xf32, strided<[1024, 1]>>) outs(%c : memref<12x32xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Of one column, the epilogue's operand may be strided: no other column is read.
module {
  // CHECK:         ukernel.gemm @uk_gemm_f32_4x1x8_1e {{.*}}epilogue_cols = array<i64: 0>
  // CHECK-LABEL: func.func @one_column
  // CHECK:         ukernel.call @uk_gemm_f32_4x1x8_1e(
  func.func @one_column(%a: memref<4x8xf32>, %b: memref<8x1xf32>, %c: memref<4x1xf32>, %x: memref<1xf32, strided<[2]>>) {
    tpp.gemm ins(%a, %b : memref<4x8xf32>, memref<8x1xf32>) epilogue_ins(%x : memref<1xf32, strided<[2]>>) outs(%c : memref<4x1xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n) -> (n)>]} {
    ^bb0(%acc: f32, %y: f32):
      %s = arith.addf %acc, %y : f32
      tpp.yield %s : f32
    }
    return
  }
}
