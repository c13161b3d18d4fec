// RUN: kgen-opt "%s" --kgen-pack-matmul --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-pack-matmul=block-factors=32,32,32 --mlir-print-local-scope | FileCheck "%s" --check-prefix=OPTION

// 25 divides 250. Blocks of the weights are in the order in which they are read.
// CHECK-LABEL: func @even
// CHECK-SAME:    {what = "packed into a blocked layout"}, kind = "applied"
// CHECK:         linalg.pack %arg0 outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [25, 64] {{.*}} -> tensor<10x16x25x64xf32>
// CHECK:         linalg.pack %arg1 outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [64, 64] {{.*}} -> tensor<4x16x64x64xf32>
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3, d4)>]
// CHECK:         linalg.unpack

// Sizes that are prime are padded with zeros.
// CHECK-LABEL: func @prime
// CHECK:         linalg.pack %arg0 padding_value(%{{.*}} : f32) {{.*}} inner_tiles = [32, 64] {{.*}} -> tensor<4x8x32x64xf32>
// CHECK:         linalg.pack %arg1 padding_value({{.*}} -> tensor<3x8x64x64xf32>

// Not packed: fewer than 16 columns, fewer rows than half of a block, a type without block sizes.
// CHECK-LABEL: func @few_columns
// CHECK-SAME:    {why = "too few rows or columns for a block, or a batch"}, kind = "refused"
// CHECK-NEXT:    linalg.matmul
// CHECK-LABEL: func @few_rows
// CHECK-NEXT:    linalg.matmul
// CHECK-LABEL: func @batch
// CHECK:         linalg.pack %arg1 outer_dims_perm = [0, 2, 1] inner_dims_pos = [1, 2] inner_tiles = [64, 64]
// CHECK-LABEL: func @bf16
// CHECK-NEXT:    linalg.matmul
// CHECK-LABEL: func @i8odd
// CHECK-NEXT:    linalg.matmul

// OPTION-LABEL: func @even
// OPTION:         inner_tiles = [25, 32]
// OPTION-LABEL: func @few_columns
// OPTION-NEXT:    linalg.matmul
// OPTION-LABEL: func @bf16
// OPTION:         linalg.pack {{.*}} -> tensor<2x2x32x32xbf16>
// 21 divides 63, but is no multiple of four.
// OPTION-LABEL: func @i8odd
// OPTION:         linalg.pack %arg0 padding_value({{.*}} -> tensor<2x2x32x32xi8>

// A made-up target: an L2 of 256 KiB and a blocked layout.
module attributes {kgen.decisions = [], kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx512f,+avx512bf16,+avx512vnni",
    tune = "generic", vector_bits = 512, vector_registers = 32, l1d = 32768, l2 = 262144, gemm_tiles = {block_layout_f32 = {m = 32 : i64, n = 64 : i64, k = 64 : i64}}>} {
func.func @even(%a: tensor<250x1024xf32>, %b: tensor<1024x256xf32>, %c: tensor<250x256xf32>) -> tensor<250x256xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<250x1024xf32>, tensor<1024x256xf32>) outs(%c : tensor<250x256xf32>) -> tensor<250x256xf32>
  return %r : tensor<250x256xf32>
}
func.func @prime(%a: tensor<127x479xf32>, %b: tensor<479x131xf32>, %c: tensor<127x131xf32>) -> tensor<127x131xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<127x479xf32>, tensor<479x131xf32>) outs(%c : tensor<127x131xf32>) -> tensor<127x131xf32>
  return %r : tensor<127x131xf32>
}
func.func @few_columns(%a: tensor<64x64xf32>, %b: tensor<64x15xf32>, %c: tensor<64x15xf32>) -> tensor<64x15xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x15xf32>) outs(%c : tensor<64x15xf32>) -> tensor<64x15xf32>
  return %r : tensor<64x15xf32>
}
func.func @few_rows(%a: tensor<15x64xf32>, %b: tensor<64x64xf32>, %c: tensor<15x64xf32>) -> tensor<15x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<15x64xf32>, tensor<64x64xf32>) outs(%c : tensor<15x64xf32>) -> tensor<15x64xf32>
  return %r : tensor<15x64xf32>
}
func.func @batch(%a: tensor<2x64x64xf32>, %b: tensor<2x64x64xf32>, %c: tensor<2x64x64xf32>) -> tensor<2x64x64xf32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<2x64x64xf32>, tensor<2x64x64xf32>) outs(%c : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  return %r : tensor<2x64x64xf32>
}
func.func @bf16(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
func.func @i8odd(%a: tensor<64x63xi8>, %b: tensor<63x64xi8>, %c: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x63xi8>, tensor<63x64xi8>) outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %r : tensor<64x64xi32>
}
}
