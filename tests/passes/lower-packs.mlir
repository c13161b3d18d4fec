// RUN: kgen-opt %s --kgen-lower-packs --split-input-file | FileCheck %s

// A pack is a pad, a reshape and a transpose; the pad is a fill and a slice.
// CHECK-LABEL: func @padded
// CHECK-NOT:     linalg.pack
// CHECK-NOT:     tensor.pad
// CHECK:         linalg.fill
// CHECK:         tensor.insert_slice
// CHECK:         tensor.expand_shape {{.*}} : tensor<6x48xf32> into tensor<6x3x16xf32>
// CHECK:         linalg.transpose {{.*}} permutation = [1, 0, 2]
// CHECK-NOT:     linalg.pack
func.func @padded(%b: tensor<6x40xf32>) -> tensor<3x6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x6x16xf32>
  %p = linalg.pack %b padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %e
      : tensor<6x40xf32> -> tensor<3x6x16xf32>
  return %p : tensor<3x6x16xf32>
}

// -----

// Nothing is padded: no fill.
// CHECK-LABEL: func @exact
// CHECK-NOT:     linalg.pack
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.transpose
// CHECK-NOT:     linalg.fill
func.func @exact(%b: tensor<6x32xf32>) -> tensor<2x6x16xf32> {
  %e = tensor.empty() : tensor<2x6x16xf32>
  %p = linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %e
      : tensor<6x32xf32> -> tensor<2x6x16xf32>
  return %p : tensor<2x6x16xf32>
}

// -----

// What is no pack stays.
// CHECK-LABEL: func @kept
// CHECK:         linalg.transpose
// CHECK:         linalg.matmul
func.func @kept(%a: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %t = linalg.transpose ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%t, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
