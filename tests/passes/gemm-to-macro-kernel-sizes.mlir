// Rows whose number is known at run time: whole register tiles, and once kernels for as many rows as remain. Their sums are chains.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-gemm-to-macro-kernel --canonicalize --cse --mlir-print-local-scope --split-input-file | FileCheck "%s"

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: index
// CHECK:         scf.for %{{.*}} = %c0 to %c64 step %c16
// CHECK:           %[[LEFT:.*]] = arith.remui %[[M]], %c6
// CHECK:           arith.cmpi eq, %[[LEFT]], %c5
// CHECK:           %[[LAST:.*]] = arith.select
// CHECK:           %[[WHOLE:.*]] = arith.subi %[[M]], %[[LAST]]
// CHECK:           %[[TILES:.*]] = arith.select %{{.*}}, %c0, %{{.*}}
// CHECK:           scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c6
// CHECK:             ukernel.call @uk_gemm_f32_6x16x32
// CHECK:           scf.for %{{.*}} = %c0 to %[[TILES]] step %c1
// CHECK:             scf.index_switch
// CHECK:             case 1 {
// CHECK:               ukernel.call @uk_gemm_f32_1x16x32
// CHECK:             case 5 {
// CHECK:               ukernel.call @uk_gemm_f32_5x16x32
// CHECK-NOT:         case
// CHECK:             default {
// CHECK-NEXT:        }
func.func @rows(%m: index {kgen.size = #kgen.size<"m", min = 0, max = 128, multiple = 1>},
    %a: memref<?x32xf32> {kgen.shape = affine_map<()[s0] -> (s0, 32)>}, %b: memref<4x32x16xf32>,
    %c: memref<?x64xf32> {kgen.shape = affine_map<()[s0] -> (s0, 64)>}) {
  tpp.gemm ins(%a, %b : memref<?x32xf32>, memref<4x32x16xf32>) outs(%c : memref<?x64xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  }
  return
}

// -----

// Multiples of four leave two or four rows of tiles of six, which are balanced with the last whole one, as two of four or five; or four in all.
// CHECK-LABEL: func.func @multiple(
// CHECK:         scf.index_switch
// CHECK-NEXT:    case 4 {
// CHECK:         case 5 {
// CHECK-NOT:     case
func.func @multiple(%m: index {kgen.size = #kgen.size<"m", min = 4, max = 128, multiple = 4>},
    %a: memref<?x32xf32> {kgen.shape = affine_map<()[s0] -> (s0, 32)>}, %b: memref<4x32x16xf32>,
    %c: memref<?x64xf32> {kgen.shape = affine_map<()[s0] -> (s0, 64)>}) {
  tpp.gemm ins(%a, %b : memref<?x32xf32>, memref<4x32x16xf32>) outs(%c : memref<?x64xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  }
  return
}

// -----

// More rows than a block has: each block has as many as are left, at most the block's.
// CHECK-LABEL: func.func @blocks(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: index
// CHECK:         scf.for %[[I:.*]] = %c0 to %[[M]] step %[[BLOCK:c[0-9]+]]
// CHECK:           %[[LEFT:.*]] = arith.subi %[[M]], %[[I]]
// CHECK:           arith.minui %[[LEFT]], %[[BLOCK]]
func.func @blocks(%m: index {kgen.size = #kgen.size<"m", min = 1, max = 4096, multiple = 1>},
    %a: memref<?x32xf32> {kgen.shape = affine_map<()[s0] -> (s0, 32)>}, %b: memref<4x32x16xf32>,
    %c: memref<?x64xf32> {kgen.shape = affine_map<()[s0] -> (s0, 64)>}) {
  tpp.gemm ins(%a, %b : memref<?x32xf32>, memref<4x32x16xf32>) outs(%c : memref<?x64xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  }
  return
}

// -----

// A batch that continues the rows of all operands: its size times the rows of each is the number of rows.
// CHECK-LABEL: func.func @merged(
// CHECK-SAME:    %[[B:[a-z0-9]+]]: index
// CHECK:         %[[ALL:.*]] = arith.muli %[[B]], %c12
// CHECK:         scf.for %{{.*}} = %c0 to %[[ALL]] step %c6
// CHECK-NOT:     scf.index_switch
func.func @merged(%batch: index {kgen.size = #kgen.size<"batch", min = 1, max = 8, multiple = 1>},
    %a: memref<?x12x32xf32> {kgen.shape = affine_map<()[s0] -> (s0, 12, 32)>}, %b: memref<4x32x16xf32>,
    %c: memref<?x12x64xf32> {kgen.shape = affine_map<()[s0] -> (s0, 12, 64)>}) {
  tpp.gemm ins(%a, %b : memref<?x12x32xf32>, memref<4x32x16xf32>) outs(%c : memref<?x12x64xf32>)
      attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  }
  return
}

// -----

// Another batch is a loop.
// CHECK-LABEL: func.func @batch(
// CHECK-SAME:    %[[B:[a-z0-9]+]]: index
// CHECK:         scf.for %{{.*}} = %c0 to %[[B]] step %c1
func.func @batch(%batch: index {kgen.size = #kgen.size<"batch", min = 1, max = 8, multiple = 1>},
    %a: memref<?x12x32xf32> {kgen.shape = affine_map<()[s0] -> (s0, 12, 32)>},
    %b: memref<?x32x16xf32> {kgen.shape = affine_map<()[s0] -> (s0, 32, 16)>},
    %c: memref<?x12x16xf32> {kgen.shape = affine_map<()[s0] -> (s0, 12, 16)>}) {
  tpp.gemm ins(%a, %b : memref<?x12x32xf32>, memref<?x32x16xf32>) outs(%c : memref<?x12x16xf32>)
      attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (b, k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  }
  return
}

// -----

// A B that no cache keeps: all tiles of a panel prefetch the next one, an equal share each, from its first element to its end. What remains of
// more than three rows does, too; if it is all rows, it prefetches its own panel, 8 KiB ahead.
// CHECK-LABEL: func.func @prefetches(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: index
// CHECK:         %[[FEW:.*]] = arith.cmpi ult, %[[M]], %c6
// CHECK:         scf.for
// CHECK:           %[[NUMBER:.*]] = arith.ceildivui %[[M]], %c6
// CHECK:           %[[SHARE:.*]] = arith.ceildivui %c16384, %[[NUMBER]]
// CHECK:           ukernel.call @uk_gemm_f32_6x16x1024_pf
// CHECK:           arith.select %[[FEW]]
// CHECK:         scf.for
// CHECK:           scf.index_switch
// CHECK:           case 3 {
// CHECK:             ukernel.call @uk_gemm_f32_3x16x1024_1s
// CHECK:           case 4 {
// CHECK:             ukernel.call @uk_gemm_f32_4x16x1024_pf
func.func @prefetches(%m: index {kgen.size = #kgen.size<"m", min = 1, max = 128, multiple = 1>},
    %a: memref<?x1024xf32> {kgen.shape = affine_map<()[s0] -> (s0, 1024)>}, %b: memref<64x1024x16xf32>,
    %c: memref<?x1024xf32> {kgen.shape = affine_map<()[s0] -> (s0, 1024)>}) {
  tpp.gemm ins(%a, %b : memref<?x1024xf32>, memref<64x1024x16xf32>) outs(%c : memref<?x1024xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  }
  return
}

// -----

// Rows of images are a distance apart that is known at run time: each row of taps has kernels of its own.
// CHECK-LABEL: func.func @window(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: index
// CHECK:         %{{.*}}, %{{.*}}, %{{.*}}:2, %[[ROWS:.*]]:2 = memref.extract_strided_metadata %{{.*}} : memref<7x?xf32>
// CHECK:         ukernel.call @uk_gemm_f32_6x16x24(
// CHECK:         ukernel.call @uk_gemm_f32_6x16x24_acc(
// CHECK:         arith.muli %[[ROWS]]#0, %c2
// CHECK:         ukernel.call @uk_gemm_f32_6x16x24_acc(
func.func @window(%w: index {kgen.size = #kgen.size<"w", min = 6, max = 60, multiple = 6>},
    %a: memref<7x?xf32> {kgen.shape = affine_map<()[s0] -> (7, s0 * 8 + 16)>}, %b: memref<3x1x24x16xf32>,
    %c: memref<5x?x16xf32> {kgen.shape = affine_map<()[s0] -> (5, s0, 16)>}) {
  tpp.brgemm ins(%a, %b : memref<7x?xf32>, memref<3x1x24x16xf32>) outs(%c : memref<5x?x16xf32>)
      attributes {a_map = affine_map<(y, x, o, r, k) -> (y + r, x * 8 + k)>, b_map = affine_map<(y, x, o, r, k) -> (r, k, o)>,
      epilogue_maps = [], panel = 16, reduction_sizes = array<i64: 3, 24>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  }
  return
}
