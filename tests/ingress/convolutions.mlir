// RUN: kgen check "%s" --print-graph | FileCheck "%s"
// CHECK: graph hwcf
// CHECK: Conv({{.*}}) {auto_pad: "NOTSET", dilations: [1, 2], group: 1, strides: [2, 3]}
// CHECK: Add
// CHECK: graph fewer
// CHECK-NOT: Conv(
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
// The image has more windows than the result: Conv would compute all.
func.func @fewer(%x: tensor<2x11x13x5xf32>, %w: tensor<3x2x5x7xf32>, %b: tensor<2x5x4x7xf32>) -> tensor<2x5x4x7xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>}
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

// A batch normalization as torch-mlir writes it, and what follows: all of it is done with the channels last, and the scale is a part
// of the weights. The sum reads an image, and elements of its last dimension.
// RUN: kgen explain "%s" --target x86-64-v3 | FileCheck "%s" --check-prefix=NORMALIZED
// NORMALIZED: normalized on x86-64-v3
// NORMALIZED: kgen-fold-scales {{ *}}first sum {{ *}}a scale of channels is part of the weights
func.func @normalized(%x: tensor<1x3x6x5xf32>, %other: tensor<1x4x6x5xf32>, %column: tensor<5xf32>) -> tensor<1x2x6x5xf32> {
  %w = arith.constant dense<[[[[0.5]], [[-1.0]], [[2.0]]], [[[1.0]], [[1.5]], [[-0.5]]], [[[0.25]], [[2.0]], [[1.0]]], [[[-2.0]], [[1.0]], [[0.75]]]]> : tensor<4x3x1x1xf32>
  %v = arith.constant dense<[[[[1.0]], [[-0.5]], [[2.0]], [[0.25]]], [[[-1.0]], [[1.0]], [[0.5]], [[1.5]]]]> : tensor<2x4x1x1xf32>
  %gain = arith.constant dense<[2.0, 3.0, -1.0, 0.5]> : tensor<4xf32>
  %shift = arith.constant dense<[0.5, -1.0, 0.25, 0.0]> : tensor<4xf32>
  %mean = arith.constant dense<[0.1, 0.2, 0.3, -0.4]> : tensor<4xf32>
  %variance = arith.constant dense<[3.5, 8.5, 0.5, 1.5]> : tensor<4xf32>
  %epsilon = arith.constant 0.5 : f64
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x6x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x6x5xf32>) -> tensor<1x4x6x5xf32>
  %first = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x6x5xf32>, tensor<4x3x1x1xf32>) outs(%z : tensor<1x4x6x5xf32>) -> tensor<1x4x6x5xf32>
  %active = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (c)>,
      affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%first, %gain, %shift, %mean, %variance : tensor<1x4x6x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<1x4x6x5xf32>) {
  ^bb0(%a: f32, %g: f32, %s: f32, %m: f32, %v1: f32, %o: f32):
    %narrow = arith.truncf %epsilon : f64 to f32
    %0 = arith.addf %v1, %narrow : f32
    %1 = math.rsqrt %0 : f32
    %2 = arith.subf %a, %m : f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.mulf %3, %g : f32
    %5 = arith.addf %4, %s : f32
    %6 = arith.maximumf %5, %zero : f32
    linalg.yield %6 : f32
  } -> tensor<1x4x6x5xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (w)>,
      affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%active, %other, %column : tensor<1x4x6x5xf32>, tensor<1x4x6x5xf32>, tensor<5xf32>) outs(%e : tensor<1x4x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.mulf %b, %c : f32
    %1 = arith.addf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x4x6x5xf32>
  %e2 = tensor.empty() : tensor<1x2x6x5xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x2x6x5xf32>) -> tensor<1x2x6x5xf32>
  %second = linalg.conv_2d_nchw_fchw ins(%sum, %v : tensor<1x4x6x5xf32>, tensor<2x4x1x1xf32>) outs(%z2 : tensor<1x2x6x5xf32>) -> tensor<1x2x6x5xf32>
  return %second : tensor<1x2x6x5xf32>
}
