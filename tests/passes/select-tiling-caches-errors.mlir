// Decisions of schedules for nodes that are no loops over vectors.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --verify-diagnostics --kgen-select-tiling=level=cache

// expected-error@unknown {{schedule 's': node 'z' has no loops over vectors that 'non_temporal' could be for}}
func.func @node(%x: tensor<64x32xf32>) -> tensor<64x32xf32>
    attributes {kgen.node_decisions = [{node = "z", schedule = "s", non_temporal = true}]} {
  return %x : tensor<64x32xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
func.func @stores(%x: tensor<64x32xf32>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error@+1 {{'linalg.generic' op has the unknown kgen.stores "memory, along_rows"; "cached", or some of memory, along_rows and across_rows with | between them, were expected}}
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) attrs = {kgen.stores = "memory, along_rows"} {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
