// RUN: kgen check "%s" --print-graph | FileCheck "%s"
// CHECK: graph hwcf
// CHECK: Conv({{.*}}) {auto_pad: "NOTSET", dilations: [1, 2], group: 1, strides: [2, 3]}
// CHECK: Add
// CHECK: graph fchw
// CHECK-NOT: Transpose
// CHECK: graph depthwise
// CHECK: Conv({{.*}}group: 8
// CHECK: graph multiplied
// CHECK: Conv({{.*}}group: 4
// CHECK: Reshape
// Named convolutions: channels last with both orders of filters, channels first, depthwise; strides, dilations, a bias to start from.
func.func @hwcf(%x: tensor<2x11x13x5xf32>, %w: tensor<3x2x5x7xf32>, %b: tensor<2x5x4x7xf32>) -> tensor<2x5x4x7xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>}
    ins(%x, %w : tensor<2x11x13x5xf32>, tensor<3x2x5x7xf32>) outs(%b : tensor<2x5x4x7xf32>) -> tensor<2x5x4x7xf32>
  return %r : tensor<2x5x4x7xf32>
}
func.func @fchw(%x: tensor<1x5x9x9xf32>, %w: tensor<7x5x3x3xf32>) -> tensor<1x7x7x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x7x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x7x7xf32>) -> tensor<1x7x7x7xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<1x5x9x9xf32>, tensor<7x5x3x3xf32>) outs(%f : tensor<1x7x7x7xf32>) -> tensor<1x7x7x7xf32>
  return %r : tensor<1x7x7x7xf32>
}
func.func @depthwise(%x: tensor<1x10x10x8xf32>, %w: tensor<3x3x8xf32>) -> tensor<1x8x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<1x10x10x8xf32>, tensor<3x3x8xf32>) outs(%f : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  return %r : tensor<1x8x8x8xf32>
}
func.func @multiplied(%x: tensor<1x10x10x4xf32>, %w: tensor<3x3x4x2xf32>) -> tensor<1x8x8x4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x8x4x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x8x4x2xf32>) -> tensor<1x8x8x4x2xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwcm {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<1x10x10x4xf32>, tensor<3x3x4x2xf32>) outs(%f : tensor<1x8x8x4x2xf32>) -> tensor<1x8x8x4x2xf32>
  return %r : tensor<1x8x8x4x2xf32>
}
