// RUN: kgen-opt "%s" --kgen-align-rows --split-input-file --mlir-print-local-scope | FileCheck "%s"

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>

module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx512f,+avx512bf16,+amx-tile,+amx-bf16", tune = "sapphirerapids", vector_bits = 512, vector_registers = 32, l1d = 49152, l2 = 2097152, blocks = {}>} {
  // CHECK-LABEL: func @odd_depth
  // CHECK-SAME:    %[[A:.*]]: tensor<64x301xbf16>
  // CHECK:         %[[E:.*]] = tensor.empty() : tensor<64x320xbf16>
  // CHECK:         %[[L:.*]] = tensor.insert_slice %[[A]] into %[[E]][0, 0] [64, 301] [1, 1]
  // CHECK:         tpp.gemm ins(%[[L]], %{{.*}} : tensor<64x320xbf16>, tensor<4x151x32x2xbf16>)
  // CHECK-SAME:    reduced = array<i64: 301>
  func.func @odd_depth(%a: tensor<64x301xbf16>, %b: tensor<4x151x32x2xbf16>, %e: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x301xbf16>, tensor<4x151x32x2xbf16>) outs(%e : tensor<64x128xf32>)
        attributes {a_map = #a, b_map = #b, extra_maps = [], panel = 32 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x128xf32>
    return %g : tensor<64x128xf32>
  }

  // Rows that begin on lines already.
  // CHECK-LABEL: func @even_depth
  // CHECK-NOT:     insert_slice
  func.func @even_depth(%a: tensor<64x320xbf16>, %b: tensor<4x160x32x2xbf16>, %e: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x320xbf16>, tensor<4x160x32x2xbf16>) outs(%e : tensor<64x128xf32>)
        attributes {a_map = #a, b_map = #b, extra_maps = [], panel = 32 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x128xf32>
    return %g : tensor<64x128xf32>
  }

  // Too few panels to pay for a copy.
  // CHECK-LABEL: func @few_columns
  // CHECK-NOT:     insert_slice
  func.func @few_columns(%a: tensor<64x301xbf16>, %b: tensor<2x151x32x2xbf16>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x301xbf16>, tensor<2x151x32x2xbf16>) outs(%e : tensor<64x64xf32>)
        attributes {a_map = #a, b_map = #b, extra_maps = [], panel = 32 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x64xf32>
    return %g : tensor<64x64xf32>
  }

  // All of k is less than a line: nothing is read as whole rows of a tile.
  // CHECK-LABEL: func @short_rows
  // CHECK-NOT:     insert_slice
  func.func @short_rows(%a: tensor<64x31xbf16>, %b: tensor<4x16x32x2xbf16>, %e: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x31xbf16>, tensor<4x16x32x2xbf16>) outs(%e : tensor<64x128xf32>)
        attributes {a_map = #a, b_map = #b, extra_maps = [], panel = 32 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x128xf32>
    return %g : tensor<64x128xf32>
  }
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>

// Other kernels read A element by element.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx512f,+avx512bf16", tune = "sapphirerapids", vector_bits = 512, vector_registers = 32, l1d = 49152, l2 = 2097152, blocks = {}>} {
  // CHECK-LABEL: func @without_tiles
  // CHECK-NOT:     insert_slice
  func.func @without_tiles(%a: tensor<64x301xbf16>, %b: tensor<4x151x32x2xbf16>, %e: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %g = tpp.gemm ins(%a, %b : tensor<64x301xbf16>, tensor<4x151x32x2xbf16>) outs(%e : tensor<64x128xf32>)
        attributes {a_map = #a, b_map = #b, extra_maps = [], panel = 32 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<64x128xf32>
    return %g : tensor<64x128xf32>
  }
}
