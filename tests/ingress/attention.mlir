// RUN: kgen explain "%s" --target x86-64-v3 | FileCheck "%s"
// Twelve heads as exporters write them: transposes of operands and result are read and written through, a softmax in five operations that keep
// their dimension of 1; all of it is one attention without a copy.
// CHECK: workspace 298.0 kB, {{.*}} copied in each run 0 B
// CHECK: max {{.*}} 10 1-6 fused loops
// CHECK: scores {{.*}} 12 tasks, each a contraction 128 x 32 x 64
#id3 = affine_map<(a, b, c) -> (a, b, c)>
#id4 = affine_map<(a, b, c, d) -> (a, b, c, d)>
#r4 = affine_map<(a, b, c, d) -> (a, b, c, 0)>
func.func @attention(%q: tensor<1x128x768xf32>, %k: tensor<1x128x768xf32>, %v: tensor<1x128x768xf32>) -> tensor<1x128x768xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 8.0 : f32
  %qe = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [1, 128, 12, 64] : tensor<1x128x768xf32> into tensor<1x128x12x64xf32>
  %qi = tensor.empty() : tensor<1x12x128x64xf32>
  %qt = linalg.transpose ins(%qe : tensor<1x128x12x64xf32>) outs(%qi : tensor<1x12x128x64xf32>) permutation = [0, 2, 1, 3]
  %qc = tensor.collapse_shape %qt [[0, 1], [2], [3]] : tensor<1x12x128x64xf32> into tensor<12x128x64xf32>
  %ke = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [1, 128, 12, 64] : tensor<1x128x768xf32> into tensor<1x128x12x64xf32>
  %ki = tensor.empty() : tensor<1x12x64x128xf32>
  %kt = linalg.transpose ins(%ke : tensor<1x128x12x64xf32>) outs(%ki : tensor<1x12x64x128xf32>) permutation = [0, 2, 3, 1]
  %kc = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<1x12x64x128xf32> into tensor<12x64x128xf32>
  %ve = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [1, 128, 12, 64] : tensor<1x128x768xf32> into tensor<1x128x12x64xf32>
  %vi = tensor.empty() : tensor<1x12x128x64xf32>
  %vt = linalg.transpose ins(%ve : tensor<1x128x12x64xf32>) outs(%vi : tensor<1x12x128x64xf32>) permutation = [0, 2, 1, 3]
  %vc = tensor.collapse_shape %vt [[0, 1], [2], [3]] : tensor<1x12x128x64xf32> into tensor<12x128x64xf32>
  %se = tensor.empty() : tensor<12x128x128xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<12x128x128xf32>) -> tensor<12x128x128xf32>
  %scores = linalg.batch_matmul ins(%qc, %kc : tensor<12x128x64xf32>, tensor<12x64x128xf32>) outs(%sf : tensor<12x128x128xf32>) -> tensor<12x128x128xf32>
  %s4 = tensor.expand_shape %scores [[0, 1], [2], [3]] output_shape [1, 12, 128, 128] : tensor<12x128x128xf32> into tensor<1x12x128x128xf32>
  %e4 = tensor.empty() : tensor<1x12x128x128xf32>
  %scaled = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s4 : tensor<1x12x128x128xf32>) outs(%e4 : tensor<1x12x128x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<1x12x128x128xf32>
  %r1 = tensor.empty() : tensor<1x12x128x1xf32>
  %mf = linalg.fill ins(%ninf : f32) outs(%r1 : tensor<1x12x128x1xf32>) -> tensor<1x12x128x1xf32>
  %max = linalg.generic {indexing_maps = [#id4, #r4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%scaled : tensor<1x12x128x128xf32>) outs(%mf : tensor<1x12x128x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<1x12x128x1xf32>
  %sub = linalg.generic {indexing_maps = [#id4, #r4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%scaled, %max : tensor<1x12x128x128xf32>, tensor<1x12x128x1xf32>) outs(%e4 : tensor<1x12x128x128xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    linalg.yield %0 : f32
  } -> tensor<1x12x128x128xf32>
  %exp = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sub : tensor<1x12x128x128xf32>) outs(%e4 : tensor<1x12x128x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<1x12x128x128xf32>
  %uf = linalg.fill ins(%zero : f32) outs(%r1 : tensor<1x12x128x1xf32>) -> tensor<1x12x128x1xf32>
  %sum = linalg.generic {indexing_maps = [#id4, #r4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%exp : tensor<1x12x128x128xf32>) outs(%uf : tensor<1x12x128x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<1x12x128x1xf32>
  %div = linalg.generic {indexing_maps = [#id4, #r4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%exp, %sum : tensor<1x12x128x128xf32>, tensor<1x12x128x1xf32>) outs(%e4 : tensor<1x12x128x128xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.divf %in, %m : f32
    linalg.yield %0 : f32
  } -> tensor<1x12x128x128xf32>
  %dc = tensor.collapse_shape %div [[0, 1], [2], [3]] : tensor<1x12x128x128xf32> into tensor<12x128x128xf32>
  %oe = tensor.empty() : tensor<12x128x64xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
  %o = linalg.batch_matmul ins(%dc, %vc : tensor<12x128x128xf32>, tensor<12x128x64xf32>) outs(%of : tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
  %o4 = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [1, 12, 128, 64] : tensor<12x128x64xf32> into tensor<1x12x128x64xf32>
  %oi = tensor.empty() : tensor<1x128x12x64xf32>
  %ot = linalg.transpose ins(%o4 : tensor<1x12x128x64xf32>) outs(%oi : tensor<1x128x12x64xf32>) permutation = [0, 2, 1, 3]
  %r = tensor.collapse_shape %ot [[0], [1], [2, 3]] : tensor<1x128x12x64xf32> into tensor<1x128x768xf32>
  return %r : tensor<1x128x768xf32>
}
