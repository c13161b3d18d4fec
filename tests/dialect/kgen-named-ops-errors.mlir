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

// -----

func.func @number_of_maps(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>, %i: tensor<2x4xi32>, %e: tensor<2x4xf32>, %z: tensor<i8>, %zs: tensor<3xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{'kgen.quantized_product' op has three of 'indexing_maps', found 2}}
  %y = kgen.quantized_product %a by %b into %i {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (m, n)>]} : (tensor<2x3xi8>, tensor<3x4xi8>, tensor<2x4xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @map_of_rank(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>, %i: tensor<2x4xi32>, %e: tensor<2x4xf32>, %z: tensor<i8>, %zs: tensor<3xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{'kgen.quantized_product' op needs a map from 3 loops to 2 dimensions, found affine_map<(d0, d1, d2) -> (d0)>}}
  %y = kgen.quantized_product %a by %b into %i {indexing_maps = [affine_map<(m, n, k) -> (m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]} : (tensor<2x3xi8>, tensor<3x4xi8>, tensor<2x4xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @result_of_sums(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>, %i: tensor<2x4xi32>, %e: tensor<2x4xf32>, %z: tensor<i8>, %zs: tensor<3xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{'kgen.quantized_product' op has a result of some of the loops, found affine_map<(d0, d1, d2) -> (d0, d1 + d2)>}}
  %y = kgen.quantized_product %a by %b into %i {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n + k)>]} : (tensor<2x3xi8>, tensor<3x4xi8>, tensor<2x4xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @sum_of_one_side(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>, %i: tensor<2x4xi32>, %e: tensor<2x4xf32>, %z: tensor<i8>, %zs: tensor<3xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{'kgen.quantized_product' op sums over loop 2, which both sides must have, and of a size that is known}}
  %y = kgen.quantized_product %a by %b into %i {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (0, n)>, affine_map<(m, n, k) -> (m, n)>]} : (tensor<2x3xi8>, tensor<3x4xi8>, tensor<2x4xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @sum_of_unknown_size(%a: tensor<2x?xi8>, %b: tensor<?x4xi8>, %i: tensor<2x4xi32>) {
  // expected-error@+1 {{'kgen.quantized_product' op sums over loop 2, which both sides must have, and of a size that is known}}
  %y = kgen.quantized_product %a by %b into %i {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]} : (tensor<2x?xi8>, tensor<?x4xi8>, tensor<2x4xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @dimensions_of_nothing(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>, %i: tensor<2x4xi32>, %e: tensor<2x4xf32>, %z: tensor<i8>, %zs: tensor<3xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{'kgen.quantized_product' op has dimensions of 'bias' without them}}
  %y = kgen.quantized_product %a by %b into %i {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], bias_dimensions = array<i64: 1>} : (tensor<2x3xi8>, tensor<3x4xi8>, tensor<2x4xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @equal_dimensions(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>, %i: tensor<2x4xi32>, %e: tensor<2x4xf32>, %z: tensor<i8>, %zs: tensor<3xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{'kgen.quantized_product' op dimensions of 'left_zeros' must differ and be less than the rank 2, found 2}}
  %y = kgen.quantized_product %a by %b into %i left_zeros(%zs on [2]) {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]} : (tensor<2x3xi8>, tensor<3x4xi8>, tensor<2x4xi32>, tensor<3xi8>) -> tensor<2x4xi32>
  return
}

// -----

func.func @shape_of_zeros(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>, %i: tensor<2x4xi32>, %e: tensor<2x4xf32>, %z: tensor<i8>, %zs: tensor<3xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{'kgen.quantized_product' op needs 'tensor<2xi8>' as its 'left_zeros', found 'tensor<3xi8>'}}
  %y = kgen.quantized_product %a by %b into %i left_zeros(%zs on [0]) {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]} : (tensor<2x3xi8>, tensor<3x4xi8>, tensor<2x4xi32>, tensor<3xi8>) -> tensor<2x4xi32>
  return
}

// -----

func.func @zeros_of_filter(%a: tensor<7xi8>, %b: tensor<3x2xi8>, %i: tensor<5x2xi32>, %z: tensor<i8>) {
  // expected-error@+1 {{'kgen.quantized_product' op has zero points of a side whose other side is read at sums of loops}}
  %y = kgen.quantized_product %a by %b into %i right_zeros(%z on []) {indexing_maps = [affine_map<(x, f, k) -> (x + k)>, affine_map<(x, f, k) -> (k, f)>, affine_map<(x, f, k) -> (x, f)>]} : (tensor<7xi8>, tensor<3x2xi8>, tensor<5x2xi32>, tensor<i8>) -> tensor<5x2xi32>
  return
}

// -----

func.func @one_scale(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>, %i: tensor<2x4xi32>, %e: tensor<2x4xf32>, %z: tensor<i8>, %zs: tensor<3xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{'kgen.quantized_product' op has scales of both sides or of neither, and a divisor with them only}}
  %y = kgen.quantized_product %a by %b into %e left_scales(%s on []) {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]} : (tensor<2x3xi8>, tensor<3x4xi8>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @integer_with_scales(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>, %i: tensor<2x4xi32>, %e: tensor<2x4xf32>, %z: tensor<i8>, %zs: tensor<3xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{'kgen.quantized_product' op has a result of f32 with scales, found 'tensor<2x4xi32>'}}
  %y = kgen.quantized_product %a by %b into %i left_scales(%s on []) right_scales(%s on []) {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]} : (tensor<2x3xi8>, tensor<3x4xi8>, tensor<2x4xi32>, tensor<f32>, tensor<f32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @float_without_scales(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>, %i: tensor<2x4xi32>, %e: tensor<2x4xf32>, %z: tensor<i8>, %zs: tensor<3xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{'kgen.quantized_product' op has a result of i32 without scales, found 'tensor<2x4xf32>'}}
  %y = kgen.quantized_product %a by %b into %e {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]} : (tensor<2x3xi8>, tensor<3x4xi8>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @other_init(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>, %i: tensor<2x4xi32>, %e: tensor<2x4xf32>, %z: tensor<i8>, %zs: tensor<3xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{'kgen.quantized_product' op has 'init' of the type of its result, found 'tensor<2x4xf32>'}}
  %y = kgen.quantized_product %a by %b into %e {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]} : (tensor<2x3xi8>, tensor<3x4xi8>, tensor<2x4xf32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @rotary_result(%x: tensor<2x9x16xf32>, %a: tensor<9x8xf32>) {
  // expected-error@+1 {{'kgen.rotary_embedding' op has a result of the shape of its input, found 'tensor<2x9x8xf32>'}}
  %y = kgen.rotary_embedding %x cosines(%a) sines(%a) on [1] : (tensor<2x9x16xf32>, tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<2x9x8xf32>
  return
}

// -----

func.func @rotary_type(%x: tensor<2x9x16xf32>, %a: tensor<9x8xf64>) {
  // expected-error@+1 {{'kgen.rotary_embedding' op computes with 'f64' and 'f32': all are f64, or none}}
  %y = kgen.rotary_embedding %x cosines(%a) sines(%a) on [1] : (tensor<2x9x16xf32>, tensor<9x8xf64>, tensor<9x8xf64>) -> tensor<2x9x16xf32>
  return
}

// -----

func.func @rotary_length(%x: tensor<2x?xf32>, %a: tensor<8xf32>) {
  // expected-error@+1 {{'kgen.rotary_embedding' op has rows of a known length, found 'tensor<2x?xf32>'}}
  %y = kgen.rotary_embedding %x cosines(%a) sines(%a) on [] : (tensor<2x?xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x?xf32>
  return
}

// -----

func.func @rotary_dimensions(%x: tensor<2x9x16xf32>, %a: tensor<9x8xf32>) {
  // expected-error@+1 {{'kgen.rotary_embedding' op 'dimensions' must differ and be less than 2, that of rows, found 2}}
  %y = kgen.rotary_embedding %x cosines(%a) sines(%a) on [2] : (tensor<2x9x16xf32>, tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<2x9x16xf32>
  return
}

// -----

func.func @rotary_equal_dimensions(%x: tensor<2x9x16xf32>, %a: tensor<9x9x8xf32>) {
  // expected-error@+1 {{'kgen.rotary_embedding' op 'dimensions' must differ and be less than 2, that of rows, found 1}}
  %y = kgen.rotary_embedding %x cosines(%a) sines(%a) on [1, 1] : (tensor<2x9x16xf32>, tensor<9x9x8xf32>, tensor<9x9x8xf32>) -> tensor<2x9x16xf32>
  return
}

// -----

func.func @rotary_shape(%x: tensor<2x9x16xf32>, %a: tensor<9x8xf32>) {
  // expected-error@+1 {{'kgen.rotary_embedding' op needs cosines with 'dimensions' of its input and one of pairs, found 'tensor<9x8xf32>'}}
  %y = kgen.rotary_embedding %x cosines(%a) sines(%a) on [0] : (tensor<2x9x16xf32>, tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<2x9x16xf32>
  return
}

// -----

func.func @rotary_pairs(%x: tensor<2x9x16xf32>, %a: tensor<9x9xf32>) {
  // expected-error@+1 {{'kgen.rotary_embedding' op needs cosines of pairs that a row of 16 holds, found 'tensor<9x9xf32>'}}
  %y = kgen.rotary_embedding %x cosines(%a) sines(%a) on [1] : (tensor<2x9x16xf32>, tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<2x9x16xf32>
  return
}

// -----

func.func @rotary_elements(%x: tensor<2x9x16xf32>, %a: tensor<9x9xf32>) {
  // expected-error@+1 {{'kgen.rotary_embedding' op needs cosines of an even number of elements that a row of 16 holds, found 'tensor<9x9xf32>'}}
  %y = kgen.rotary_embedding %x cosines(%a) sines(%a) on [1] {each_element} : (tensor<2x9x16xf32>, tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<2x9x16xf32>
  return
}

// -----

func.func @rotary_sines(%x: tensor<2x9x16xf32>, %a: tensor<9x8xf32>, %b: tensor<9x7xf32>) {
  // expected-error@+1 {{'kgen.rotary_embedding' op has cosines 'tensor<9x8xf32>' and sines 'tensor<9x7xf32>': they are of one shape}}
  %y = kgen.rotary_embedding %x cosines(%a) sines(%b) on [1] : (tensor<2x9x16xf32>, tensor<9x8xf32>, tensor<9x7xf32>) -> tensor<2x9x16xf32>
  return
}
