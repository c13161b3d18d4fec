// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v3},func.func(kgen-vectorize))" | FileCheck "%s"
// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v3},func.func(kgen-vectorize{select-only}))" | FileCheck "%s" --check-prefix=SELECT
// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v3},func.func(kgen-vectorize{select-only},kgen-vectorize))" | FileCheck "%s"
// The strategy that a lowering configuration names is taken; without one, the cheapest that matches. Writing it first
// and vectorizing then is the same.

#full = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
module attributes {kgen.decisions = []} {

// CHECK-LABEL: func.func @chosen
// CHECK-SAME:    strategy = "flattened-rows"
// CHECK:         kgen.dynamic_permute
// SELECT-LABEL: func.func @chosen
// SELECT:         linalg.generic
// SELECT-SAME:      lowering_config = #kgen.lowering_config<strategy = "flattened-rows">
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
// SELECT:         lowering_config = #kgen.lowering_config<strategy = "vector-loops">
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
// SELECT:         lowering_config = #kgen.lowering_config<strategy = "vector-loops">
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
// SELECT:         lowering_config = #kgen.lowering_config<strategy = "flattened-rows">
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
// SELECT:         lowering_config = #kgen.lowering_config<strategy = "scalar-loops">
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
}
