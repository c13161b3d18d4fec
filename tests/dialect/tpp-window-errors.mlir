// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --mlir-print-local-scope

func.func @sizes(%a: tensor<9x27xf32>, %b: tensor<3x9x8xf32>, %c: tensor<4x4x8xf32>) {
  // expected-error@+1 {{'reduction_sizes' has the sizes of 2 dimensions, found 1}}
  %r = tpp.brgemm ins(%a, %b : tensor<9x27xf32>, tensor<3x9x8xf32>) outs(%c : tensor<4x4x8xf32>)
      attributes {a_map = affine_map<(y, x, o, r, k) -> (y * 2 + r, x * 6 + k)>, b_map = affine_map<(y, x, o, r, k) -> (r, k, o)>,
      epilogue_maps = [], reduction_sizes = array<i64: 3>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4x8xf32>
  return
}

// -----

func.func @beyond(%a: tensor<8x27xf32>, %b: tensor<3x9x8xf32>, %c: tensor<4x4x8xf32>) {
  // expected-error@+1 {{windows reach 9 elements of dimension 0 of A, which has 8}}
  %r = tpp.brgemm ins(%a, %b : tensor<8x27xf32>, tensor<3x9x8xf32>) outs(%c : tensor<4x4x8xf32>)
      attributes {a_map = affine_map<(y, x, o, r, k) -> (y * 2 + r, x * 6 + k)>, b_map = affine_map<(y, x, o, r, k) -> (r, k, o)>,
      epilogue_maps = [], reduction_sizes = array<i64: 3, 9>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4x8xf32>
  return
}

// -----

func.func @divided(%a: tensor<9x27xf32>, %b: tensor<3x9x8xf32>, %c: tensor<4x4x8xf32>) {
  // expected-error@+1 {{A's map must consist of sums of dimensions times positive constants, found affine_map<(d0, d1, d2, d3, d4) -> (d0 floordiv 2 + d3, d1 * 6 + d4)>}}
  %r = tpp.brgemm ins(%a, %b : tensor<9x27xf32>, tensor<3x9x8xf32>) outs(%c : tensor<4x4x8xf32>)
      attributes {a_map = affine_map<(y, x, o, r, k) -> (y floordiv 2 + r, x * 6 + k)>, b_map = affine_map<(y, x, o, r, k) -> (r, k, o)>,
      epilogue_maps = [], reduction_sizes = array<i64: 3, 9>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4x8xf32>
  return
}

// -----

func.func @rank(%a: tensor<9xf32>, %b: tensor<3x9x8xf32>, %c: tensor<4x4x8xf32>) {
  // expected-error@+1 {{A has rank 1, but its map has 2 results}}
  %r = tpp.brgemm ins(%a, %b : tensor<9xf32>, tensor<3x9x8xf32>) outs(%c : tensor<4x4x8xf32>)
      attributes {a_map = affine_map<(y, x, o, r, k) -> (y * 2 + r, x * 6 + k)>, b_map = affine_map<(y, x, o, r, k) -> (r, k, o)>,
      epilogue_maps = [], reduction_sizes = array<i64: 3, 9>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4x8xf32>
  return
}
