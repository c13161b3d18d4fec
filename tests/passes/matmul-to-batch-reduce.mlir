// RUN: kgen-opt "%s" --kgen-matmul-to-batch-reduce=k-block=32 --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-matmul-to-batch-reduce --mlir-print-local-scope | FileCheck "%s" --check-prefix=TARGET
// Contractions over two reductions, made by blocking one.

// CHECK-LABEL:   func @one
// CHECK-NEXT:    linalg.batch_reduce_matmul
// CHECK-LABEL:   func @plain
// CHECK:         %[[A:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [4, 3, 32]
// CHECK:         %[[B:.*]] = tensor.expand_shape %arg1 {{\[\[}}0, 1], [2]] output_shape [3, 32, 5]
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%[[A]], %[[B]]
// CHECK-LABEL:   func @prime
// CHECK-NEXT:    linalg.matmul

// TARGET-LABEL:  func @plain
// TARGET:        output_shape [4, 2, 48]
// TARGET-LABEL:  func @prime
// TARGET-NEXT:   linalg.matmul

// A made-up target: an L2 of 256 KiB and a blocked layout.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma",
    tune = "haswell", vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 262144,
    gemm_tiles = {block_layout_f32 = {m = 32 : i64, n = 64 : i64, k = 48 : i64}}>} {
func.func @one(%a: tensor<1x4x8xf32>, %b: tensor<1x8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.batch_reduce_matmul ins(%a, %b : tensor<1x4x8xf32>, tensor<1x8x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @plain(%a: tensor<4x96xf32>, %b: tensor<96x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x96xf32>, tensor<96x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @prime(%a: tensor<4x97xf32>, %b: tensor<97x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x97xf32>, tensor<97x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
}
