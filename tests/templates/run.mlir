// Templates on numbers: a product in f32, and in bf16 by pairs, against loops.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --reference | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 | FileCheck "%s" %}
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 | FileCheck "%s" %}
// CHECK: 2 checks hold
template.func {T : any_type_of<f32, bf16>, M : index, N : index, K : index}
@mma(%a : tensor<MxKxT>, %b : tensor<KxNxT>) -> tensor<MxNxf32> requires is_same(T, f32) || K % 2 == 0, "pairs" {
  %zero = template.constant 0 : f32
  %empty = tensor.empty() : tensor<MxNxf32>
  %out = linalg.fill ins(%zero : f32) outs(%empty : tensor<MxNxf32>) -> tensor<MxNxf32>
  template.const_if is_same(T, f32) {
    %0 = linalg.matmul ins(%a, %b : tensor<MxKxf32>, tensor<KxNxf32>) outs(%out : tensor<MxNxf32>) -> tensor<MxNxf32>
    return %0 : tensor<MxNxf32>
  } else {
    template.let P = K / 2
    %pairs = tensor.expand_shape %a [[0], [1, 2]] output_shape [M, P, 2] : tensor<MxKxT> into tensor<MxPx2xT>
    %space = tensor.empty() : tensor<PxNx2xT>
    %vnni = linalg.pack %b inner_dims_pos = [0] inner_tiles = [2] into %space : tensor<KxNxT> -> tensor<PxNx2xT>
    %1 = linalg.contract indexing_maps = [affine_map<(m, n, k, v) -> (m, k, v)>, affine_map<(m, n, k, v) -> (k, n, v)>,
                                          affine_map<(m, n, k, v) -> (m, n)>]
        ins(%pairs, %vnni : tensor<MxPx2xT>, tensor<PxNx2xT>) outs(%out : tensor<MxNxf32>) -> tensor<MxNxf32>
    return %1 : tensor<MxNxf32>
  }
}
func.func @main() {
  %a = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, -6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %b = arith.constant dense<[[1.0, 0.5, 2.0], [3.0, -1.0, 4.0], [0.25, 8.0, 1.0], [2.0, 2.0, -3.0]]> : tensor<4x3xf32>
  %an = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, -6.0, 7.0, 8.0]]> : tensor<2x4xbf16>
  %bn = arith.constant dense<[[1.0, 0.5, 2.0], [3.0, -1.0, 4.0], [0.25, 8.0, 1.0], [2.0, 2.0, -3.0]]> : tensor<4x3xbf16>
  %expected = arith.constant dense<[[15.75, 30.5, 1.0], [4.75, 80.5, -31.0]]> : tensor<2x3xf32>
  %0 = template.call @mma(%a, %b) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = template.call @mma(%an, %bn) : (tensor<2x4xbf16>, tensor<4x3xbf16>) -> tensor<2x3xf32>
  bench.expect_close %0, %expected : tensor<2x3xf32>
  bench.expect_close %1, %expected : tensor<2x3xf32>
  return
}
