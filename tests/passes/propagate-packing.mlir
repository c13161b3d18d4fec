// RUN: kgen-opt "%s" --kgen-propagate-packing --canonicalize --mlir-print-local-scope | FileCheck "%s"

// From an unpack through a bias and a relu to the pack that reverses it; the bias is packed instead.
// CHECK-LABEL: func @between_layers
// CHECK-NOT:     linalg.unpack
// CHECK:         %[[B:.*]] = linalg.pack %arg1 inner_dims_pos = [0] inner_tiles = [16] {{.*}} : tensor<64xf32> -> tensor<4x16xf32>
// CHECK-NOT:     linalg.pack
// CHECK:         linalg.generic {{.*}}affine_map<(d0, d1, d2, d3) -> (d1, d3)>{{.*}} ins(%arg0, %[[B]] : tensor<2x4x8x16xf32>, tensor<4x16xf32>)
// CHECK-NOT:     linalg.pack
module attributes {kgen.decisions = []} {
func.func @between_layers(%x: tensor<2x4x8x16xf32>, %bias: tensor<64xf32>) -> tensor<2x4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x64xf32>
  %u = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %e : tensor<2x4x8x16xf32> -> tensor<16x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%u, %bias : tensor<16x64xf32>, tensor<64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<16x64xf32>
  %f = tensor.empty() : tensor<2x4x8x16xf32>
  %r = linalg.pack %y inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %f : tensor<16x64xf32> -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// The second contraction needs zero padding, which the bias does not preserve: unpack and pack stay.
// CHECK-LABEL: func @padded
// CHECK-SAME:    {why = "the pack or unpack stays, unless it reverses a neighbour"}, kind = "refused"
// CHECK:         linalg.unpack
// CHECK:         linalg.pack {{.*}} padding_value
func.func @padded(%x: tensor<2x4x8x16xf32>, %bias: tensor<60xf32>) -> tensor<2x4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<15x60xf32>
  %u = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %e : tensor<2x4x8x16xf32> -> tensor<15x60xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%u, %bias : tensor<15x60xf32>, tensor<60xf32>) outs(%e : tensor<15x60xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<15x60xf32>
  %f = tensor.empty() : tensor<2x4x8x16xf32>
  %r = linalg.pack %y padding_value(%zero : f32) inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %f : tensor<15x60xf32> -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// CHECK-LABEL: func @kept
// CHECK-NEXT:    linalg.matmul
func.func @kept(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
}
