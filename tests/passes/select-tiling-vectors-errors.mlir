// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --verify-diagnostics --kgen-select-tiling=level=vector

// expected-error@unknown {{schedule 's': node 'z' has no loops over vectors that 'unroll' could be for}}
func.func @node(%x: tensor<64x32xf32>) -> tensor<64x32xf32>
    attributes {kgen.node_decisions = [{node = "z", schedule = "s", unroll = 2 : i64}]} {
  return %x : tensor<64x32xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
// expected-error@unknown {{schedule 's': node 'z' has 16384 iterations over vectors, each of which 'unroll: all' makes code of, expected at most 512: choose smaller tiles in 'caches', or a number}}
func.func @unrolled(%x: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {kgen.node_decisions = [{node = "z", schedule = "s", unroll = 0 : i64}]} {
  %e = tensor.empty() : tensor<512x512xf32>
  %z = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<512x512xf32> loc("z")
  return %z : tensor<512x512xf32>
}
