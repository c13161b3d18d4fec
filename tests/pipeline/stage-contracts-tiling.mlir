// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-stage=tiling

func.func @good(%x: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @contraction(%x: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{is a contraction outside of tpp, after the stage 'tiling'}}
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @attention(%q: tensor<4x2xf32>, %k: tensor<5x2xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{is left, after the stage 'tiling'}}
  %r = kgen.attention ins(%q, %k, %v : tensor<4x2xf32>, tensor<5x2xf32>, tensor<5x3xf32>)
      attributes {q_map = affine_map<(m, n, d, e) -> (m, d)>, k_map = affine_map<(m, n, d, e) -> (n, d)>, v_map = affine_map<(m, n, d, e) -> (n, e)>,
      epilogue_maps = [], result_map = affine_map<(m, n, d, e) -> (m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
