// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(kgen-target{x86-64-v3},func.func(kgen-vectorize))"
// Strategies of a lowering configuration that there are not, or that do not match.

#full = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
module {
func.func @unknown(%x: tensor<24x9xf32>, %m: tensor<24xf32>, %e: tensor<24x9xf32>) -> tensor<24x9xf32> {
  // expected-error@+1 {{has the unknown vectorization strategy 'flat' in its lowering_config; one of windows-nhwc, windows-nchw, byte-rows, interleaved-copies, pair-shuffles, flattened-rows, full-lines, vector-loops, scalar-loops was expected}}
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x9xf32>, tensor<24xf32>) outs(%e : tensor<24x9xf32>)
      attrs = {lowering_config = #kgen.lowering_config<strategy = "flat">} {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x9xf32>
  return %0 : tensor<24x9xf32>
}
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
module {
func.func @refused(%x: tensor<24x16xf32>, %m: tensor<24xf32>, %e: tensor<24x16xf32>) -> tensor<24x16xf32> {
  // expected-error@+1 {{cannot be vectorized by 'flattened-rows', as its lowering_config says: rows fill vectors; leave the strategy out to have one chosen}}
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x16xf32>, tensor<24xf32>) outs(%e : tensor<24x16xf32>)
      attrs = {lowering_config = #kgen.lowering_config<strategy = "flattened-rows">} {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x16xf32>
  return %0 : tensor<24x16xf32>
}
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
module {
func.func @no_window(%x: tensor<24x9xf32>, %m: tensor<24xf32>, %e: tensor<24x9xf32>) -> tensor<24x9xf32> {
  // expected-error@+1 {{cannot be vectorized by 'windows-nhwc', as its lowering_config says: the strategy is for other operations; leave the strategy out to have one chosen}}
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x9xf32>, tensor<24xf32>) outs(%e : tensor<24x9xf32>)
      attrs = {lowering_config = #kgen.lowering_config<strategy = "windows-nhwc">} {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x9xf32>
  return %0 : tensor<24x9xf32>
}
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
module {
func.func @no_vectors(%x: tensor<24x9xf32>, %m: tensor<24xf32>, %e: tensor<24x9xf32>) -> tensor<24x9xf32> {
  // expected-error@+1 {{has no vectors of [0, 24] iterations, as its lowering_config says; those of 'vector-loops' are [0, 8]; leave the vectors out to have them chosen}}
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x9xf32>, tensor<24xf32>) outs(%e : tensor<24x9xf32>)
      attrs = {lowering_config = #kgen.lowering_config<vector = [0, 24], strategy = "vector-loops">} {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x9xf32>
  return %0 : tensor<24x9xf32>
}
}

// -----

// Across the rows of a sum there are no vectors either.
#full = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
module {
func.func @no_strategy(%x: tensor<24x9xf32>, %e: tensor<24xf32>) -> tensor<24xf32> {
  // expected-error@+1 {{has no vectors of [0, 16] iterations, as its lowering_config says; leave the vectors out to have them chosen}}
  %0 = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<24x9xf32>) outs(%e : tensor<24xf32>)
      attrs = {lowering_config = #kgen.lowering_config<vector = [0, 16]>} {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<24xf32>
  return %0 : tensor<24xf32>
}
}

// -----

// A sum of columns adds one row after the other.
#full = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j)>
module {
func.func @no_unrolling(%x: tensor<24x64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error@+1 {{has no loop with 3 vectors in an iteration, as its lowering_config says; elementwise operations and reductions along vectors have, of up to 16 of them; leave 'unroll' out to have it chosen}}
  %0 = linalg.generic {indexing_maps = [#full, #columns], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<24x64xf32>) outs(%e : tensor<64xf32>) attrs = {lowering_config = #kgen.lowering_config<unroll = 3>} {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
}
