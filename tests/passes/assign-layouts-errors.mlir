// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-assign-layouts="upconvert-a=false pad-a=false" --split-input-file --verify-diagnostics

#a = affine_map<(m, n, k) -> (m, k)>
#bt = affine_map<(m, n, k) -> (n, k)>
func.func @not_contiguous(%a: tensor<65x6xf32>, %b: tensor<40x6xf32>, %e: tensor<65x40xf32>) -> tensor<65x40xf32> {
  // expected-error@+1 {{has an operand B whose columns are not contiguous, which cannot be read in place, as its lowering_config says; use 'packed'}}
  %g = tpp.gemm ins(%a, %b : tensor<65x6xf32>, tensor<40x6xf32>) outs(%e : tensor<65x40xf32>)
      attributes {a_map = #a, b_map = #bt, epilogue_maps = [], lowering_config = #kgen.lowering_config<layout = {rhs = "plain"}>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<65x40xf32>
  return %g : tensor<65x40xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k)>
func.func @one_column(%a: tensor<8x6xf32>, %b: tensor<6xf32>, %e: tensor<8x1xf32>) -> tensor<8x1xf32> {
  // expected-error@+1 {{has an operand B of one column, which cannot be packed, as its lowering_config says; use 'plain'}}
  %g = tpp.gemm ins(%a, %b : tensor<8x6xf32>, tensor<6xf32>) outs(%e : tensor<8x1xf32>)
      attributes {a_map = #a, b_map = #column, epilogue_maps = [], lowering_config = #kgen.lowering_config<layout = {rhs = "packed"}>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<8x1xf32>
  return %g : tensor<8x1xf32>
}

// -----

// expected-error@unknown {{schedule 's': node 'z' has no product whose operands could have a 'layout'}}
func.func @no_product(%x: tensor<64x32xf32>) -> tensor<64x32xf32>
    attributes {kgen.node_decisions = [{node = "z", schedule = "s", layout = {rhs = "plain"}}]} {
  return %x : tensor<64x32xf32>
}
