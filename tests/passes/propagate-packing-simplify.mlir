// RUN: kgen-opt "%s" --kgen-propagate-packing=simplify | FileCheck "%s"

// Elements keep their order: packs and unpacks become reshapes.
// CHECK-LABEL: func @reshapes
// CHECK-SAME:    {what = "a pack or unpack that moves nothing is a reshape"}, kind = "applied"
// CHECK:         tensor.expand_shape %arg0 {{\[\[}}0, 1]] output_shape [4, 16] : tensor<64xf32> into tensor<4x16xf32>
// CHECK:         tensor.collapse_shape %arg1 {{\[\[}}0, 1]] : tensor<4x16xf32> into tensor<64xf32>
// CHECK-NOT:     pack
// CHECK:         return
module attributes {kgen.decisions = []} {
func.func @reshapes(%a: tensor<64xf32>, %b: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<4x16xf32>
  %f = tensor.empty() : tensor<64xf32>
  %p = linalg.pack %a inner_dims_pos = [0] inner_tiles = [16] into %e : tensor<64xf32> -> tensor<4x16xf32>
  %u = linalg.unpack %b inner_dims_pos = [0] inner_tiles = [16] into %f : tensor<4x16xf32> -> tensor<64xf32>
  return %p, %u : tensor<4x16xf32>, tensor<64xf32>
}

// CHECK-LABEL: func @pair
// CHECK-NEXT:    return %arg0
func.func @pair(%a: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %f = tensor.empty() : tensor<2x4x8x16xf32>
  %u = linalg.unpack %a inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %e : tensor<2x4x8x16xf32> -> tensor<16x64xf32>
  %p = linalg.pack %u inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %f : tensor<16x64xf32> -> tensor<2x4x8x16xf32>
  return %p : tensor<2x4x8x16xf32>
}

// Not simplified: elements move, or padding is added.
// CHECK-LABEL: func @kept
// CHECK-SAME:    {why = "the pack or unpack moves or pads elements"}, kind = "refused"
// CHECK:         linalg.pack %arg0
// CHECK:         linalg.pack %arg1 padding_value
func.func @kept(%a: tensor<16x64xf32>, %b: tensor<60xf32>) -> (tensor<2x4x8x16xf32>, tensor<4x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x8x16xf32>
  %f = tensor.empty() : tensor<4x16xf32>
  %p = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %e : tensor<16x64xf32> -> tensor<2x4x8x16xf32>
  %q = linalg.pack %b padding_value(%zero : f32) inner_dims_pos = [0] inner_tiles = [16] into %f : tensor<60xf32> -> tensor<4x16xf32>
  return %p, %q : tensor<2x4x8x16xf32>, tensor<4x16xf32>
}
}
