// RUN: kgen-opt "%s" --transform-interpreter --split-input-file --verify-diagnostics
// Tiles that are refused.

// A tile of the products would overwrite what the one before it has stored.
module attributes {transform.with_named_sequence} {
  func.func @overwriting(%a: tensor<8x6xf32>, %b: tensor<6x40xf32>, %c: tensor<8x40xf32>) -> tensor<8x40xf32> {
    // expected-error@+3 {{cannot be tiled along dimension 2}}
    // expected-error@+2 {{faild to tile operation}}
    // expected-error@+1 {{failed to generate tiling loops}}
    %r = tpp.gemm ins(%a, %b : tensor<8x6xf32>, tensor<6x40xf32>) outs(%c : tensor<8x40xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<8x40xf32>
    return %r : tensor<8x40xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tpp.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @products(%a: tensor<4x8x6xf32>, %b: tensor<4x6x40xf32>, %c: tensor<8x40xf32>) -> tensor<8x40xf32> {
    // expected-error@+3 {{cannot be tiled along dimension 2}}
    // expected-error@+2 {{faild to tile operation}}
    // expected-error@+1 {{failed to generate tiling loops}}
    %r = tpp.brgemm ins(%a, %b : tensor<4x8x6xf32>, tensor<4x6x40xf32>) outs(%c : tensor<8x40xf32>)
        attributes {a_map = affine_map<(m, n, r, k) -> (r, m, k)>, b_map = affine_map<(m, n, r, k) -> (r, k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<8x40xf32>
    return %r : tensor<8x40xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tpp.brgemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 2, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Rows of panels stay together.
module attributes {transform.with_named_sequence} {
  func.func @packed_depth(%a: tensor<8x6xf32>, %b: tensor<3x6x16xf32>, %c: tensor<8x40xf32>) -> tensor<8x40xf32> {
    // expected-error@+3 {{cannot be tiled along dimension 2}}
    // expected-error@+2 {{faild to tile operation}}
    // expected-error@+1 {{failed to generate tiling loops}}
    %r = tpp.gemm ins(%a, %b : tensor<8x6xf32>, tensor<3x6x16xf32>) outs(%c : tensor<8x40xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], accumulate, panel = 16 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<8x40xf32>
    return %r : tensor<8x40xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tpp.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Tiles of eight columns begin inside of panels ...
module attributes {transform.with_named_sequence} {
  func.func @parts_of_panels(%a: tensor<8x6xf32>, %b: tensor<3x6x16xf32>, %c: tensor<8x40xf32>) -> tensor<8x40xf32> {
    // expected-error@+3 {{cannot slice operand 1 there}}
    // expected-error@+2 {{faild to tile operation}}
    // expected-error@+1 {{failed to generate tiling loops}}
    %r = tpp.gemm ins(%a, %b : tensor<8x6xf32>, tensor<3x6x16xf32>) outs(%c : tensor<8x40xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<8x40xf32>
    return %r : tensor<8x40xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tpp.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_for %op tile_sizes [0, 8, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// ... and so do tiles of twenty.
module attributes {transform.with_named_sequence} {
  func.func @more_than_a_panel(%a: tensor<8x6xf32>, %b: tensor<3x6x16xf32>, %c: tensor<8x40xf32>) -> tensor<8x40xf32> {
    // expected-error@+3 {{cannot slice operand 1 there}}
    // expected-error@+2 {{faild to tile operation}}
    // expected-error@+1 {{failed to generate tiling loops}}
    %r = tpp.gemm ins(%a, %b : tensor<8x6xf32>, tensor<3x6x16xf32>) outs(%c : tensor<8x40xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<8x40xf32>
    return %r : tensor<8x40xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tpp.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_for %op tile_sizes [0, 20, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
