// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics

func.func @order(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{'kgen.softmax' op 'dimensions' must be ascending and less than the rank 3, found 1}}
  %y = kgen.softmax %x along [2, 1] : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  return
}

// -----

func.func @rank(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.log_sum_exp' op 'dimensions' must be ascending and less than the rank 2, found 2}}
  %y = kgen.log_sum_exp %x along [2] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @none(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.softmax' op needs at least one of 'dimensions'}}
  %y = kgen.softmax %x along [] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @types(%x: tensor<2x3xf64>) {
  // expected-error@+1 {{'kgen.softmax' op computes 'f32' of 'f64': both must be f64, or neither}}
  %y = kgen.softmax %x along [1] : tensor<2x3xf64> -> tensor<2x3xf32>
  return
}

// -----

func.func @shape(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.softmax' op has a result of the shape of its input, found 'tensor<3x2xf32>'}}
  %y = kgen.softmax %x along [1] : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @reduced_shape(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.log_sum_exp' op has a result without 'dimensions' of its input, found 'tensor<3xf32>'}}
  %y = kgen.log_sum_exp %x along [1] : tensor<2x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @logarithm(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.softmax' op 'masked_to_zero' and 'rounded_quotient' are not for logarithms}}
  %y = kgen.softmax %x along [1] {logarithm, masked_to_zero} : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @parameter_type(%x: tensor<2x3xf32>, %s: tensor<3xf64>) {
  // expected-error@+1 {{'kgen.normalization' op has a scale of 'f64' for 'f32': both must be f64, or neither}}
  %y = kgen.normalization %x along [1] scale(%s on [1]) {epsilon = 0.0 : f64} : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @parameter_dimensions(%x: tensor<2x3xf32>, %s: tensor<3x3xf32>) {
  // expected-error@+1 {{'kgen.normalization' op 'bias_dimensions' must differ and be less than the rank 2, found 1}}
  %y = kgen.normalization %x along [1] bias(%s on [1, 1]) {epsilon = 0.0 : f64} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @parameter_shape(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error@+1 {{'kgen.normalization' op needs 'tensor<3xf32>' as its scale, found 'tensor<2xf32>'}}
  %y = kgen.normalization %x along [1] scale(%s on [1]) {epsilon = 0.0 : f64} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @no_parameter(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.normalization' op has dimensions of a scale without it}}
  %y = kgen.normalization %x along [1] {epsilon = 0.0 : f64, scale_dimensions = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @normalized_shape(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.normalization' op has a result of the shape of its input, found 'tensor<2xf32>'}}
  %y = kgen.normalization %x along [1] {epsilon = 0.0 : f64} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @statistics(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.normalization' op has two more results, the mean and the inverse, or none; with 'rounded_quotient' or without 'centered', none}}
  %y:3 = kgen.normalization %x along [1] {epsilon = 0.0 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @statistics_type(%x: tensor<2x3xbf16>) {
  // expected-error@+1 {{'kgen.normalization' op has a mean and an inverse of 'tensor<2xf32>', found 'tensor<3xf32>'}}
  %y:3 = kgen.normalization %x along [1] {centered, epsilon = 0.0 : f64} : (tensor<2x3xbf16>) -> (tensor<2x3xbf16>, tensor<2xf32>, tensor<3xf32>)
  return
}

// -----

func.func @one_dimension(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.arg_extremum' op has one of 'dimensions', found 2}}
  %y = kgen.arg_extremum %x along [0, 1] : tensor<2x3xf32> -> tensor<i32>
  return
}

// -----

func.func @arg_shape(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.arg_extremum' op has a result without 'dimensions' of its input, found 'tensor<3xi32>'}}
  %y = kgen.arg_extremum %x along [1] : tensor<2x3xf32> -> tensor<3xi32>
  return
}

// -----

func.func @unsigned_floats(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.arg_extremum' op 'is_unsigned' is for integers, found 'f32'}}
  %y = kgen.arg_extremum %x along [1] {is_unsigned} : tensor<2x3xf32> -> tensor<2xi32>
  return
}

// -----

func.func @sums_along(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.cumulative_sum' op 'dimensions' must be ascending and less than the rank 2, found 2}}
  %y = kgen.cumulative_sum %x along [2] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @more_than_all(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.top_k' op takes a known number of the elements along 'dimensions', found 'tensor<2x4xf32>' of 'tensor<2x3xf32>'}}
  %y = kgen.top_k %x along [1] : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @open_axis(%x: tensor<2x?xf32>) {
  // expected-error@+1 {{'kgen.top_k' op takes a known number of the elements along 'dimensions', found 'tensor<2x1xf32>' of 'tensor<2x?xf32>'}}
  %y = kgen.top_k %x along [1] : (tensor<2x?xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @other_rank(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.top_k' op takes a known number of the elements along 'dimensions', found 'tensor<2xf32>' of 'tensor<2x3xf32>'}}
  %y = kgen.top_k %x along [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @two_dimensions(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.top_k' op has one of 'dimensions', found 2}}
  %y = kgen.top_k %x along [0, 1] : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @unsigned_top(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.top_k' op 'is_unsigned' is for integers, found 'f32'}}
  %y = kgen.top_k %x along [1] {is_unsigned} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @other_indices(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kgen.top_k' op has indices of 'tensor<2x1xi64>', found 'tensor<2x2xi64>'}}
  %y:2 = kgen.top_k %x along [1] : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xi64>)
  return
}

// -----

func.func @sampled_grid(%x: tensor<1x3x9x8xf32>, %g: tensor<1x5x7x3xf32>) {
  // expected-error@+1 {{'kgen.grid_sample' op takes an image [n, c, spatial...] of known spatial sizes and a grid [n, places..., number of these], found 'tensor<1x3x9x8xf32>' and 'tensor<1x5x7x3xf32>'}}
  %y = kgen.grid_sample linear zeros %x at %g : tensor<1x3x9x8xf32>, tensor<1x5x7x3xf32> -> tensor<1x3x5x7xf32>
  return
}

// -----

func.func @sampled_shape(%x: tensor<1x3x9x8xf32>, %g: tensor<1x5x7x2xf32>) {
  // expected-error@+1 {{'kgen.grid_sample' op has a result of 'tensor<1x3x5x7xf32>', found 'tensor<1x5x7x3xf32>'}}
  %y = kgen.grid_sample linear zeros %x at %g : tensor<1x3x9x8xf32>, tensor<1x5x7x2xf32> -> tensor<1x5x7x3xf32>
  return
}
