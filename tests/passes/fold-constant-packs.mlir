// RUN: kgen-opt "%s" --kgen-fold-constant-packs --split-input-file | FileCheck "%s"

// The bytes, little-endian: panels of two columns, [[0, 1], [3, 4]] and [[2, pad], [5, pad]] with padding 9.
// CHECK-LABEL: func @padded
// CHECK-SAME:    {what = "a constant is packed at build time"}, kind = "applied"
// CHECK-NOT:     linalg.pack
// CHECK:         %[[P:.*]] = arith.constant dense_resource<[[KEY:.*]]> : tensor<2x2x2xi32>
// CHECK-NOT:     arith.constant dense<[
// CHECK:         return %[[P]]
// CHECK:         [[KEY]]: "0x40000000{{0000000001000000030000000400000002000000090000000500000009000000}}"
module attributes {kgen.decisions = []} {
func.func @padded() -> tensor<2x2x2xi32> {
  %c = arith.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %pad = arith.constant 9 : i32
  %e = tensor.empty() : tensor<2x2x2xi32>
  %p = linalg.pack %c padding_value(%pad : i32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [2] into %e
      : tensor<2x3xi32> -> tensor<2x2x2xi32>
  return %p : tensor<2x2x2xi32>
}
}

// -----

// A transposed source gives the same bytes.
// CHECK-LABEL: func @transposed
// CHECK-NOT:     linalg.pack
// CHECK:         "0x40000000{{0000000001000000030000000400000002000000090000000500000009000000}}"
func.func @transposed() -> tensor<2x2x2xi32> {
  %c = arith.constant dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi32>
  %pad = arith.constant 9 : i32
  %e = tensor.empty() : tensor<2x2x2xi32>
  %p = linalg.pack %c padding_value(%pad : i32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [2] into %e
      : tensor<3x2xi32> -> tensor<2x2x2xi32>
  return %p : tensor<2x2x2xi32>
}

// -----

// Two tiled dimensions, and no padding value where nothing is padded. Elements of one byte.
// CHECK-LABEL: func @two_tiles
// CHECK-NOT:     linalg.pack
// CHECK:         "0x40000000{{0001040502030607}}"
func.func @two_tiles() -> tensor<1x2x2x2xi8> {
  %c = arith.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi8>
  %e = tensor.empty() : tensor<1x2x2x2xi8>
  %p = linalg.pack %c inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e : tensor<2x4xi8> -> tensor<1x2x2x2xi8>
  return %p : tensor<1x2x2x2xi8>
}

// -----

// A splat is expanded, and padded with another value.
// CHECK-LABEL: func @splat
// CHECK-NOT:     linalg.pack
// CHECK:         "0x40000000{{0000803F0000803F0000803F00000000}}"
func.func @splat() -> tensor<2x2xf32> {
  %c = arith.constant dense<1.0> : tensor<3xf32>
  %pad = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %p = linalg.pack %c padding_value(%pad : f32) inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<3xf32> -> tensor<2x2xf32>
  return %p : tensor<2x2xf32>
}

// -----

// A resource is read; its bytes are freed when nothing uses it any more.
// CHECK-LABEL: func @resource
// CHECK-NOT:     linalg.pack
// CHECK-NOT:     w:
// CHECK:         packed: "0x40000000{{0000803F000040400000004000008040}}"
// CHECK-NOT:     w:
func.func @resource() -> tensor<2x2x1xf32> {
  %c = arith.constant dense_resource<w> : tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2x1xf32>
  %p = linalg.pack %c outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [1] into %e : tensor<2x2xf32> -> tensor<2x2x1xf32>
  return %p : tensor<2x2x1xf32>
}
{-#
  dialect_resources: { builtin: { w: "0x040000000000803F000000400000404000008040" } }
#-}

// -----

// A resource with another user, here in another function, keeps its bytes.
// CHECK-LABEL: func @shared
// CHECK-NOT:     linalg.pack
// CHECK:         dense_resource<w2_packed>
// CHECK-NOT:     linalg.pack
// CHECK-LABEL: func @other
// CHECK:         dense_resource<w2>
// CHECK:         w2: "0x{{[0-9]*}}0000803F0000004{{0+}}0000404000008040"
func.func @shared() -> tensor<2x2x1xf32> {
  %c = arith.constant dense_resource<w2> : tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2x1xf32>
  %p = linalg.pack %c outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [1] into %e : tensor<2x2xf32> -> tensor<2x2x1xf32>
  return %p : tensor<2x2x1xf32>
}
func.func @other() -> tensor<2x2xf32> {
  %c = arith.constant dense_resource<w2> : tensor<2x2xf32>
  return %c : tensor<2x2xf32>
}
{-#
  dialect_resources: { builtin: { w2: "0x040000000000803F000000400000404000008040" } }
#-}

// -----

// Two constants of different shapes may share a resource; it goes with the last of them.
// CHECK-LABEL: func @two_shapes
// CHECK-NOT:     linalg.pack
// CHECK-NOT:     w3:
// CHECK:         packed: "0x40000000{{0000803F000040400000004000008040}}"
// CHECK-NEXT:    packed_1: "0x40000000{{0000803F000000400000404000008040}}"
// CHECK-NOT:     w3:
func.func @two_shapes() -> (tensor<2x2x1xf32>, tensor<2x2xf32>) {
  %c = arith.constant dense_resource<w3> : tensor<2x2xf32>
  %d = arith.constant dense_resource<w3> : tensor<4xf32>
  %e = tensor.empty() : tensor<2x2x1xf32>
  %f = tensor.empty() : tensor<2x2xf32>
  %p = linalg.pack %c outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [1] into %e : tensor<2x2xf32> -> tensor<2x2x1xf32>
  %q = linalg.pack %d inner_dims_pos = [0] inner_tiles = [2] into %f : tensor<4xf32> -> tensor<2x2xf32>
  return %p, %q : tensor<2x2x1xf32>, tensor<2x2xf32>
}
{-#
  dialect_resources: { builtin: { w3: "0x040000000000803F000000400000404000008040" } }
#-}

// -----

// Not folded: a source or a padding that is not constant or has no bytes, and elements of less than a byte.
// CHECK-LABEL: func @kept
// CHECK-SAME:    {why = "the padding is not constant, or the constant has no data"}, kind = "refused"
// CHECK-COUNT-4: linalg.pack
// CHECK-NOT:     dense_resource
module attributes {kgen.decisions = []} {
func.func @kept(%x: tensor<3xf32>, %v: f32) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xi1>) {
  %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %bits = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  %poison = ub.poison : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %eb = tensor.empty() : tensor<2x2xi1>
  %0 = linalg.pack %x padding_value(%zero : f32) inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<3xf32> -> tensor<2x2xf32>
  %1 = linalg.pack %c padding_value(%v : f32) inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<3xf32> -> tensor<2x2xf32>
  %2 = linalg.pack %c padding_value(%poison : f32) inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<3xf32> -> tensor<2x2xf32>
  %3 = linalg.pack %bits padding_value(%false : i1) inner_dims_pos = [0] inner_tiles = [2] into %eb : tensor<3xi1> -> tensor<2x2xi1>
  return %0, %1, %2, %3 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xi1>
}
}
