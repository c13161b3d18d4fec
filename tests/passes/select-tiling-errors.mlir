// Tiles that somebody wrote and that do not fit the operation; those of a node that has no such loop, or no operation.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --verify-diagnostics --kgen-select-tiling=level=distribution

func.func @rank(%x: tensor<64x32xf32>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error@+1 {{'linalg.exp' op has 2 loops, and its 'lowering_config' 1 tile sizes}}
  %r = linalg.exp {lowering_config = #kgen.lowering_config<distribution = [8]>} ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

func.func @large(%x: tensor<64x32xf32>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error@+1 {{'linalg.exp' op has 32 iterations of loop 1, its 'lowering_config' tiles of 48}}
  %r = linalg.exp {lowering_config = #kgen.lowering_config<distribution = [8, 48]>} ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

func.func @sum(%x: tensor<64x32xf32>, %z: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error@+1 {{'linalg.reduce' op adds up along loop 1: its tile size in 'lowering_config' must be 0}}
  %r = linalg.reduce {arith.addf} ins(%x : tensor<64x32xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
    {lowering_config = #kgen.lowering_config<distribution = [8, 8]>}
  return %r : tensor<64xf32>
}

// -----

func.func @not_tileable(%x: tensor<?x32xf32>, %e: tensor<?x32xf32>) -> tensor<?x32xf32> {
  // expected-error@+1 {{'linalg.exp' op has a 'lowering_config' with tile sizes, but cannot be tiled}}
  %r = linalg.exp {lowering_config = #kgen.lowering_config<cache = [8, 0]>} ins(%x : tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// -----

func.func @panels(%a: tensor<96x16xf32>, %b: tensor<4x16x32xf32>, %c: tensor<96x128xf32>) -> tensor<96x128xf32> {
  // expected-error@+1 {{'tpp.gemm' op has panels of 32 columns, its 'lowering_config' tiles of 48, which is no multiple}}
  %r = tpp.gemm ins(%a, %b : tensor<96x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<96x128xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32,
      lowering_config = #kgen.lowering_config<distribution = [24, 48, 0]>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<96x128xf32>
  return %r : tensor<96x128xf32>
}

// -----

// Which channels a group consists of is known for all of them together.
#channels = affine_map<(i, c, m) -> (i, (c floordiv 4) * 4 + m)>
func.func @groups(%x: tensor<64x32xf32>, %w: tensor<32x4xf32>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error@+1 {{'linalg.generic' op cannot be tiled along loop 1: its tile size in 'lowering_config' must be 0}}
  %r = linalg.generic {indexing_maps = [#channels, affine_map<(i, c, m) -> (c, m)>, affine_map<(i, c, m) -> (i, c)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x32xf32>, tensor<32x4xf32>) outs(%e : tensor<64x32xf32>)
      attrs = {lowering_config = #kgen.lowering_config<distribution = [0, 8, 0]>} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    linalg.yield %u : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
// What schedules decide is found by the names of nodes.
// expected-error@unknown {{schedule 's': node 'y' has no loop 'k' for 'tasks' here; its loops are m, n}}
func.func @loop(%x: tensor<64x32xf32>, %e: tensor<64x32xf32>) -> tensor<64x32xf32>
    attributes {kgen.node_decisions = [{node = "y", schedule = "s", tasks = {k = 8 : i64}}]} {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = math.exp %p : f32
    linalg.yield %t : f32
  } -> tensor<64x32xf32> loc("x")
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = math.exp %p : f32
    linalg.yield %t : f32
  } -> tensor<64x32xf32> loc("y")
  return %s : tensor<64x32xf32>
}

// -----

// expected-error@unknown {{schedule 's': node 'z' has no operation that 'tasks' could tile}}
func.func @node(%x: tensor<64x32xf32>) -> tensor<64x32xf32>
    attributes {kgen.node_decisions = [{node = "z", schedule = "s", tasks = {n = 8 : i64}}]} {
  return %x : tensor<64x32xf32>
}

// -----

// expected-error@unknown {{schedule 's': node 'z' has no product that a 'provider' could make micro-kernels for}}
func.func @product(%x: tensor<64x32xf32>) -> tensor<64x32xf32>
    attributes {kgen.node_decisions = [{node = "z", schedule = "s", provider = "vector"}]} {
  return %x : tensor<64x32xf32>
}

// -----

// expected-error@unknown {{schedule 's': node 'z' has no product that 'registers' could tile}}
func.func @no_registers(%x: tensor<64x32xf32>) -> tensor<64x32xf32>
    attributes {kgen.node_decisions = [{node = "z", schedule = "s", registers = {m = 4 : i64}}]} {
  return %x : tensor<64x32xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
func.func @registers_rank(%a: tensor<96x16xf32>, %b: tensor<4x16x32xf32>, %c: tensor<96x128xf32>) -> tensor<96x128xf32> {
  // expected-error@+1 {{'tpp.gemm' op has 3 loops, and the register tile of its 'lowering_config' 2 sizes}}
  %r = tpp.gemm ins(%a, %b : tensor<96x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<96x128xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32, lowering_config = #kgen.lowering_config<vector = [3, 32]>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<96x128xf32>
  return %r : tensor<96x128xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
func.func @registers_panel(%a: tensor<96x16xf32>, %b: tensor<4x16x32xf32>, %c: tensor<96x128xf32>) -> tensor<96x128xf32> {
  // expected-error@+1 {{'tpp.gemm' op has panels of 32 columns, which are no multiple of the 24 of a register tile in its 'lowering_config'}}
  %r = tpp.gemm ins(%a, %b : tensor<96x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<96x128xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32, lowering_config = #kgen.lowering_config<vector = [3, 24, 0]>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<96x128xf32>
  return %r : tensor<96x128xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
func.func @registers_many(%a: tensor<96x16xf32>, %b: tensor<4x16x32xf32>, %c: tensor<96x128xf32>) -> tensor<96x128xf32> {
  // expected-error@+1 {{'tpp.gemm' op needs 32 registers for the sums of the 8 x 32 register tile in its 'lowering_config', and one for an operand; x86-64-v3 has 16}}
  %r = tpp.gemm ins(%a, %b : tensor<96x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<96x128xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = [], panel = 32, lowering_config = #kgen.lowering_config<vector = [8, 32, 0]>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<96x128xf32>
  return %r : tensor<96x128xf32>
}
