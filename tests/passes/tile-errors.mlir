// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-tile="sizes=2,3,4"

// Without adding to C, the tiles along k would overwrite each other.
func.func @depth(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error@+3 {{cannot be tiled along dimension 2}}
  // expected-error@+2 {{faild to tile operation}}
  // expected-error@+1 {{failed to generate tiling loops}}
  %r = tpp.gemm ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

func.func @loops(%a: tensor<5x4x8xf32>, %b: tensor<5x8x6xf32>, %c: tensor<5x4x6xf32>) -> tensor<5x4x6xf32> {
  // expected-error@+1 {{has 4 loops, but there are 3 tile sizes}}
  %r = linalg.batch_matmul ins(%a, %b : tensor<5x4x8xf32>, tensor<5x8x6xf32>) outs(%c : tensor<5x4x6xf32>) -> tensor<5x4x6xf32>
  return %r : tensor<5x4x6xf32>
}

// -----

// Panels are not cut.
func.func @panels(%a: tensor<4x8xf32>, %b: tensor<2x8x4xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error@+3 {{cannot be tiled along dimension 2}}
  // expected-error@+2 {{faild to tile operation}}
  // expected-error@+1 {{failed to generate tiling loops}}
  %r = tpp.gemm ins(%a, %b : tensor<4x8xf32>, tensor<2x8x4xf32>) outs(%c : tensor<4x6xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 4, accumulate} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
