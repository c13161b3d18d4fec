// Normalizations that are not along the last dimensions of a tensor as it lies, and what becomes of their factors.
// RUN: kgen-opt "%s" --split-input-file --kgen-raise-idioms=idioms=normalizations | FileCheck "%s"

// An image with the channels first, read with the channels last: it is normalized as it lies, and the result is transposed.
// CHECK-LABEL: func @transposed
// CHECK-SAME: what = "RMS normalization over 16 elements"
// CHECK: %[[Y:.*]] = kgen.normalization %arg0 along [0] scale(%arg1 on [0]) {epsilon = 1.000000e-02 : f64, fused_variance, rounded_quotient} : (tensor<16x8xf64>, tensor<16xf64>) -> tensor<16x8xf64>
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<16x8xf64>)
// CHECK: return %[[T]]
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
module attributes {kgen.decisions = []} {
func.func @transposed(%x: tensor<16x8xf64>, %g: tensor<16xf64>) -> tensor<8x16xf64> {
  %zero = arith.constant 0.0 : f64
  %rows = tensor.empty() : tensor<8xf64>
  %full = tensor.empty() : tensor<8x16xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%rows : tensor<8xf64>) -> tensor<8xf64>
  %squares = linalg.generic {indexing_maps = [#turned, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16x8xf64>) outs(%zeros : tensor<8xf64>) {
  ^bb0(%a: f64, %o: f64):
    %0 = arith.mulf %a, %a : f64
    %1 = arith.addf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<8xf64>
  %y = linalg.generic {indexing_maps = [#turned, #row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %squares, %g : tensor<16x8xf64>, tensor<8xf64>, tensor<16xf64>) outs(%full : tensor<8x16xf64>) {
  ^bb0(%a: f64, %s: f64, %b: f64, %o: f64):
    %n = arith.constant 16.0 : f64
    %epsilon = arith.constant 0.01 : f64
    %0 = arith.divf %s, %n : f64
    %1 = arith.addf %0, %epsilon : f64
    %2 = math.sqrt %1 : f64
    %3 = arith.divf %a, %2 : f64
    %4 = arith.mulf %3, %b : f64
    linalg.yield %4 : f64
  } -> tensor<8x16xf64>
  return %y : tensor<8x16xf64>
}
}

// -----

// Numbers besides scale and shift are left to an operation of their own, as is a scale with them.
// CHECK-LABEL: func @factors
// CHECK: %[[Y:.*]] = kgen.normalization %arg0 along [1] {epsilon = 1.000000e-02 : f64, fused_variance} : (tensor<8x16xf64>) -> tensor<8x16xf64>
// CHECK: %[[Z:.*]] = linalg.generic {{.*}} ins(%[[Y]], %arg1 :
// CHECK: arith.mulf %{{.*}}, %cst{{.*}} : f64
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: return %[[Z]]
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @factors(%x: tensor<8x16xf64>, %g: tensor<16xf64>) -> tensor<8x16xf64> {
  %zero = arith.constant 0.0 : f64
  %rows = tensor.empty() : tensor<8xf64>
  %full = tensor.empty() : tensor<8x16xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%rows : tensor<8xf64>) -> tensor<8xf64>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x16xf64>) outs(%zeros : tensor<8xf64>) {
  ^bb0(%a: f64, %o: f64):
    %0 = arith.mulf %a, %a : f64
    %1 = arith.addf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<8xf64>
  %y = linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %squares, %g : tensor<8x16xf64>, tensor<8xf64>, tensor<16xf64>) outs(%full : tensor<8x16xf64>) {
  ^bb0(%a: f64, %s: f64, %b: f64, %o: f64):
    %n = arith.constant 16.0 : f64
    %epsilon = arith.constant 0.01 : f64
    %three = arith.constant 3.0 : f64
    %half = arith.constant 0.5 : f64
    %0 = arith.divf %s, %n : f64
    %1 = arith.addf %0, %epsilon : f64
    %2 = math.rsqrt %1 : f64
    %3 = arith.mulf %a, %2 : f64
    %4 = arith.mulf %3, %b : f64
    %5 = arith.mulf %4, %three : f64
    %6 = arith.addf %5, %half : f64
    linalg.yield %6 : f64
  } -> tensor<8x16xf64>
  return %y : tensor<8x16xf64>
}

// -----

// A result of 16 bits that is widened was rounded before.
// CHECK-LABEL: func @widened
// CHECK: %[[Y:.*]] = kgen.normalization %arg0 along [1] {epsilon = 0.0{{.*}} : f64, kgen.result_precision = 8 : i32} : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
// CHECK: %[[Z:.*]] = linalg.generic {{.*}} ins(%[[Y]] :
// CHECK: arith.extf
// CHECK: return %[[Z]]
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @widened(%x: tensor<8x16xbf16>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %full = tensor.empty() : tensor<8x16xbf16>
  %wide = tensor.empty() : tensor<8x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x16xbf16>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %w = arith.extf %a : bf16 to f32
    %0 = arith.mulf %w, %w : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %squares : tensor<8x16xbf16>, tensor<8xf32>) outs(%full : tensor<8x16xbf16>) {
  ^bb0(%a: bf16, %s: f32, %o: bf16):
    %n = arith.constant 16.0 : f32
    %w = arith.extf %a : bf16 to f32
    %0 = arith.divf %s, %n : f32
    %1 = math.sqrt %0 : f32
    %2 = arith.divf %w, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<8x16xbf16>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<8x16xbf16>) outs(%wide : tensor<8x16xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  return %z : tensor<8x16xf32>
}

// -----

// A scale after a reshape is part of an operator whose own scale and bias are 1 and 0: groups of 2 channels of 3 points.
// CHECK-LABEL: func @named
// CHECK-SAME: what = "group normalization over 6 elements"
// CHECK-DAG: %[[G:.*]] = tensor.expand_shape %arg1 {{.*}} into tensor<4x2xf32>
// CHECK-DAG: %[[X:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<4x2x3xf32>
// CHECK: %[[Y:.*]] = kgen.normalization %[[X]] along [1, 2] scale(%[[G]] on [0, 1]) {centered, epsilon = 1.000000e-02 : f64, fused_variance} :
// CHECK: tensor.collapse_shape %[[Y]]
// CHECK-NOT: linalg.generic
// A scale of its own leaves no room, and without a reshape between them they are fused later.
// CHECK-LABEL: func @scaled
// CHECK: kgen.normalization %arg0 along [1] scale(%arg1 on [0])
// CHECK: linalg.generic
// CHECK-LABEL: func @same_shape
// CHECK: kgen.normalization
// CHECK: linalg.generic
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
module attributes {kgen.decisions = []} {
func.func @named(%x: tensor<4x6xf32>, %g: tensor<8xf32>) -> tensor<8x3xf32> {
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %full = tensor.empty() : tensor<8x3xf32>
  %n = kgen.normalization %x along [1] scale(%ones on [0]) bias(%zeros on [0]) {centered, epsilon = 0.01 : f64} : (tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x6xf32>
  %split = tensor.expand_shape %n [[0], [1, 2]] output_shape [4, 2, 3] : tensor<4x6xf32> into tensor<4x2x3xf32>
  %channels = tensor.collapse_shape %split [[0, 1], [2]] : tensor<4x2x3xf32> into tensor<8x3xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%channels, %g : tensor<8x3xf32>, tensor<8xf32>) outs(%full : tensor<8x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}

func.func @scaled(%x: tensor<4x6xf32>, %own: tensor<4xf32>, %g: tensor<8xf32>) -> tensor<8x3xf32> {
  %full = tensor.empty() : tensor<8x3xf32>
  %n = kgen.normalization %x along [1] scale(%own on [0]) {centered, epsilon = 0.01 : f64} : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
  %split = tensor.expand_shape %n [[0], [1, 2]] output_shape [4, 2, 3] : tensor<4x6xf32> into tensor<4x2x3xf32>
  %channels = tensor.collapse_shape %split [[0, 1], [2]] : tensor<4x2x3xf32> into tensor<8x3xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%channels, %g : tensor<8x3xf32>, tensor<8xf32>) outs(%full : tensor<8x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}

func.func @same_shape(%x: tensor<4x6xf32>, %g: tensor<4xf32>) -> tensor<4x6xf32> {
  %full = tensor.empty() : tensor<4x6xf32>
  %n = kgen.normalization %x along [1] {centered, epsilon = 0.01 : f64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%n, %g : tensor<4x6xf32>, tensor<4xf32>) outs(%full : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
// What another node transposed is read where it lies, and so is a result that is moved after a reshape.
// CHECK-LABEL: func @moved
// CHECK: %[[Y:.*]] = kgen.normalization %arg0 along [0] bias(%arg1 on [0]) {centered, epsilon = 1.000000e-02 : f64, fused_variance} : (tensor<6x4xf32>, tensor<6xf32>) -> tensor<6x4xf32>
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<6x4xf32>)
// CHECK: return %[[T]]
// CHECK-LABEL: func @moved_later
// CHECK: kgen.normalization %{{.*}} along [1, 2] {centered, epsilon = 1.000000e-02 : f64, fused_variance} : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
// CHECK: linalg.generic
// CHECK: return
func.func @moved(%x: tensor<6x4xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %full = tensor.empty() : tensor<4x6xf32>
  %turned = linalg.transpose ins(%x : tensor<6x4xf32>) outs(%full : tensor<4x6xf32>) permutation = [1, 0] loc("before")
  %n = kgen.normalization %turned along [1] bias(%b on [1]) {centered, epsilon = 0.01 : f64} : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32> loc("n")
  return %n : tensor<4x6xf32>
}

func.func @moved_later(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  %full = tensor.empty() : tensor<3x8xf32>
  %n = kgen.normalization %x along [1] {centered, epsilon = 0.01 : f64} : (tensor<4x6xf32>) -> tensor<4x6xf32> loc("n")
  %split = tensor.expand_shape %n [[0], [1, 2]] output_shape [4, 2, 3] : tensor<4x6xf32> into tensor<4x2x3xf32>
  %channels = tensor.collapse_shape %split [[0, 1], [2]] : tensor<4x2x3xf32> into tensor<8x3xf32>
  %t = linalg.transpose ins(%channels : tensor<8x3xf32>) outs(%full : tensor<3x8xf32>) permutation = [1, 0]
  return %t : tensor<3x8xf32>
}
}

// -----

// Over one element: expressions have no such dimension, and the operation stays as it is.
// CHECK-LABEL: func @one
// CHECK: kgen.normalization %{{.*}} along [3] scale(%arg1 on [3]) {centered, epsilon = 1.000000e-02 : f64} : (tensor<31x8x5x1xf32>, tensor<1xf32>) -> tensor<31x8x5x1xf32>
module attributes {kgen.decisions = []} {
func.func @one(%x: tensor<1x31x5x8xf32>, %g: tensor<1xf32>) -> tensor<31x8x5x1xf32> {
  %empty = tensor.empty() : tensor<31x8x5x1xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (l, i, k, j)>, affine_map<(i, j, k, l) -> (i, j, k, l)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x31x5x8xf32>) outs(%empty : tensor<31x8x5x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<31x8x5x1xf32> loc("transposition")
  %y = kgen.normalization %t along [3] scale(%g on [3]) {centered, epsilon = 1.000000e-02 : f64} : (tensor<31x8x5x1xf32>, tensor<1xf32>) -> tensor<31x8x5x1xf32> loc("normalization")
  return %y : tensor<31x8x5x1xf32>
}
}
