// Decisions of schedules for nodes that are no loops over vectors.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --verify-diagnostics --kgen-select-tiling=level=cache

// expected-error@unknown {{schedule 's': node 'z' has no loops over vectors that 'non_temporal' could be for}}
func.func @node(%x: tensor<64x32xf32>) -> tensor<64x32xf32>
    attributes {kgen.node_decisions = [{node = "z", schedule = "s", non_temporal = true}]} {
  return %x : tensor<64x32xf32>
}
