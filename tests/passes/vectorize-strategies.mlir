// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v3},func.func(kgen-vectorize))" | FileCheck "%s"
// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v3},func.func(kgen-select-tiling{level=vector}))" | FileCheck "%s" --check-prefix=SELECT
// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v3},func.func(kgen-select-tiling{level=vector},kgen-vectorize))" | FileCheck "%s"
// The strategy and the vectors that a lowering configuration names are taken; without one, those of the cheapest strategy
// that matches. kgen-select-tiling writes them, and kgen-vectorize decides what is not written in the same way.

#full = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
module attributes {kgen.decisions = []} {

// CHECK-LABEL: func.func @chosen
// CHECK-SAME:    strategy = "flattened-rows"
// CHECK:         kgen.dynamic_permute
// SELECT-LABEL: func.func @chosen
// SELECT:         linalg.generic
// SELECT-SAME:      lowering_config = #kgen.lowering_config<vector = [0, 8], strategy = "flattened-rows">
func.func @chosen(%x: tensor<24x9xf32>, %m: tensor<24xf32>, %e: tensor<24x9xf32>) -> tensor<24x9xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x9xf32>, tensor<24xf32>) outs(%e : tensor<24x9xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x9xf32> loc("n")
  return %0 : tensor<24x9xf32>
}

// CHECK-LABEL: func.func @long_rows
// CHECK-SAME:    strategy = "vector-loops"
// CHECK-NOT:     kgen.dynamic_permute
// CHECK:         vector.transfer_write
// SELECT-LABEL: func.func @long_rows
// SELECT:         lowering_config = #kgen.lowering_config<vector = [0, 8], unroll = 1, strategy = "vector-loops">
func.func @long_rows(%x: tensor<24x12xf32>, %m: tensor<24xf32>, %e: tensor<24x12xf32>) -> tensor<24x12xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x12xf32>, tensor<24xf32>) outs(%e : tensor<24x12xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x12xf32> loc("n")
  return %0 : tensor<24x12xf32>
}

// CHECK-LABEL: func.func @forced
// CHECK-SAME:    strategy = "vector-loops"
// CHECK-NOT:     kgen.dynamic_permute
// CHECK:         vector.transfer_write {{.*}} vector<8xf32>
// CHECK:         vector.transfer_write {{.*}} vector<1xf32>
// SELECT-LABEL: func.func @forced
// SELECT:         lowering_config = #kgen.lowering_config<vector = [0, 8], unroll = 1, strategy = "vector-loops">
func.func @forced(%x: tensor<24x9xf32>, %m: tensor<24xf32>, %e: tensor<24x9xf32>) -> tensor<24x9xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x9xf32>, tensor<24xf32>) outs(%e : tensor<24x9xf32>)
      attrs = {lowering_config = #kgen.lowering_config<strategy = "vector-loops">} {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x9xf32> loc("n")
  return %0 : tensor<24x9xf32>
}

// What is dearer can be had, too.
// CHECK-LABEL: func.func @dearer
// CHECK-SAME:    strategy = "flattened-rows"
// CHECK:         kgen.dynamic_permute
// SELECT-LABEL: func.func @dearer
// SELECT:         lowering_config = #kgen.lowering_config<vector = [0, 8], strategy = "flattened-rows">
func.func @dearer(%x: tensor<24x12xf32>, %m: tensor<24xf32>, %e: tensor<24x12xf32>) -> tensor<24x12xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x12xf32>, tensor<24xf32>) outs(%e : tensor<24x12xf32>)
      attrs = {lowering_config = #kgen.lowering_config<strategy = "flattened-rows">} {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x12xf32> loc("n")
  return %0 : tensor<24x12xf32>
}

// The operation stays, without the configuration.
// CHECK-LABEL: func.func @scalar
// CHECK-SAME:    why = "its lowering configuration says so"
// CHECK-NOT:     vector.transfer_write
// CHECK:         linalg.generic
// CHECK-NOT:     lowering_config
// SELECT-LABEL: func.func @scalar
// SELECT:         lowering_config = #kgen.lowering_config<vector = [0, 0], strategy = "scalar-loops">
func.func @scalar(%x: tensor<24x9xf32>, %m: tensor<24xf32>, %e: tensor<24x9xf32>) -> tensor<24x9xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x9xf32>, tensor<24xf32>) outs(%e : tensor<24x9xf32>)
      attrs = {lowering_config = #kgen.lowering_config<strategy = "scalar-loops">} {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x9xf32> loc("n")
  return %0 : tensor<24x9xf32>
}

// The costs of those that match, and why others do not; nothing of those for other operations.
// CHECK-LABEL: func.func @record
// CHECK-SAME:    offers = [{refusal = "rows fill vectors", strategy = "flattened-rows"}, {refusal = "rows begin with cache lines", strategy = "full-lines"}, {cost = {{[0-9.e+-]+}} : f64, strategy = "vector-loops"}, {cost = {{[0-9.e+-]+}} : f64, strategy = "scalar-loops"}]
// SELECT-LABEL: func.func @record
func.func @record(%x: tensor<24x16xf32>, %m: tensor<24xf32>, %e: tensor<24x16xf32>) -> tensor<24x16xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x16xf32>, tensor<24xf32>) outs(%e : tensor<24x16xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x16xf32> loc("n")
  return %0 : tensor<24x16xf32>
}

// Written vectors: four at a time, which LLVM splits, then one; what is written stays.
// CHECK-LABEL: func.func @wider
// CHECK:         scf.for {{.*}} step %c32
// CHECK:           vector.transfer_write {{.*}} vector<32xf32>
// CHECK:         vector.transfer_write {{.*}} vector<8xf32>
// SELECT-LABEL: func.func @wider
// SELECT:         lowering_config = #kgen.lowering_config<vector = [0, 32], unroll = 1, strategy = "vector-loops">
func.func @wider(%x: tensor<24x72xf32>, %m: tensor<24xf32>, %e: tensor<24x72xf32>) -> tensor<24x72xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x72xf32>, tensor<24xf32>) outs(%e : tensor<24x72xf32>)
      attrs = {lowering_config = #kgen.lowering_config<vector = [0, 32]>} {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x72xf32> loc("n")
  return %0 : tensor<24x72xf32>
}

// Loops that have no vectors written are collapsed first, and what else is written on them is kept.
// CHECK-LABEL: func.func @collapsed
// CHECK:         vector.transfer_write {{.*}} vector<8xf32>, tensor<96xf32>
// SELECT-LABEL: func.func @collapsed
// SELECT:         lowering_config = #kgen.lowering_config<vector = [8], unroll = 1, non_temporal = false, strategy = "vector-loops">
func.func @collapsed(%x: tensor<24x4xf32>, %e: tensor<24x4xf32>) -> tensor<24x4xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<24x4xf32>) outs(%e : tensor<24x4xf32>)
      attrs = {lowering_config = #kgen.lowering_config<cache = [0, 0], non_temporal = false>} {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<24x4xf32> loc("n")
  return %0 : tensor<24x4xf32>
}

// Two vectors of one operation in an iteration, then one.
// CHECK-LABEL: func.func @unrolled
// CHECK:         scf.for {{.*}} step %c16
// CHECK-COUNT-2:   vector.transfer_write {{.*}} vector<8xf32>
// CHECK-NOT:       vector.transfer_write
// CHECK:           scf.yield
// CHECK:         vector.transfer_write {{.*}} vector<8xf32>
// SELECT-LABEL: func.func @unrolled
// SELECT:         lowering_config = #kgen.lowering_config<vector = [0, 8], unroll = 2, strategy = "vector-loops">
func.func @unrolled(%x: tensor<24x72xf32>, %m: tensor<24xf32>, %e: tensor<24x72xf32>) -> tensor<24x72xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x72xf32>, tensor<24xf32>) outs(%e : tensor<24x72xf32>)
      attrs = {lowering_config = #kgen.lowering_config<unroll = 2>} {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.mulf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<24x72xf32> loc("n")
  return %0 : tensor<24x72xf32>
}

// A reduction along vectors has four chains, or as many as are written.
// CHECK-LABEL: func.func @chains
// CHECK:         scf.for {{.*}} step %c32 iter_args(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) ->
// SELECT-LABEL: func.func @chains
// SELECT:         lowering_config = #kgen.lowering_config<vector = [0, 8], unroll = 4, strategy = "vector-loops">
func.func @chains(%x: tensor<3x192xf32>, %e: tensor<3xf32>) -> tensor<3xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x192xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<3xf32> loc("n")
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @two_chains
// CHECK:         scf.for {{.*}} step %c16 iter_args(%{{[^,]*}}, %{{[^,]*}}) ->
// SELECT-LABEL: func.func @two_chains
// SELECT:         lowering_config = #kgen.lowering_config<vector = [0, 8], unroll = 2, strategy = "vector-loops">
func.func @two_chains(%x: tensor<3x192xf32>, %e: tensor<3xf32>) -> tensor<3xf32> {
  %0 = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x192xf32>) outs(%e : tensor<3xf32>) attrs = {lowering_config = #kgen.lowering_config<unroll = 2>} {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<3xf32> loc("n")
  return %0 : tensor<3xf32>
}

// What a schedule decided on the operation of a node.
// SELECT-LABEL: func.func @scheduled
// SELECT-NOT:     node_decisions
// SELECT:         lowering_config = #kgen.lowering_config<vector = [8], unroll = 4, strategy = "vector-loops">
func.func @scheduled(%x: tensor<64xf32>, %e: tensor<64xf32>) -> tensor<64xf32>
    attributes {kgen.node_decisions = [{node = "n", schedule = "s", unroll = 4 : i64}]} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<64xf32> loc("n")
  return %0 : tensor<64xf32>
}
}
