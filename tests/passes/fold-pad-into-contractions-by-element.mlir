// Kernels that find out for each element whether it is padding take pads in any dimension, of a B that is not packed.
// RUN: kgen-opt "%s" --kgen-fold-pad-into-contractions=by-element=true --split-input-file --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-fold-pad-into-contractions --split-input-file --mlir-print-local-scope | FileCheck "%s" --check-prefix=KERNELS

// CHECK-LABEL:   func.func @unpacked
// CHECK-NOT:       tensor.pad
// CHECK:           tpp.implicit_pad %{{.*}} low [0, 1, 8] high [0, 1, 8]
// KERNELS-LABEL: func.func @unpacked
// KERNELS:         tensor.pad
func.func @unpacked(%x: tensor<1x5x6x8xf32>, %b: tensor<3x24x16xf32>, %c: tensor<1x5x6x16xf32>) -> tensor<1x5x6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : f32
  } : tensor<1x5x6x8xf32> to tensor<1x7x8x8xf32>
  %flat = tensor.collapse_shape %p [[0], [1], [2, 3]] : tensor<1x7x8x8xf32> into tensor<1x7x64xf32>
  %r = tpp.brgemm ins(%flat, %b : tensor<1x7x64xf32>, tensor<3x24x16xf32>) outs(%c : tensor<1x5x6x16xf32>)
      attributes {a_map = affine_map<(n, y, x, o, r, k) -> (n, y + r, x * 8 + k)>, b_map = affine_map<(n, y, x, o, r, k) -> (r, k, o)>,
      epilogue_maps = [], reduction_sizes = array<i64: 3, 24>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<1x5x6x16xf32>
  return %r : tensor<1x5x6x16xf32>
}

// -----

// A pad with another number than zero stays.
// CHECK-LABEL: func.func @ones
// CHECK:         tensor.pad
func.func @ones(%x: tensor<5x6xf32>, %b: tensor<8x16xf32>, %c: tensor<5x16xf32>) -> tensor<5x16xf32> {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<5x6xf32> to tensor<5x8xf32>
  %r = tpp.gemm ins(%p, %b : tensor<5x8xf32>, tensor<8x16xf32>) outs(%c : tensor<5x16xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<5x16xf32>
  return %r : tensor<5x16xf32>
}
