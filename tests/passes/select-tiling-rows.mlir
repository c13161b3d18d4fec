// The strategy that writes the rows of a chain and the rows of its tiles are chosen together, where memory holds what the chain reads.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-select-tiling=level=cache | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-select-tiling=level=cache --kgen-cache-tiling --kgen-select-tiling=level=vector | FileCheck "%s" --check-prefix=VECTOR

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// Rows of 65 elements as one: tiles of as many rows as a transpose block. The last seven rows are no tile of that strategy.
// CHECK-LABEL: func @flattened
// CHECK:       lowering_config = #kgen.lowering_config<cache = [16, 0], strategy = "flattened-rows">
// VECTOR-LABEL: func @flattened
// VECTOR:         scf.for
// VECTOR:           strategy = "flattened-rows"
// VECTOR:         outs(%{{.*}} : tensor<7x65xf32>) {{.*}} strategy = "full-lines"
func.func @flattened(%x: tensor<64007x65xf32>, %z: tensor<64007xf32>, %f: tensor<64007x65xf32>) -> tensor<64007x65xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64007x65xf32>) outs(%z : tensor<64007xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<64007xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<64007x65xf32>, tensor<64007xf32>) outs(%f : tensor<64007x65xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<64007x65xf32>
  return %r : tensor<64007x65xf32>
}

// With an operand for each column rows cannot be flattened.
// CHECK-LABEL: func @lines
// CHECK:       lowering_config = #kgen.lowering_config<cache = [16, 0], strategy = "full-lines">
// VECTOR-LABEL: func @lines
// VECTOR:         scf.for
// VECTOR:           strategy = "full-lines"
func.func @lines(%x: tensor<64000x65xf32>, %c: tensor<65xf32>, %z: tensor<64000xf32>, %f: tensor<64000x65xf32>) -> tensor<64000x65xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64000x65xf32>) outs(%z : tensor<64000xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<64000xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s, %c : tensor<64000x65xf32>, tensor<64000xf32>, tensor<65xf32>) outs(%f : tensor<64000x65xf32>) {
  ^bb0(%p: f32, %q: f32, %v: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    %u = arith.mulf %t, %v : f32
    linalg.yield %u : f32
  } -> tensor<64000x65xf32>
  return %r : tensor<64000x65xf32>
}

// Rows that begin with cache lines get tiles of the bytes that the L1 holds, and no strategy: that is for the tile to say.
// CHECK-LABEL: func @loops
// CHECK:       lowering_config = #kgen.lowering_config<cache = [2, 0]>
// VECTOR-LABEL: func @loops
// VECTOR:         strategy = "vector-loops"
func.func @loops(%x: tensor<8000x1024xf32>, %z: tensor<8000xf32>, %f: tensor<8000x1024xbf16>) -> tensor<8000x1024xbf16> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8000x1024xf32>) outs(%z : tensor<8000xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8000xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<8000x1024xf32>, tensor<8000xf32>) outs(%f : tensor<8000x1024xbf16>) {
  ^bb0(%p: f32, %q: f32, %o: bf16):
    %t = arith.subf %p, %q : f32
    %u = arith.truncf %t : f32 to bf16
    linalg.yield %u : bf16
  } -> tensor<8000x1024xbf16>
  return %r : tensor<8000x1024xbf16>
}
