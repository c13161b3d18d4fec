// RUN: kgen explain "%s" --target x86-64-v3 | FileCheck "%s"
// The padding, the bias, the sum and both limits are parts of two convolutions.
// CHECK: 4 steps
// CHECK: contraction 14 x 14 x 16 x 144
// CHECK: contraction 14 x 14 x 16 x 144
// A block of a residual network in TOSA, channels last.
func.func @block(%x: tensor<1x14x14x16xf32>, %w1: tensor<16x3x3x16xf32>, %b1: tensor<16xf32>, %w2: tensor<16x3x3x16xf32>, %b2: tensor<16xf32>)
    -> tensor<1x14x14x16xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %c1 = tosa.conv2d %x, %w1, %b1, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
    : (tensor<1x14x14x16xf32>, tensor<16x3x3x16xf32>, tensor<16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x14x14x16xf32>
  %r1 = tosa.clamp %c1 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x14x14x16xf32>) -> tensor<1x14x14x16xf32>
  %c2 = tosa.conv2d %r1, %w2, %b2, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
    : (tensor<1x14x14x16xf32>, tensor<16x3x3x16xf32>, tensor<16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x14x14x16xf32>
  %sum = tosa.add %c2, %x : (tensor<1x14x14x16xf32>, tensor<1x14x14x16xf32>) -> tensor<1x14x14x16xf32>
  %r2 = tosa.clamp %sum {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x14x14x16xf32>) -> tensor<1x14x14x16xf32>
  return %r2 : tensor<1x14x14x16xf32>
}
