// Operators by name: text, and sizes of their results.
// RUN: kgen-opt "%s" | kgen-opt --resolve-ranked-shaped-type-result-dims | FileCheck "%s"

// CHECK-LABEL: func @softmax
// CHECK: kgen.softmax %arg0 along [1] : tensor<8x400xf32> -> tensor<8x400xf32>
// CHECK: kgen.softmax %arg0 along [0, 1] {logarithm} : tensor<8x400xf32> -> tensor<8x400xbf16>
// CHECK: kgen.softmax %arg0 along [0] {masked_to_zero, rounded_quotient} :
func.func @softmax(%x: tensor<8x400xf32>) -> (tensor<8x400xf32>, tensor<8x400xbf16>, tensor<8x400xf32>) {
  %a = kgen.softmax %x along [1] : tensor<8x400xf32> -> tensor<8x400xf32>
  %b = kgen.softmax %x along [0, 1] {logarithm} : tensor<8x400xf32> -> tensor<8x400xbf16>
  %c = kgen.softmax %x along [0] {masked_to_zero, rounded_quotient} : tensor<8x400xf32> -> tensor<8x400xf32>
  return %a, %b, %c : tensor<8x400xf32>, tensor<8x400xbf16>, tensor<8x400xf32>
}

// CHECK-LABEL: func @log_sum_exp
// CHECK: kgen.log_sum_exp %arg0 along [0, 2] : tensor<3x8x400xf16> -> tensor<8xf32>
func.func @log_sum_exp(%x: tensor<3x8x400xf16>) -> tensor<8xf32> {
  %a = kgen.log_sum_exp %x along [0, 2] : tensor<3x8x400xf16> -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// CHECK-LABEL: func @normalization
// CHECK: kgen.normalization %arg0 along [1] {epsilon = 1.000000e-05 : f64} : (tensor<2x6x4xbf16>) -> tensor<2x6x4xbf16>
// CHECK: kgen.normalization %arg0 along [1, 2] scale(%arg1 on [2, 1]) {centered, epsilon = 1.000000e-05 : f64, epsilon_outside_root} :
// CHECK: %{{.*}}, %{{.*}}:2 = kgen.normalization %arg0 along [1] bias(%arg2 on []) {centered, {{.*}}} : (tensor<2x6x4xbf16>, tensor<f32>) -> (tensor<2x6x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
func.func @normalization(%x: tensor<2x6x4xbf16>, %s: tensor<4x6xbf16>, %b: tensor<f32>) -> (tensor<2x6x4xbf16>, tensor<2x6x4xbf16>, tensor<2x6x4xf32>) {
  %0 = kgen.normalization %x along [1] {epsilon = 1.0e-5 : f64} : (tensor<2x6x4xbf16>) -> tensor<2x6x4xbf16>
  %1 = kgen.normalization %x along [1, 2] scale(%s on [2, 1]) {centered, epsilon_outside_root, epsilon = 1.0e-5 : f64} : (tensor<2x6x4xbf16>, tensor<4x6xbf16>) -> tensor<2x6x4xbf16>
  %2:3 = kgen.normalization %x along [1] bias(%b on []) {centered, epsilon = 1.0e-5 : f64} : (tensor<2x6x4xbf16>, tensor<f32>) -> (tensor<2x6x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  return %0, %1, %2#0 : tensor<2x6x4xbf16>, tensor<2x6x4xbf16>, tensor<2x6x4xf32>
}

// CHECK-LABEL: func @arg_extremum
// CHECK: kgen.arg_extremum %arg0 along [0] : tensor<3x8xf16> -> tensor<8xi32>
// CHECK: kgen.arg_extremum %arg1 along [1] {is_unsigned, last, minimum} : tensor<3x8xi8> -> tensor<3xi32>
func.func @arg_extremum(%x: tensor<3x8xf16>, %z: tensor<3x8xi8>) -> (tensor<8xi32>, tensor<3xi32>) {
  %a = kgen.arg_extremum %x along [0] : tensor<3x8xf16> -> tensor<8xi32>
  %b = kgen.arg_extremum %z along [1] {minimum, last, is_unsigned} : tensor<3x8xi8> -> tensor<3xi32>
  return %a, %b : tensor<8xi32>, tensor<3xi32>
}

// CHECK-LABEL: func @cumulative_sum
// CHECK: kgen.cumulative_sum %arg0 along [0] : tensor<3x8xi64> -> tensor<3x8xi64>
// CHECK: kgen.cumulative_sum %arg0 along [1] {exclusive, reverse} : tensor<3x8xi64> -> tensor<3x8xi64>
func.func @cumulative_sum(%x: tensor<3x8xi64>) -> (tensor<3x8xi64>, tensor<3x8xi64>) {
  %a = kgen.cumulative_sum %x along [0] : tensor<3x8xi64> -> tensor<3x8xi64>
  %b = kgen.cumulative_sum %x along [1] {exclusive, reverse} : tensor<3x8xi64> -> tensor<3x8xi64>
  return %a, %b : tensor<3x8xi64>, tensor<3x8xi64>
}

// CHECK-LABEL: func @top_k
// CHECK: kgen.top_k %arg0 along [1] : (tensor<3x8xf16>) -> (tensor<3x2xf16>, tensor<3x2xi64>)
// CHECK: kgen.top_k %arg1 along [0] {is_unsigned, smallest} : (tensor<3x8xi8>) -> tensor<1x8xi8>
func.func @top_k(%x: tensor<3x8xf16>, %z: tensor<3x8xi8>) -> (tensor<3x2xf16>, tensor<3x2xi64>, tensor<1x8xi8>) {
  %a:2 = kgen.top_k %x along [1] : (tensor<3x8xf16>) -> (tensor<3x2xf16>, tensor<3x2xi64>)
  %b = kgen.top_k %z along [0] {smallest, is_unsigned} : (tensor<3x8xi8>) -> tensor<1x8xi8>
  return %a#0, %a#1, %b : tensor<3x2xf16>, tensor<3x2xi64>, tensor<1x8xi8>
}

// CHECK-LABEL: func @grid_sample
// CHECK: kgen.grid_sample cubic reflection %arg0 at %arg1 {align_corners} : tensor<2x3x9x8xbf16>, tensor<2x5x7x2xf32> -> tensor<2x3x5x7xbf16>
func.func @grid_sample(%x: tensor<2x3x9x8xbf16>, %g: tensor<2x5x7x2xf32>) -> tensor<2x3x5x7xbf16> {
  %a = kgen.grid_sample cubic reflection %x at %g {align_corners} : tensor<2x3x9x8xbf16>, tensor<2x5x7x2xf32> -> tensor<2x3x5x7xbf16>
  return %a : tensor<2x3x5x7xbf16>
}

// CHECK-LABEL: func @sizes
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[COLUMNS:.*]] = tensor.dim %arg0, %c2
// CHECK: return %[[ROWS]], %[[COLUMNS]]
func.func @sizes(%x: tensor<?x4x?xf32>) -> (index, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %y = kgen.softmax %x along [1] : tensor<?x4x?xf32> -> tensor<?x4x?xf32>
  %z = kgen.log_sum_exp %x along [1] : tensor<?x4x?xf32> -> tensor<?x?xf32>
  %rows = tensor.dim %y, %zero : tensor<?x4x?xf32>
  %columns = tensor.dim %z, %one : tensor<?x?xf32>
  return %rows, %columns : index, index
}

// CHECK-LABEL: func @sizes_of_normalization
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[COLUMNS:.*]] = tensor.dim %arg0, %c2
// CHECK: return %[[ROWS]], %[[COLUMNS]]
func.func @sizes_of_normalization(%x: tensor<?x4x?xf32>) -> (index, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %y:3 = kgen.normalization %x along [1] {centered, epsilon = 1.0e-5 : f64} : (tensor<?x4x?xf32>) -> (tensor<?x4x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
  %rows = tensor.dim %y#0, %zero : tensor<?x4x?xf32>
  %columns = tensor.dim %y#2, %one : tensor<?x?xf32>
  return %rows, %columns : index, index
}

// CHECK-LABEL: func @sizes_of_others
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[COLUMNS:.*]] = tensor.dim %arg0, %c2
// CHECK: return %[[ROWS]], %[[COLUMNS]]
func.func @sizes_of_others(%x: tensor<?x4x?xf32>) -> (index, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %y = kgen.cumulative_sum %x along [1] : tensor<?x4x?xf32> -> tensor<?x4x?xf32>
  %z = kgen.arg_extremum %x along [1] : tensor<?x4x?xf32> -> tensor<?x?xi32>
  %rows = tensor.dim %y, %zero : tensor<?x4x?xf32>
  %columns = tensor.dim %z, %one : tensor<?x?xi32>
  return %rows, %columns : index, index
}

// CHECK-LABEL: func @sizes_of_top_k
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[COLUMNS:.*]] = tensor.dim %arg0, %c2
// CHECK: return %[[ROWS]], %[[COLUMNS]]
func.func @sizes_of_top_k(%x: tensor<?x4x?xf32>) -> (index, index) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %y:2 = kgen.top_k %x along [1] : (tensor<?x4x?xf32>) -> (tensor<?x2x?xf32>, tensor<?x2x?xi64>)
  %rows = tensor.dim %y#0, %zero : tensor<?x2x?xf32>
  %columns = tensor.dim %y#1, %two : tensor<?x2x?xi64>
  return %rows, %columns : index, index
}

// CHECK-LABEL: func @sizes_of_grid_sample
// CHECK-DAG: %[[IMAGES:.*]] = tensor.dim %arg1, %c0
// CHECK-DAG: %[[CHANNELS:.*]] = tensor.dim %arg0, %c1
// CHECK-DAG: %[[PLACES:.*]] = tensor.dim %arg1, %c1
// CHECK: return %[[IMAGES]], %[[CHANNELS]], %[[PLACES]]
func.func @sizes_of_grid_sample(%x: tensor<?x?x8xf32>, %g: tensor<?x?x1xf32>) -> (index, index, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %y = kgen.grid_sample nearest border %x at %g : tensor<?x?x8xf32>, tensor<?x?x1xf32> -> tensor<?x?x?xf32>
  %images = tensor.dim %y, %zero : tensor<?x?x?xf32>
  %channels = tensor.dim %y, %one : tensor<?x?x?xf32>
  %places = tensor.dim %y, %two : tensor<?x?x?xf32>
  return %images, %channels, %places : index, index, index
}

// CHECK-LABEL: func @quantized_product
// CHECK: kgen.quantized_product %arg0 by %arg1 into %arg2 {indexing_maps = [{{.*}}]} : (tensor<8x64xi8>, tensor<64x32xi8>, tensor<8x32xi32>) -> tensor<8x32xi32>
// CHECK: kgen.quantized_product %arg0 by %arg1 into %arg3 left_zeros(%arg4 on []) right_zeros(%arg5 on [1]) left_scales(%arg6 on [0]) right_scales(%arg7 on [])
// CHECK-SAME: divisor(%arg7) bias(%arg8 on [1]) {indexing_maps = [{{.*}}], left_unsigned, right_unsigned} :
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @quantized_product(%a: tensor<8x64xi8>, %b: tensor<64x32xi8>, %i: tensor<8x32xi32>, %e: tensor<8x32xf32>, %za: tensor<i8>, %zb: tensor<32xi8>,
                             %sa: tensor<8xf16>, %sb: tensor<f16>, %bias: tensor<32xi32>) -> (tensor<8x32xi32>, tensor<8x32xf32>) {
  %0 = kgen.quantized_product %a by %b into %i {indexing_maps = [#left, #right, #result]} : (tensor<8x64xi8>, tensor<64x32xi8>, tensor<8x32xi32>) -> tensor<8x32xi32>
  %1 = kgen.quantized_product %a by %b into %e left_zeros(%za on []) right_zeros(%zb on [1]) left_scales(%sa on [0]) right_scales(%sb on [])
      divisor(%sb) bias(%bias on [1]) {indexing_maps = [#left, #right, #result], left_unsigned, right_unsigned}
      : (tensor<8x64xi8>, tensor<64x32xi8>, tensor<8x32xf32>, tensor<i8>, tensor<32xi8>, tensor<8xf16>, tensor<f16>, tensor<f16>, tensor<32xi32>) -> tensor<8x32xf32>
  return %0, %1 : tensor<8x32xi32>, tensor<8x32xf32>
}

// CHECK-LABEL: func @sizes_of_quantized_product
// CHECK: %[[ROWS:.*]] = tensor.dim %arg2, %c0
// CHECK: return %[[ROWS]]
func.func @sizes_of_quantized_product(%a: tensor<?x64xi8>, %b: tensor<64x32xi8>, %e: tensor<?x32xi32>) -> index {
  %zero = arith.constant 0 : index
  %y = kgen.quantized_product %a by %b into %e {indexing_maps = [#left, #right, #result]} : (tensor<?x64xi8>, tensor<64x32xi8>, tensor<?x32xi32>) -> tensor<?x32xi32>
  %rows = tensor.dim %y, %zero : tensor<?x32xi32>
  return %rows : index
}

// CHECK-LABEL: func @rotary_embedding
// CHECK: kgen.rotary_embedding %arg0 cosines(%arg1) sines(%arg1) on [0, 2] : (tensor<2x4x9x18xbf16>, tensor<2x9x8xf32>, tensor<2x9x8xf32>) -> tensor<2x4x9x18xf32>
// CHECK: kgen.rotary_embedding %arg0 cosines(%arg2) sines(%arg2) on [] {each_element, interleaved} : (tensor<2x4x9x18xbf16>, tensor<18xbf16>, tensor<18xbf16>) -> tensor<2x4x9x18xbf16>
func.func @rotary_embedding(%x: tensor<2x4x9x18xbf16>, %a: tensor<2x9x8xf32>, %e: tensor<18xbf16>) -> (tensor<2x4x9x18xf32>, tensor<2x4x9x18xbf16>) {
  %y = kgen.rotary_embedding %x cosines(%a) sines(%a) on [0, 2] : (tensor<2x4x9x18xbf16>, tensor<2x9x8xf32>, tensor<2x9x8xf32>) -> tensor<2x4x9x18xf32>
  %z = kgen.rotary_embedding %x cosines(%e) sines(%e) on [] {interleaved, each_element} : (tensor<2x4x9x18xbf16>, tensor<18xbf16>, tensor<18xbf16>) -> tensor<2x4x9x18xbf16>
  return %y, %z : tensor<2x4x9x18xf32>, tensor<2x4x9x18xbf16>
}

// CHECK-LABEL: func @sizes_of_rotary_embedding
// CHECK-SAME: (%[[X:.*]]: tensor<?x9x16xf32>,
// CHECK: tensor.dim %[[X]], %c0
func.func @sizes_of_rotary_embedding(%x: tensor<?x9x16xf32>, %a: tensor<9x8xf32>) -> index {
  %c0 = arith.constant 0 : index
  %y = kgen.rotary_embedding %x cosines(%a) sines(%a) on [1] : (tensor<?x9x16xf32>, tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<?x9x16xf32>
  %n = tensor.dim %y, %c0 : tensor<?x9x16xf32>
  return %n : index
}
