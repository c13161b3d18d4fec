// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-contractions-to-tpp=require-all
// Contractions that would become plain loops.

func.func @types(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf64>) -> tensor<4x8xf64> {
  // expected-error@+1 {{is a contraction of 'tensor<4x6xf32>' and 'tensor<6x8xf32>' into 'tensor<4x8xf64>' that is no tile operation: A and B must have types that go together, and C the type in which their products are added up}}
  %r = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf64>) -> tensor<4x8xf64>
  return %r : tensor<4x8xf64>
}

// -----

#a = affine_map<(m, n, x, y, z) -> (m, x, y, z)>
#b = affine_map<(m, n, x, y, z) -> (x, y, z, n)>
#c = affine_map<(m, n, x, y, z) -> (m, n)>
func.func @sums(%a: tensor<4x2x3x6xf32>, %b: tensor<2x3x6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{that is no tile operation: more than two dimensions are summed over}}
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : tensor<4x2x3x6xf32>, tensor<2x3x6x8xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
