// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --verify-diagnostics --kgen-select-tiling=level=vector

// expected-error@unknown {{schedule 's': node 'z' has no loops over vectors that 'unroll' could be for}}
func.func @node(%x: tensor<64x32xf32>) -> tensor<64x32xf32>
    attributes {kgen.node_decisions = [{node = "z", schedule = "s", unroll = 2 : i64}]} {
  return %x : tensor<64x32xf32>
}
