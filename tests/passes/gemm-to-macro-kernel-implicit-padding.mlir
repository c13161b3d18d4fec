// Windows that reach into implicit padding.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4 --kgen-gemm-to-macro-kernel --canonicalize --cse --split-input-file --mlir-print-local-scope | FileCheck "%s"

// Two tiles of eight pixels: the first has no first column in the first row's k, the last one no last column. The first and the
// last row of the image have a product less, in the same kernels.
// CHECK-DAG:     ukernel.gemm @[[LEFT:uk_brgemm_f32_8x32x3x96_in[_0-9]*]] attributes {{.*}}a_valid_ranges = array<i64: 0, 3, 32, 96, 0, 3, 0, 96, {{.*}}0, 3, 0, 96>
// CHECK-DAG:     ukernel.gemm @[[RIGHT:uk_brgemm_f32_8x32x3x96_in[_0-9]*]] attributes {{.*}}a_valid_ranges = array<i64: 0, 3, 0, 96, {{.*}}0, 3, 0, 64>
// CHECK-DAG:     ukernel.gemm @[[LEFT2:uk_brgemm_f32_8x32x2x96_in[_0-9]*]] attributes {{.*}}a_valid_ranges = array<i64: 0, 2, 32, 96, 0, 2, 0, 96, {{.*}}0, 2, 0, 96>
// CHECK-LABEL: func.func @image
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<1x5x512xf32>
// CHECK:         scf.for %[[Y:.*]] = %{{.*}} to %c5 step
// CHECK:           %[[ROW:.*]] = arith.addi %[[Y]], %c-1
// CHECK:           %[[TOP:.*]] = arith.cmpi slt, %[[ROW]], %c0
// CHECK:           scf.if %[[TOP]] {
// CHECK:             memref.reinterpret_cast %[[A]] to offset: [%{{.*}}], sizes: [1, 1]
// CHECK:             ukernel.call @[[LEFT2]](
// CHECK:           %[[INNER:.*]] = arith.cmpi slt, %[[ROW]], %c3
// CHECK:           scf.if %[[INNER]] {
// CHECK:             ukernel.call @[[LEFT]](
// CHECK:             ukernel.call @[[RIGHT]](
// CHECK:             ukernel.call @[[LEFT2]](
module {
  func.func @image(%x: memref<1x5x512xf32>, %b: memref<3x1x96x32xf32>, %c: memref<1x5x16x32xf32>) {
    %a = tpp.implicit_pad %x low [0, 1, 32] high [0, 1, 32] : memref<1x5x512xf32> -> memref<1x7x576xf32, strided<[2560, 512, 1], offset: ?>>
    tpp.brgemm ins(%a, %b : memref<1x7x576xf32, strided<[2560, 512, 1], offset: ?>>, memref<3x1x96x32xf32>) outs(%c : memref<1x5x16x32xf32>)
        attributes {a_map = affine_map<(n, y, m, o, r, k) -> (n, y + r, m * 32 + k)>, b_map = affine_map<(n, y, m, o, r, k) -> (r, k, o)>,
                    epilogue_maps = [], panel = 32, reduction_sizes = array<i64: 3, 96>} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}

// -----

// Parts of an image in tasks, of two rows and one of it: each asks where it is. The first two rows of all lack a product in a part
// of their tile, the last one lacks it as a whole.
// CHECK-LABEL: func.func @parts
// CHECK:         scf.forall (%[[TASK:.*]]) = (0) to (6) step (3)
// CHECK:           %[[ROW:.*]] = arith.addi %[[TASK]], %c-1
// CHECK:           arith.cmpi slt, %[[ROW]], %c2
// CHECK:             ukernel.call @uk_brgemm_f32_14x32x2x8_in(
// CHECK:             ukernel.call @uk_brgemm_f32_14x32x2x8(
// CHECK:           %[[LAST:.*]] = arith.addi %[[TASK]], %c1
// CHECK:           arith.cmpi slt, %[[LAST]], %c4
// CHECK:             ukernel.call @uk_brgemm_f32_7x32x2x8(
// CHECK:             ukernel.call @uk_gemm_f32_7x32x8(
module {
  func.func @parts(%x: memref<5x7x8xf32>, %b: memref<2x1x8x32xf32>, %c: memref<6x7x32xf32>) {
    %a = tpp.implicit_pad %x low [1, 0, 0] high [1, 0, 0] : memref<5x7x8xf32> -> memref<7x7x8xf32, strided<[56, 8, 1], offset: ?>>
    scf.forall (%y) = (0) to (6) step (3) {
      %rows = memref.subview %a[%y, 0, 0] [4, 7, 8] [1, 1, 1]
          : memref<7x7x8xf32, strided<[56, 8, 1], offset: ?>> to memref<4x7x8xf32, strided<[56, 8, 1], offset: ?>>
      %out = memref.subview %c[%y, 0, 0] [3, 7, 32] [1, 1, 1] : memref<6x7x32xf32> to memref<3x7x32xf32, strided<[224, 32, 1], offset: ?>>
      tpp.brgemm ins(%rows, %b : memref<4x7x8xf32, strided<[56, 8, 1], offset: ?>>, memref<2x1x8x32xf32>)
          outs(%out : memref<3x7x32xf32, strided<[224, 32, 1], offset: ?>>)
          attributes {a_map = affine_map<(y, m, o, r, k) -> (y + r, m, k)>, b_map = affine_map<(y, m, o, r, k) -> (r, k, o)>,
                      epilogue_maps = [], panel = 32, reduction_sizes = array<i64: 2, 8>} {
      ^bb0(%acc: f32):
        tpp.yield %acc : f32
      }
    }
    return
  }
}

// -----

// Grids that became one: a task asks which it is of, and its coordinates come from its number. Rows 0 to 3 are tasks of two rows and
// half of the columns each, row 4 is one of its own, which cannot be the first.
// CHECK-LABEL: func.func @joined
// CHECK:         scf.if
// CHECK:             ukernel.call @uk_brgemm_f32_14x16x2x8_in(
// CHECK:             ukernel.call @uk_brgemm_f32_14x16x2x8(
// CHECK:         } else {
// CHECK-NOT:       scf.if
// CHECK:           ukernel.call @uk_gemm_f32_7x32x8(
// CHECK-NOT:       ukernel.call
// CHECK:         return
module {
  func.func @joined(%x: memref<4x7x8xf32>, %b: memref<2x8x32xf32>, %c: memref<5x7x32xf32>) {
    %c4 = arith.constant 4 : index
    %a = tpp.implicit_pad %x low [1, 0, 0] high [1, 0, 0] : memref<4x7x8xf32> -> memref<6x7x8xf32, strided<[56, 8, 1], offset: ?>>
    scf.forall (%task) in (5) {
      %isFirst = arith.cmpi ult, %task, %c4 : index
      scf.if %isFirst {
        %place:2 = affine.delinearize_index %task into (2, 2) : index, index
        %y = affine.apply affine_map<(d0) -> (d0 * 2)>(%place#0)
        %o = affine.apply affine_map<(d0) -> (d0 * 16)>(%place#1)
        %rows = memref.subview %a[%y, 0, 0] [3, 7, 8] [1, 1, 1]
            : memref<6x7x8xf32, strided<[56, 8, 1], offset: ?>> to memref<3x7x8xf32, strided<[56, 8, 1], offset: ?>>
        %part = memref.subview %b[0, 0, %o] [2, 8, 16] [1, 1, 1] : memref<2x8x32xf32> to memref<2x8x16xf32, strided<[256, 32, 1], offset: ?>>
        %out = memref.subview %c[%y, 0, %o] [2, 7, 16] [1, 1, 1] : memref<5x7x32xf32> to memref<2x7x16xf32, strided<[224, 32, 1], offset: ?>>
        tpp.brgemm ins(%rows, %part : memref<3x7x8xf32, strided<[56, 8, 1], offset: ?>>, memref<2x8x16xf32, strided<[256, 32, 1], offset: ?>>)
            outs(%out : memref<2x7x16xf32, strided<[224, 32, 1], offset: ?>>)
            attributes {a_map = affine_map<(y, m, o, r, k) -> (y + r, m, k)>, b_map = affine_map<(y, m, o, r, k) -> (r, k, o)>,
                        epilogue_maps = [], reduction_sizes = array<i64: 2, 8>} {
        ^bb0(%acc: f32):
          tpp.yield %acc : f32
        }
      } else {
        %y = affine.apply affine_map<(d0) -> (d0)>(%task)
        %rows = memref.subview %a[%y, 0, 0] [2, 7, 8] [1, 1, 1]
            : memref<6x7x8xf32, strided<[56, 8, 1], offset: ?>> to memref<2x7x8xf32, strided<[56, 8, 1], offset: ?>>
        %out = memref.subview %c[%y, 0, 0] [1, 7, 32] [1, 1, 1] : memref<5x7x32xf32> to memref<1x7x32xf32, strided<[224, 32, 1], offset: ?>>
        tpp.brgemm ins(%rows, %b : memref<2x7x8xf32, strided<[56, 8, 1], offset: ?>>, memref<2x8x32xf32>)
            outs(%out : memref<1x7x32xf32, strided<[224, 32, 1], offset: ?>>)
            attributes {a_map = affine_map<(y, m, o, r, k) -> (y + r, m, k)>, b_map = affine_map<(y, m, o, r, k) -> (r, k, o)>,
                        epilogue_maps = [], reduction_sizes = array<i64: 2, 8>} {
        ^bb0(%acc: f32):
          tpp.yield %acc : f32
        }
      }
    }
    return
  }
}
