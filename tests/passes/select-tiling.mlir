// What is decided on tiles of tasks is written on the operations: roots, what stays out of their tasks, and what was given.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --kgen-select-tiling="level=distribution task-work=1200" | FileCheck "%s"

#id = affine_map<(i, j) -> (i, j)>
#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 262144, gemm_tiles = {gemm_f32 = {mr = 6 : i64, nr = 16 : i64, mc = 48 : i64, kc = 1024 : i64}}>
module attributes {kgen.target = #target} {
// CHECK-LABEL: func @grid
// CHECK: tpp.gemm {{.*}} lowering_config = #kgen.lowering_config<distribution = [24, 64, 0]>
func.func @grid(%a: tensor<96x16xf32>, %b: tensor<4x16x32xf32>, %c: tensor<96x128xf32>) -> tensor<96x128xf32> {
  %r = tpp.gemm ins(%a, %b : tensor<96x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<96x128xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<96x128xf32>
  return %r : tensor<96x128xf32>
}

// A producer of the root has nothing: it joins. So has what is too small for tasks.
// CHECK-LABEL: func @joins
// CHECK: math.exp
// CHECK-NOT: lowering_config
// CHECK: tpp.gemm {{.*}} lowering_config = #kgen.lowering_config<distribution = [24, 0, 0]>
// CHECK: math.exp
// CHECK-NOT: lowering_config
// CHECK: return
func.func @joins(%x: tensor<96x16xf32>, %b: tensor<1x16x32xf32>, %c: tensor<96x32xf32>, %y: tensor<4x4xf32>) -> (tensor<96x32xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<96x16xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<96x16xf32>) outs(%e : tensor<96x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = math.exp %p : f32
    linalg.yield %t : f32
  } -> tensor<96x16xf32>
  %r = tpp.gemm ins(%a, %b : tensor<96x16xf32>, tensor<1x16x32xf32>) outs(%c : tensor<96x32xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<96x32xf32>
  %f = tensor.empty() : tensor<4x4xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = math.exp %p : f32
    linalg.yield %t : f32
  } -> tensor<4x4xf32>
  return %r, %s : tensor<96x32xf32>, tensor<4x4xf32>
}

// What is given stays, and other parts with it. An operation with tiles of its own, be they 0, does not join.
// CHECK-LABEL: func @given
// CHECK: linalg.generic {{.*}}lowering_config = #kgen.lowering_config<distribution = [0, 0]>
// CHECK: tpp.gemm {{.*}} lowering_config = #kgen.lowering_config<distribution = [48, 0, 0], strategy = "s">
func.func @given(%x: tensor<96x16xf32>, %b: tensor<4x16x32xf32>, %c: tensor<96x128xf32>) -> tensor<96x128xf32> {
  %e = tensor.empty() : tensor<96x16xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<96x16xf32>) outs(%e : tensor<96x16xf32>)
      attrs = {lowering_config = #kgen.lowering_config<distribution = [0, 0]>} {
  ^bb0(%p: f32, %o: f32):
    %t = math.exp %p : f32
    linalg.yield %t : f32
  } -> tensor<96x16xf32>
  %r = tpp.gemm ins(%a, %b : tensor<96x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<96x128xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32, lowering_config = #kgen.lowering_config<distribution = [48, 0, 0], strategy = "s">} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<96x128xf32>
  return %r : tensor<96x128xf32>
}
}

// -----

// A schedule's tiles, by the name of the node: a tile of the loop's size is the loop. The log says what was chosen in a schedule's words.
module attributes {kgen.decisions = []} {
// CHECK-LABEL: func @scheduled
// CHECK-SAME: details = {key = "tasks", sizes = {m = 32 : i64}}, kind = "tiles", nodes = ["y"], pass = "kgen-select-tiling"
// CHECK: lowering_config = #kgen.lowering_config<distribution = [32, 0, 0]>
func.func @scheduled(%a: tensor<96x16xf32>, %b: tensor<4x16x32xf32>, %c: tensor<96x128xf32>) -> tensor<96x128xf32>
    attributes {kgen.node_decisions = [{node = "y", schedule = "s", tasks = {m = 32 : i64, n = 128 : i64}}]} {
  %r = tpp.gemm ins(%a, %b : tensor<96x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<96x128xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<96x128xf32> loc("y")
  return %r : tensor<96x128xf32>
}
}
