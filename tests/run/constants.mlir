// Weights: a constant B is packed and leaves the module, as in a library; the loader finds it. Expected values are worked out.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --reference | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 | FileCheck "%s" %}
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 | FileCheck "%s" %}

func.func @main() {
  %a = arith.constant dense<[[1.0, 0.0, 2.0], [0.0, -1.0, 1.0]]> : tensor<2x3xf32>
  %w = arith.constant dense<[[ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13., 14., 15., 16., 17., 18., 19., 20., 21., 22., 23.],
                             [10., 11., 12., 13., 14., 15., 16., 17., 18., 19., 20., 21., 22., 23., 24., 25., 26., 27., 28., 29., 30., 31., 32., 33.],
                             [ 1.,  1.,  1.,  1.,  1.,  1.,  1.,  1.,  1.,  1.,  1.,  1.,  2.,  2.,  2.,  2.,  2.,  2.,  2.,  2.,  2.,  2.,  2.,  2.]]> : tensor<3x24xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x24xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24xf32>) -> tensor<2x24xf32>
  %r = linalg.matmul ins(%a, %w : tensor<2x3xf32>, tensor<3x24xf32>) outs(%z : tensor<2x24xf32>) -> tensor<2x24xf32>
  %expected = arith.constant dense<[
    [  2.,   3.,   4.,   5.,   6.,   7.,   8.,   9.,  10.,  11.,  12.,  13.,  16.,  17.,  18.,  19.,  20.,  21.,  22.,  23.,  24.,  25.,  26.,  27.],
    [ -9., -10., -11., -12., -13., -14., -15., -16., -17., -18., -19., -20., -20., -21., -22., -23., -24., -25., -26., -27., -28., -29., -30., -31.]]> : tensor<2x24xf32>
  bench.expect_close %r, %expected {relative = 0.0} : tensor<2x24xf32>
  return
}
// CHECK: 1 check holds
