// A matrix packed into padded blocks and back, as it was; and the padding itself.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --reference | FileCheck "%s"
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 | FileCheck "%s" %}
// CHECK: 2 checks hold
func.func @main(%a: tensor<250x500xf32>) {
  %pad = arith.constant 7.5 : f32
  %e = tensor.empty() : tensor<8x32x32x16xf32>
  %p = linalg.pack %a padding_value(%pad : f32) inner_dims_pos = [0, 1] inner_tiles = [32, 16]
      into %e : tensor<250x500xf32> -> tensor<8x32x32x16xf32>
  %f = tensor.empty() : tensor<250x500xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [32, 16]
      into %f : tensor<8x32x32x16xf32> -> tensor<250x500xf32>
  bench.expect_close %u, %a {absolute = 0.0, relative = 0.0} : tensor<250x500xf32>
  // The same by padding, cutting and transposing.
  %padded = tensor.pad %a low[0, 0] high[6, 12] {
  ^bb0(%i: index, %j: index):
    tensor.yield %pad : f32
  } : tensor<250x500xf32> to tensor<256x512xf32>
  %cut = tensor.expand_shape %padded [[0, 1], [2, 3]] output_shape [8, 32, 32, 16] : tensor<256x512xf32> into tensor<8x32x32x16xf32>
  %g = tensor.empty() : tensor<8x32x32x16xf32>
  %t = linalg.transpose ins(%cut : tensor<8x32x32x16xf32>) outs(%g : tensor<8x32x32x16xf32>) permutation = [0, 2, 1, 3]
  bench.expect_close %p, %t {absolute = 0.0, relative = 0.0} : tensor<8x32x32x16xf32>
  return
}
