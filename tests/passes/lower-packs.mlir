// RUN: kgen-opt "%s" --kgen-lower-packs --split-input-file --mlir-print-local-scope | FileCheck "%s"

// Full panels are one copy. The last panel is a copy of the remaining columns into padding.
// CHECK-LABEL: func @padded
// CHECK-SAME:    %[[B:[a-z0-9]+]]: tensor<6x40xf32>
// CHECK-SAME:    {what = "copied into panels at run time"}, kind = "applied"
// CHECK-NOT:     linalg.pack
// CHECK-NOT:     tensor.pad
// CHECK:         %[[S:.*]] = tensor.extract_slice %[[B]][0, 0] [6, 32] [1, 1]
// CHECK:         tensor.expand_shape %[[S]] {{.*}} : tensor<6x32xf32> into tensor<6x2x16xf32>
// CHECK:         %[[WHOLE:.*]] = linalg.generic {{.*}}indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
// CHECK:         tensor.insert_slice %[[WHOLE]] into %{{.*}}[0, 0, 0] [2, 6, 16] [1, 1, 1]
// CHECK:         tensor.extract_slice %[[B]][0, 32] [6, 8] [1, 1]
// CHECK:         linalg.fill {{.*}} outs(%{{.*}} : tensor<1x6x16xf32>)
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[2, 0, 0] [1, 6, 16] [1, 1, 1]
// CHECK-NOT:     linalg.pack
module attributes {kgen.decisions = []} {
func.func @padded(%b: tensor<6x40xf32>) -> tensor<3x6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x6x16xf32>
  %p = linalg.pack %b padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %e
      : tensor<6x40xf32> -> tensor<3x6x16xf32>
  return %p : tensor<3x6x16xf32>
}
}

// -----

// Without padding the copy is the result: no insertion. B is transposed and has a batch.
// CHECK-LABEL: func @exact
// CHECK-NOT:     linalg.fill
// CHECK-NOT:     tensor.insert_slice
// CHECK:         tensor.expand_shape {{.*}} : tensor<3x32x6xf32> into tensor<3x2x16x6xf32>
// CHECK:         %[[R:.*]] = linalg.generic {{.*}}indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>
// CHECK:         return %[[R]]
func.func @exact(%b: tensor<3x32x6xf32>) -> tensor<3x2x6x16xf32> {
  %e = tensor.empty() : tensor<3x2x6x16xf32>
  %p = linalg.pack %b outer_dims_perm = [0, 1, 2] inner_dims_pos = [1] inner_tiles = [16] into %e
      : tensor<3x32x6xf32> -> tensor<3x2x6x16xf32>
  return %p : tensor<3x2x6x16xf32>
}

// -----

// Less than a panel: only the padded panel.
// CHECK-LABEL: func @narrow
// CHECK:         linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.fill
// CHECK-NOT:     linalg.generic
func.func @narrow(%b: tensor<6x3xf32>) -> tensor<1x6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x16xf32>
  %p = linalg.pack %b padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %e
      : tensor<6x3xf32> -> tensor<1x6x16xf32>
  return %p : tensor<1x6x16xf32>
}

// -----

// Other operations stay.
// CHECK-LABEL: func @kept
// CHECK:         linalg.transpose
// CHECK:         linalg.matmul
func.func @kept(%a: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %t = linalg.transpose ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%t, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// A source that L2 does not hold is read row by row, all panels of a row.
// A made-up target: an L2 of 1 KiB and register tiles of 6 x 16 and cache blocks of 48 x 1024.
#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 1024, gemm_tiles = {gemm_f32 = {mr = 6 : i64, nr = 16 : i64, mc = 48 : i64, kc = 1024 : i64}}>
module attributes {kgen.target = #target} {
// CHECK-LABEL: func @exceeds_l2
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d0, d2)>]
// CHECK-SAME: ins({{.*}} : tensor<40x4x8xf32>) outs({{.*}} : tensor<4x40x8xf32>)
func.func @exceeds_l2(%b: tensor<40x32xf32>) -> tensor<4x40x8xf32> {
  %e = tensor.empty() : tensor<4x40x8xf32>
  %p = linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [8] into %e : tensor<40x32xf32> -> tensor<4x40x8xf32>
  return %p : tensor<4x40x8xf32>
}
// CHECK-LABEL: func @fits_l2
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
func.func @fits_l2(%b: tensor<8x32xf32>) -> tensor<4x8x8xf32> {
  %e = tensor.empty() : tensor<4x8x8xf32>
  %p = linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [8] into %e : tensor<8x32xf32> -> tensor<4x8x8xf32>
  return %p : tensor<4x8x8xf32>
}
}
