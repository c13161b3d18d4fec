// RUN: kgen-opt "%s" | kgen-opt | FileCheck "%s" --check-prefix=TEXT
// RUN: kgen-opt "%s" --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --mlir-print-local-scope | FileCheck "%s"

// TEXT: tpp.implicit_pad %{{.*}} low [0, 1, 8] high [0, 2, 0] : tensor<1x5x24xf32> -> tensor<1x8x32xf32>

// A border is a view: nothing is copied, and a part of it is a view, too.
// CHECK-LABEL: func.func @read
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<1x5x24xf32>
// CHECK-NOT:     memref.copy
// CHECK:         %[[ALL:.*]] = tpp.implicit_pad %[[X]] low [0, 1, 8] high [0, 2, 0] : memref<1x5x24xf32> -> memref<1x8x32xf32, strided<[120, 24, 1], offset: ?>>
// CHECK:         %[[PART:.*]] = memref.subview %[[ALL]][0, %{{.*}}, 0] [1, 3, 32] [1, 1, 1]
// CHECK:         tpp.brgemm ins(%[[PART]],
func.func @read(%x: tensor<1x5x24xf32>, %b: tensor<3x16x8xf32>, %c: tensor<1x1x3x8xf32>, %at: index) -> tensor<1x1x3x8xf32> {
  %all = tpp.implicit_pad %x low [0, 1, 8] high [0, 2, 0] : tensor<1x5x24xf32> -> tensor<1x8x32xf32>
  %part = tensor.extract_slice %all[0, %at, 0] [1, 3, 32] [1, 1, 1] : tensor<1x8x32xf32> to tensor<1x3x32xf32>
  %r = tpp.brgemm ins(%part, %b : tensor<1x3x32xf32>, tensor<3x16x8xf32>) outs(%c : tensor<1x1x3x8xf32>)
      attributes {a_map = affine_map<(n, y, x, o, r, k) -> (n, y + r, x * 8 + k)>, b_map = affine_map<(n, y, x, o, r, k) -> (r, k, o)>,
      epilogue_maps = [], reduction_sizes = array<i64: 3, 16>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<1x1x3x8xf32>
  return %r : tensor<1x1x3x8xf32>
}
