// Passes that --debug-only names print to stderr why they leave something as it is; others are silent.
// RUN: kgen-opt "%s" --kgen-fuse-elementwise --debug-only=kgen-fuse-elementwise -o "%t" 2>&1 | FileCheck "%s" --check-prefix=ELEMENTWISE
// RUN: kgen-opt "%s" --kgen-fuse-epilogues --kgen-expand-math --kgen-target=x86-64-v3 --debug-only=kgen-fuse-epilogues,kgen-expand-math -o "%t" 2>&1 | FileCheck "%s" --check-prefix=EPILOGUE
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-select-tiling=level=distribution --debug-only=kgen-select-tiling -o "%t" 2>&1 | FileCheck "%s" --check-prefix=TASKS
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-vectorize --debug-only=kgen-vectorize -o "%t" 2>&1 | FileCheck "%s" --check-prefix=VECTORIZE
// RUN: kgen-opt "%s" --kgen-fuse-elementwise --kgen-fuse-epilogues --debug-only=kgen-vectorize -o "%t" 2>&1 | count 0
// RUN: not kgen-opt "%s" --kgen-fuse-epilogues --debug-only=kgen-fuse-epilogue 2>&1 | FileCheck "%s" --check-prefix=UNKNOWN

// UNKNOWN:      kgen-opt: error: --debug-only: there is no pass 'kgen-fuse-epilogue'; expected one of
// UNKNOWN-SAME: kgen-fuse-epilogues, {{.*}}kgen-vectorize,

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>
#rows = affine_map<(m, n) -> (m)>

// The product's result is read twice: the relu is no epilogue of it.
// EPILOGUE: [kgen-fuse-epilogues] (relu): the contraction's result is read elsewhere, too
func.func @epilogue(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %e: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<4x4xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x4xf32> loc("product")
  // TASKS: [kgen-select-tiling] (relu): less work than a task
  %r = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.maximumf %x, %zero : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32> loc("relu")
  return %r, %g : tensor<4x4xf32>, tensor<4x4xf32>
}

// A pattern's reason, with the line of the operation.
func.func @pattern(%x: f32, %y: f32) -> f32 {
  // EPILOGUE: [kgen-expand-math] {{.*}}debug-only.mlir:[[#@LINE+1]]:8: both operands may be NaN
  %z = arith.maxnumf %x, %y : f32
  return %z : f32
}

// Both readers need the negation.
// ELEMENTWISE: [kgen-fuse-elementwise] (negation): is not fused into its reader: its result is read more than once
func.func @elementwise(%x: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %n = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32> loc("negation")
  %r = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%n : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = math.absf %p : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32> loc("magnitude")
  return %n, %r : tensor<8x8xf32>, tensor<8x8xf32>
}

// A vector holds a row.
// VECTORIZE: [kgen-vectorize] (scaled): not flattened-rows: rows fill vectors
func.func @vectorize(%x: tensor<24x8xf32>, %m: tensor<24xf32>, %e: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %r = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<24x8xf32>, tensor<24xf32>) outs(%e : tensor<24x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<24x8xf32> loc("scaled")
  return %r : tensor<24x8xf32>
}
