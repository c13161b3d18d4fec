// Scales of channels in front of contractions with constant weights become part of them.
// RUN: kgen-opt "%s" --split-input-file --kgen-fold-scales --canonicalize --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --split-input-file --kgen-fold-scales | FileCheck "%s" --check-prefix=BYTES
// Rows of [[1, 2], [3, 4]] times 2 and 0.5; elements 1, 2, 4, 8 of two taps times 2, 3 and 10.
// BYTES-LABEL: func.func @matmul
// BYTES: scaled: "0x4000000000000040000080400000C03F00000040"
// BYTES-LABEL: func.func @both
// BYTES: scaled: "0x400000000000A041000070420000A04200007043"

#id = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
module attributes {kgen.decisions = []} {
// CHECK-LABEL: func @matmul
// CHECK-SAME:  what = "a scale in front is part of the weights"
// CHECK:       %[[W:.*]] = arith.constant dense_resource<scaled> : tensor<2x2xf32>
// CHECK-NOT:   mulf
// CHECK:       linalg.matmul ins(%arg0, %[[W]] :
func.func @matmul(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %scale = arith.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %s = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %scale : tensor<3x2xf32>, tensor<2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %r = linalg.matmul ins(%s, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
}

// -----

#column = affine_map<(n, h, c) -> (c)>
#all = affine_map<(n, h, c) -> (n, h, c)>
module attributes {kgen.decisions = []} {
// A padded image of two channels whose pixels are beside each other, as kgen's own convolutions read it, and a scale after it.
// CHECK-LABEL: func @both
// CHECK-SAME:  what = "scales in front and behind are part of the weights"
// CHECK:       %[[W:.*]] = arith.constant dense_resource<scaled> : tensor<4x1xf32>
// CHECK-NOT:   mulf
// CHECK:       %[[P:.*]] = tensor.pad %arg0
// CHECK:       %[[C:.*]] = tensor.collapse_shape %[[P]]
// CHECK:       linalg.generic {{.*}} ins(%[[C]], %[[W]] :
func.func @both(%x: tensor<1x5x2xf32>) -> tensor<1x5x1xf32> {
  %w = arith.constant dense<[[1.0], [2.0], [4.0], [8.0]]> : tensor<4x1xf32>
  %scale = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %ten = arith.constant 10.0 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x2xf32>
  %ey = tensor.empty() : tensor<1x5x1xf32>
  %s = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %scale : tensor<1x5x2xf32>, tensor<2xf32>) outs(%e : tensor<1x5x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x5x2xf32>
  %p = tensor.pad %s low[0, 0, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<1x5x2xf32> to tensor<1x6x2xf32>
  %c = tensor.collapse_shape %p [[0], [1, 2]] : tensor<1x6x2xf32> into tensor<1x12xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x5x1xf32>) -> tensor<1x5x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, y, f, k) -> (n, y * 2 + k)>, affine_map<(n, y, f, k) -> (k, f)>, affine_map<(n, y, f, k) -> (n, y, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%c, %w : tensor<1x12xf32>, tensor<4x1xf32>) outs(%z : tensor<1x5x1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x5x1xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r : tensor<1x5x1xf32>) outs(%ey : tensor<1x5x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %ten : f32
    linalg.yield %0 : f32
  } -> tensor<1x5x1xf32>
  return %y : tensor<1x5x1xf32>
}
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>
module attributes {kgen.decisions = []} {
// What is added in front would be subtracted from sums of larger numbers: said, and left.
// CHECK-LABEL: func @shifted
// CHECK-SAME:  why = "what is added in front of a product would be subtracted from sums of larger numbers"
// CHECK:       arith.mulf
// Left alone: a scale of rows, a scaled value that something else reads, a scale that is an argument.
// CHECK-LABEL: func @rows
// CHECK:       arith.mulf
// CHECK-LABEL: func @shared
// CHECK:       arith.mulf
// CHECK-LABEL: func @argument
// CHECK:       arith.mulf
// The scale is fused with what computes its operand.
// CHECK-LABEL: func @computed
// CHECK:       arith.mulf
// CHECK-LABEL: func @normalized
// CHECK:       kgen.normalization
// CHECK:       arith.mulf
func.func @shifted(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %scale = arith.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %s = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %scale : tensor<3x2xf32>, tensor<2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %r = linalg.matmul ins(%s, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
func.func @rows(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %scale = arith.constant dense<[2.0, 0.5, 3.0]> : tensor<3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %scale : tensor<3x2xf32>, tensor<3xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %r = linalg.matmul ins(%s, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
func.func @shared(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %scale = arith.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %s = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %scale : tensor<3x2xf32>, tensor<2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %r = linalg.matmul ins(%s, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r, %s : tensor<3x2xf32>, tensor<3x2xf32>
}
func.func @argument(%x: tensor<3x2xf32>, %scale: tensor<2xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %s = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %scale : tensor<3x2xf32>, tensor<2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %r = linalg.matmul ins(%s, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
func.func @computed(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %scale = arith.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %p = linalg.exp ins(%x : tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %s = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %scale : tensor<3x2xf32>, tensor<2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %r = linalg.matmul ins(%s, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}func.func @normalized(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %scale = arith.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %p = kgen.normalization %x along [1] {epsilon = 1.0e-5 : f64} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %s = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %scale : tensor<3x2xf32>, tensor<2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %r = linalg.matmul ins(%s, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}}
