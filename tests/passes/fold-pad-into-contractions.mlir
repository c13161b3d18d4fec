// RUN: kgen-opt "%s" --kgen-fold-pad-into-contractions --split-input-file --mlir-print-local-scope | FileCheck "%s"

// Two convolutions read the padded image, one of them column by column: the padding of both is implicit.
// CHECK-LABEL: func.func @convolutions
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x5x6x8xf32>
// CHECK-SAME:    {what = "padding is implicit in contractions, not in memory"}, kind = "applied"
// CHECK-NOT:     tensor.pad
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{.*}} into tensor<1x5x48xf32>
// CHECK:         %[[ROWS:.*]] = tpp.implicit_pad %[[FLAT]] low [0, 1, 8] high [0, 1, 16] : tensor<1x5x48xf32> -> tensor<1x7x72xf32>
// CHECK:         tpp.brgemm ins(%[[ROWS]],
// CHECK:         %[[GROUPS:.*]] = tensor.expand_shape %[[X]] {{.*}} into tensor<1x5x6x2x4xf32>
// CHECK:         %[[COLUMN:.*]] = tensor.extract_slice %[[GROUPS]][0, 0, 0, 0, 0] [1, 5, 6, 2, 4]
// CHECK:         %[[APART:.*]] = tpp.implicit_pad %[[COLUMN]] low [0, 1, 0, 0, 0] high [0, 1, 1, 0, 0]
// CHECK:         tpp.brgemm ins(%[[APART]],
module attributes {kgen.decisions = []} {
func.func @convolutions(%x: tensor<1x5x6x8xf32>, %b: tensor<3x1x24x16xf32>, %c: tensor<1x5x7x16xf32>, %d: tensor<2x3x1x4x16xf32>,
                        %e: tensor<1x5x2x7x16xf32>) -> (tensor<1x5x7x16xf32>, tensor<1x5x2x7x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 2, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : f32
  } : tensor<1x5x6x8xf32> to tensor<1x7x9x8xf32>
  %flat = tensor.collapse_shape %p [[0], [1], [2, 3]] : tensor<1x7x9x8xf32> into tensor<1x7x72xf32>
  %r = tpp.brgemm ins(%flat, %b : tensor<1x7x72xf32>, tensor<3x1x24x16xf32>) outs(%c : tensor<1x5x7x16xf32>)
      attributes {a_map = affine_map<(n, y, x, o, r, k) -> (n, y + r, x * 8 + k)>, b_map = affine_map<(n, y, x, o, r, k) -> (r, k, o)>,
      epilogue_maps = [], panel = 16, reduction_sizes = array<i64: 3, 24>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<1x5x7x16xf32>
  %groups = tensor.expand_shape %p [[0], [1], [2], [3, 4]] output_shape [1, 7, 9, 2, 4] : tensor<1x7x9x8xf32> into tensor<1x7x9x2x4xf32>
  %column = tensor.extract_slice %groups[0, 0, 1, 0, 0] [1, 7, 7, 2, 4] [1, 1, 1, 1, 1] : tensor<1x7x9x2x4xf32> to tensor<1x7x7x2x4xf32>
  %s = tpp.brgemm ins(%column, %d : tensor<1x7x7x2x4xf32>, tensor<2x3x1x4x16xf32>) outs(%e : tensor<1x5x2x7x16xf32>)
      attributes {a_map = affine_map<(n, y, g, x, o, r, k) -> (n, y + r, x, g, k)>, b_map = affine_map<(n, y, g, x, o, r, k) -> (g, r, k, o)>,
      epilogue_maps = [], panel = 16, reduction_sizes = array<i64: 3, 4>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<1x5x2x7x16xf32>
  return %r, %s : tensor<1x5x7x16xf32>, tensor<1x5x2x7x16xf32>
}
}

// -----

// Panels of one column are dot products, which read all of A.
// CHECK-LABEL: func.func @one_column
// CHECK:         tensor.pad
// CHECK-NOT:     tpp.implicit_pad
func.func @one_column(%x: tensor<1x5x6x8xf32>, %b: tensor<3x1x8x1xf32>, %c: tensor<1x5x6x1xf32>) -> tensor<1x5x6x1xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : f32
  } : tensor<1x5x6x8xf32> to tensor<1x7x6x8xf32>
  %r = tpp.brgemm ins(%p, %b : tensor<1x7x6x8xf32>, tensor<3x1x8x1xf32>) outs(%c : tensor<1x5x6x1xf32>)
      attributes {a_map = affine_map<(n, y, x, o, r, k) -> (n, y + r, x, k)>, b_map = affine_map<(n, y, x, o, r, k) -> (r, k, o)>,
      epilogue_maps = [], panel = 1, reduction_sizes = array<i64: 3, 8>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<1x5x6x1xf32>
  return %r : tensor<1x5x6x1xf32>
}

// -----

// Another operation reads the padded tensor: it is in memory anyway.
// CHECK-LABEL: func.func @shared
// CHECK-SAME:    {why = "a use of the pad needs the padding in memory"}, kind = "refused"
// CHECK:         tensor.pad
// CHECK-NOT:     tpp.implicit_pad
module attributes {kgen.decisions = []} {
func.func @shared(%x: tensor<1x5x6x8xf32>, %b: tensor<3x1x8x16xf32>, %c: tensor<1x5x6x16xf32>) -> (tensor<1x5x6x16xf32>, tensor<1x7x6x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : f32
  } : tensor<1x5x6x8xf32> to tensor<1x7x6x8xf32>
  %r = tpp.brgemm ins(%p, %b : tensor<1x7x6x8xf32>, tensor<3x1x8x16xf32>) outs(%c : tensor<1x5x6x16xf32>)
      attributes {a_map = affine_map<(n, y, x, o, r, k) -> (n, y + r, x, k)>, b_map = affine_map<(n, y, x, o, r, k) -> (r, k, o)>,
      epilogue_maps = [], panel = 16, reduction_sizes = array<i64: 3, 8>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<1x5x6x16xf32>
  return %r, %p : tensor<1x5x6x16xf32>, tensor<1x7x6x8xf32>
}
}

// -----

// Not folded: padding with ones is not neutral; bf16 pairs (VNNI) cannot be skipped one by one.
// CHECK-LABEL: func.func @ones
// CHECK-NOT:     tpp.implicit_pad
// CHECK:         tensor.pad
// CHECK-NOT:     tpp.implicit_pad
// CHECK-LABEL: func.func @vnni
// CHECK-NOT:     tpp.implicit_pad
// CHECK:         tensor.pad
// CHECK-NOT:     tpp.implicit_pad
func.func @ones(%x: tensor<1x5x6x8xf32>, %b: tensor<3x1x8x16xf32>, %c: tensor<1x5x6x16xf32>) -> tensor<1x5x6x16xf32> {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %one : f32
  } : tensor<1x5x6x8xf32> to tensor<1x7x6x8xf32>
  %r = tpp.brgemm ins(%p, %b : tensor<1x7x6x8xf32>, tensor<3x1x8x16xf32>) outs(%c : tensor<1x5x6x16xf32>)
      attributes {a_map = affine_map<(n, y, x, o, r, k) -> (n, y + r, x, k)>, b_map = affine_map<(n, y, x, o, r, k) -> (r, k, o)>,
      epilogue_maps = [], panel = 16, reduction_sizes = array<i64: 3, 8>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<1x5x6x16xf32>
  return %r : tensor<1x5x6x16xf32>
}
func.func @vnni(%x: tensor<1x5x6x8xbf16>, %b: tensor<3x1x4x16x2xbf16>, %c: tensor<1x5x6x16xf32>) -> tensor<1x5x6x16xf32> {
  %zero = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : bf16
  } : tensor<1x5x6x8xbf16> to tensor<1x7x6x8xbf16>
  %r = tpp.brgemm ins(%p, %b : tensor<1x7x6x8xbf16>, tensor<3x1x4x16x2xbf16>) outs(%c : tensor<1x5x6x16xf32>)
      attributes {a_map = affine_map<(n, y, x, o, r, k) -> (n, y + r, x, k)>, b_map = affine_map<(n, y, x, o, r, k) -> (r, k, o)>,
      epilogue_maps = [], panel = 16, vnni = 2, reduction_sizes = array<i64: 3, 8>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<1x5x6x16xf32>
  return %r : tensor<1x5x6x16xf32>
}

// -----

// The number of images is known at run time: rows and columns are padded as those of one image.
// CHECK-LABEL: func.func @images
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x5x6x8xf32>
// CHECK-NOT:     tensor.pad
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{.*}} into tensor<?x5x48xf32>
// CHECK:         %[[ROWS:.*]] = tpp.implicit_pad %[[FLAT]] low [0, 1, 8] high [0, 1, 16] : tensor<?x5x48xf32> -> tensor<?x7x72xf32>
// CHECK:         tpp.brgemm ins(%[[ROWS]],
func.func @images(%x: tensor<?x5x6x8xf32>, %b: tensor<3x1x24x16xf32>, %c: tensor<?x5x7x16xf32>) -> tensor<?x5x7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 2, 0] {
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %zero : f32
  } : tensor<?x5x6x8xf32> to tensor<?x7x9x8xf32>
  %flat = tensor.collapse_shape %p [[0], [1], [2, 3]] : tensor<?x7x9x8xf32> into tensor<?x7x72xf32>
  %r = tpp.brgemm ins(%flat, %b : tensor<?x7x72xf32>, tensor<3x1x24x16xf32>) outs(%c : tensor<?x5x7x16xf32>)
      attributes {a_map = affine_map<(n, y, x, o, r, k) -> (n, y + r, x * 8 + k)>, b_map = affine_map<(n, y, x, o, r, k) -> (r, k, o)>,
      epilogue_maps = [], panel = 16, reduction_sizes = array<i64: 3, 24>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<?x5x7x16xf32>
  return %r : tensor<?x5x7x16xf32>
}
