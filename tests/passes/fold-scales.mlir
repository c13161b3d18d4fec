// Scales of channels after contractions with constant weights become part of them; what is added stays one constant a channel.
// RUN: kgen-opt "%s" --split-input-file --kgen-fold-scales --canonicalize --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --split-input-file --kgen-fold-scales | FileCheck "%s" --check-prefix=BYTES
// BYTES-LABEL: func.func @normalized
// BYTES: scaled: "0x40000000{{00000040000080400000404000008040}}"
// BYTES-LABEL: func.func @apart
// BYTES: scaled: "0x40000000{{0000803F000000400000404000008040}}{{00000040000080400000C04000000041}}"

module attributes {kgen.decisions = []} {
// A batch normalization as torch-mlir writes it, and a ReLU, after a convolution: factors are 2 / sqrt(-4 + 5) and 3 / sqrt(4 + 5).
// CHECK-LABEL: func @normalized
// CHECK-SAME:  what = "a scale of channels is part of the weights"
// CHECK-DAG:   %[[TERMS:.*]] = arith.constant dense<[-2.000000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK-DAG:   %[[W:.*]] = arith.constant dense_resource<scaled> : tensor<2x1x1x2xf32>
// CHECK:       %[[R:.*]] = linalg.conv_2d_nchw_fchw ins(%{{.*}}, %[[W]] :
// CHECK:       %[[S:.*]] = linalg.generic {{.*}} ins(%[[R]], %[[TERMS]] :
// CHECK:         arith.addf
// CHECK:       linalg.generic {{.*}} ins(%[[S]] :
// CHECK-NEXT:  ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:    arith.maximumf %[[IN]], %{{.*}}
func.func @normalized(%x: tensor<1x1x4x5xf32>) -> tensor<1x2x4x4xf32> {
  %w = arith.constant dense<[[[[1.0, 2.0]]], [[[3.0, 4.0]]]]> : tensor<2x1x1x2xf32>
  %gain = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %shift = arith.constant dense<[0.0, 5.0]> : tensor<2xf32>
  %mean = arith.constant dense<1.0> : tensor<2xf32>
  %variance = arith.constant dense<[-4.0, 4.0]> : tensor<2xf32>
  %epsilon = arith.constant 5.0 : f64
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x4x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x1x4x5xf32>, tensor<2x1x1x2xf32>) outs(%z : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (c)>,
      affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r, %gain, %shift, %mean, %variance : tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<1x2x4x4xf32>) {
  ^bb0(%a: f32, %g: f32, %s: f32, %m: f32, %v: f32, %o: f32):
    %narrow = arith.truncf %epsilon : f64 to f32
    %0 = arith.addf %v, %narrow : f32
    %1 = math.rsqrt %0 : f32
    %2 = arith.subf %a, %m : f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.mulf %3, %g : f32
    %5 = arith.addf %4, %s : f32
    %6 = arith.maximumf %5, %zero : f32
    linalg.yield %6 : f32
  } -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}
}

// -----

module attributes {kgen.decisions = []} {
// Single operations after a transposition and a reshape: channels are found in the dimension that has them.
// CHECK-LABEL: func @apart
// CHECK-SAME:  what = "a scale of channels is part of the weights"
// CHECK-DAG:   %[[TERMS:.*]] = arith.constant dense<[5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00]>
// CHECK:       %[[R:.*]] = linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<3x2xf32>, tensor<2x4xf32>)
// CHECK:       %[[S:.*]] = linalg.generic {{.*}} ins(%[[R]], %[[TERMS]] :
// CHECK:       %[[T:.*]] = linalg.transpose ins(%[[S]] :
// CHECK:       %[[E:.*]] = tensor.expand_shape %[[T]]
// CHECK-NOT:   mul
// CHECK:       return %[[E]]
func.func @apart(%x: tensor<3x2xf32>) -> tensor<2x2x3xf32> {
  %w = arith.constant dense<[[1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0]]> : tensor<2x4xf32>
  %scale = arith.constant dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf32>
  %shift = arith.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  %et = tensor.empty() : tensor<4x3xf32>
  %t = linalg.transpose ins(%r : tensor<3x4xf32>) outs(%et : tensor<4x3xf32>) permutation = [1, 0]
  %s = tensor.expand_shape %t [[0, 1], [2]] output_shape [2, 2, 3] : tensor<4x3xf32> into tensor<2x2x3xf32>
  %e3 = tensor.empty() : tensor<2x2x3xf32>
  %c = tensor.collapse_shape %scale [[0], [1, 2]] : tensor<2x2x1xf32> into tensor<2x2xf32>
  %b = linalg.broadcast ins(%c : tensor<2x2xf32>) outs(%e3 : tensor<2x2x3xf32>) dimensions = [2]
  %m = linalg.mul ins(%s, %b : tensor<2x2x3xf32>, tensor<2x2x3xf32>) outs(%e3 : tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  %d = linalg.broadcast ins(%shift : tensor<2x2xf32>) outs(%e3 : tensor<2x2x3xf32>) dimensions = [2]
  %y = linalg.add ins(%m, %d : tensor<2x2x3xf32>, tensor<2x2x3xf32>) outs(%e3 : tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  return %y : tensor<2x2x3xf32>
}
}

// -----

module attributes {kgen.decisions = []} {
// A weight that would be subnormal, and an infinite term: results would differ by more than rounding.
// CHECK-LABEL: func @subnormal
// CHECK-SAME:  why = "a scaled weight would not be a normal number, or the constant has no data"
// CHECK:       linalg.mul
func.func @subnormal(%x: tensor<3x2xf32>) -> tensor<3x4xf32> {
  %w = arith.constant dense<1.0e-20> : tensor<2x4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  %s = arith.constant 1.0e-20 : f32
  %f = linalg.fill ins(%s : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %m = linalg.mul ins(%r, %f : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %m : tensor<3x4xf32>
}
// CHECK-LABEL: func @infinite
// CHECK-SAME:  why = "what is added is not finite"
func.func @infinite(%x: tensor<3x2xf32>) -> tensor<3x4xf32> {
  %w = arith.constant dense<1.0> : tensor<2x4xf32>
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %two : f32
    %1 = arith.addf %0, %infinity : f32
    linalg.yield %1 : f32
  } -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
}

// -----

#full = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>
module attributes {kgen.decisions = []} {
// Left alone: a scale of rows, a scale that is an argument, weights that are an argument, sums that start from a bias, a result that
// something else reads, and an addition alone.
// CHECK-LABEL: func @rows
// CHECK:       arith.mulf
// CHECK-LABEL: func @argument
// CHECK:       arith.mulf
// CHECK-LABEL: func @weights
// CHECK:       arith.mulf
// CHECK-LABEL: func @biased
// CHECK:       arith.mulf
// CHECK-LABEL: func @shared
// CHECK:       arith.mulf
// CHECK-LABEL: func @added
// CHECK-NOT:   scaled
// CHECK:       return
func.func @rows(%x: tensor<3x2xf32>) -> tensor<3x4xf32> {
  %w = arith.constant dense<1.0> : tensor<2x4xf32>
  %scale = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]} ins(%r, %scale : tensor<3x4xf32>, tensor<3xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @argument(%x: tensor<3x2xf32>, %scale: tensor<4xf32>) -> tensor<3x4xf32> {
  %w = arith.constant dense<1.0> : tensor<2x4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.generic {indexing_maps = [#full, #column, #full], iterator_types = ["parallel", "parallel"]} ins(%r, %scale : tensor<3x4xf32>, tensor<4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @weights(%x: tensor<3x2xf32>, %w: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %scale = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.generic {indexing_maps = [#full, #column, #full], iterator_types = ["parallel", "parallel"]} ins(%r, %scale : tensor<3x4xf32>, tensor<4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @biased(%x: tensor<3x2xf32>, %z: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %w = arith.constant dense<1.0> : tensor<2x4xf32>
  %scale = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.generic {indexing_maps = [#full, #column, #full], iterator_types = ["parallel", "parallel"]} ins(%r, %scale : tensor<3x4xf32>, tensor<4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @shared(%x: tensor<3x2xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %w = arith.constant dense<1.0> : tensor<2x4xf32>
  %scale = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.generic {indexing_maps = [#full, #column, #full], iterator_types = ["parallel", "parallel"]} ins(%r, %scale : tensor<3x4xf32>, tensor<4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x4xf32>
  return %y, %r : tensor<3x4xf32>, tensor<3x4xf32>
}
func.func @added(%x: tensor<3x2xf32>) -> tensor<3x4xf32> {
  %w = arith.constant dense<1.0> : tensor<2x4xf32>
  %shift = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = linalg.generic {indexing_maps = [#full, #column, #full], iterator_types = ["parallel", "parallel"]} ins(%r, %shift : tensor<3x4xf32>, tensor<4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
}

// -----

// Sums of products to one number, with a scale after it: there are no channels. A product of a row of weights has one channel of one element.
// CHECK-LABEL: func @number
// CHECK:       linalg.dot
// CHECK:       arith.mulf
// CHECK-LABEL: func @single
// CHECK:       linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK:       linalg.generic
// CHECK:         arith.mulf
func.func @number(%x: tensor<3xf32>) -> tensor<f32> {
  %w = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %scale = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.dot ins(%x, %w : tensor<3xf32>, tensor<3xf32>) outs(%z : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%r : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
func.func @single(%x: tensor<3xf32>) -> tensor<1xf32> {
  %w = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %scale = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> (0)>], iterator_types = ["reduction"]}
      ins(%x, %w : tensor<3xf32>, tensor<3xf32>) outs(%z : tensor<1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%r : tensor<1xf32>) outs(%e : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// -----

// Operations on buffers are left alone.
// CHECK-LABEL: func @buffers
// CHECK:       linalg.matmul ins(%arg0, %arg1 :
// CHECK:       linalg.generic
// CHECK:         arith.mulf
func.func @buffers(%x: memref<3x2xf32>, %w: memref<2x4xf32>, %r: memref<3x4xf32>, %y: memref<3x4xf32>) {
  %scale = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%r : memref<3x4xf32>)
  linalg.matmul ins(%x, %w : memref<3x2xf32>, memref<2x4xf32>) outs(%r : memref<3x4xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%r : memref<3x4xf32>) outs(%y : memref<3x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %scale : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#full = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
module attributes {kgen.decisions = []} {
// A number of rows that is known at run time only: what is added is added to a tensor of as many.
// CHECK-LABEL: func @open
// CHECK-SAME:    %[[ROWS:.*]]: index
// CHECK-DAG:   %[[TERMS:.*]] = arith.constant dense<[2.000000e+00, 6.000000e+00, 1.200000e+01, 2.000000e+01]> : tensor<4xf32>
// CHECK-DAG:   %[[W:.*]] = arith.constant dense_resource<scaled{{.*}}> : tensor<2x4xf32>
// CHECK:       %[[R:.*]] = linalg.matmul ins(%{{.*}}, %[[W]] : tensor<?x2xf32>, tensor<2x4xf32>)
// CHECK:       %[[E:.*]] = tensor.empty(%[[ROWS]]) : tensor<?x4xf32>
// CHECK:       linalg.generic {{.*}} ins(%[[R]], %[[TERMS]] : tensor<?x4xf32>, tensor<4xf32>) outs(%[[E]] : tensor<?x4xf32>)
// CHECK:         arith.addf
func.func @open(%m: index {kgen.size = #kgen.size<"m", min = 1, max = 67, multiple = 1>},
                %x: tensor<?x2xf32> {kgen.shape = affine_map<()[m] -> (m, 2)>}) -> tensor<?x4xf32> {
  %w = arith.constant dense<1.0> : tensor<2x4xf32>
  %bias = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %scale = arith.constant dense<[2.0, 3.0, 4.0, 5.0]> : tensor<4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x2xf32>, tensor<2x4xf32>) outs(%z : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#full, #column, #column, #full], iterator_types = ["parallel", "parallel"]}
      ins(%r, %bias, %scale : tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
}
