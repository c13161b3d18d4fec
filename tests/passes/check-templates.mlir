// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-check-templates
// Trials: every combination of finite sets; the rest by examples, defaults, or probes.

// expected-note@+1 {{in @sum<T = i32, N = 16>, tried here}}
template.func {T : any_type_of<f32, bf16, i32>, N : index} @sum(%a : tensor<NxT>, %b : tensor<NxT>) -> tensor<NxT> {
  // expected-error@+1 {{'arith.addf' op operand #0 must be floating-point-like, but got 'tensor<16xi32>'}}
  %0 = arith.addf %a, %b : tensor<NxT>
  return %0 : tensor<NxT>
}

// -----

// expected-note@+1 {{in @pairs<K = 6>, tried here}}
template.func {K : index} @pairs(%a : tensor<Kxf32>) requires K % 6 == 0, "sixes" examples {K = 6} {
  template.let Sixth = K / 6
  // expected-error@+1 {{'tensor.empty' op incorrect number of dynamic sizes, has 0, expected 1}}
  %0 = tensor.empty() : tensor<Sixthx?xf32>
  return
}

// -----

// Nothing is wrong with those that calls may have.
template.func {T : any_type, S : any_shape} @any(%a : tensor<SxT>) requires is_float(T) {
  %0 = tensor.empty() : tensor<SxT>
  %1 = arith.addf %a, %0 : tensor<SxT>
  return
}
// REQUIRES: templates
