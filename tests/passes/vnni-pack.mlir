// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-amx --kgen-vnni-pack --split-input-file --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-amx --kgen-vnni-pack --kgen-vnni-pack --split-input-file --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4-amx --kgen-pack-matmul=block-factors=32,32,32 --kgen-vnni-pack --split-input-file --mlir-print-local-scope | FileCheck "%s" --check-prefix=BLOCKS

// The second time, everything has been packed.

module {
// CHECK-LABEL: func @bf16
// CHECK:         %[[A:.*]] = linalg.pack %arg0 inner_dims_pos = [1] inner_tiles = [2] {{.*}} -> tensor<64x32x2xbf16>
// CHECK:         %[[B:.*]] = linalg.pack %arg1 inner_dims_pos = [0] inner_tiles = [2] {{.*}} -> tensor<32x64x2xbf16>
// CHECK-NOT:     linalg.pack
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%[[A]], %[[B]]
// BLOCKS-LABEL: func @bf16
// BLOCKS:         linalg.pack {{.*}} -> tensor<2x2x16x32x2xbf16>
// BLOCKS:         iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction", "reduction"]
// BLOCKS:         linalg.unpack
func.func @bf16(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
// CHECK-LABEL: func @i8_padded
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK:         linalg.pack %arg0 padding_value(%{{.*}} : i8) inner_dims_pos = [1] inner_tiles = [4] {{.*}} -> tensor<64x16x4xi8>
// CHECK:         linalg.pack %arg1 padding_value(%{{.*}} : i8) inner_dims_pos = [0] inner_tiles = [4] {{.*}} -> tensor<16x64x4xi8>
func.func @i8_padded(%a: tensor<64x63xi8>, %b: tensor<63x64xi8>, %c: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x63xi8>, tensor<63x64xi8>) outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %r : tensor<64x64xi32>
}
// CHECK-LABEL: func @f32
// CHECK-NEXT:    linalg.matmul
func.func @f32(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
}

// -----

// A target without such instructions; names of features are not beginnings of names.
// A made-up target: an L2 of 256 KiB.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx512f,+avxvnniint8,+avxvnniint16,+amx-fp16",
    tune = "generic", vector_bits = 512, vector_registers = 32, l1d = 32768, l2 = 262144, gemm_tiles = {}>} {
// CHECK-LABEL: func @without
// CHECK-NOT:     linalg.pack
// CHECK:         return
func.func @without(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xf32>,
    %d: tensor<64x64xi8>, %e: tensor<64x64xi8>, %f: tensor<64x64xi32>) -> (tensor<64x64xf32>, tensor<64x64xi32>) {
  %r = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.matmul ins(%d, %e : tensor<64x64xi8>, tensor<64x64xi8>) outs(%f : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %r, %s : tensor<64x64xf32>, tensor<64x64xi32>
}
}
