// What is wrong with templates that replace others, and with their patterns.
// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-replace-by-templates
template.func {N : index} @pattern(%x : tensor<Nxf32>) -> tensor<Nxf32> { return %x : tensor<Nxf32> }
// expected-error @+2 {{there is no template @patern (did you mean 'pattern'?)}}
template.func {N : index} @c(%x : tensor<Nxf32>) -> tensor<Nxf32>
replaces @patern { return %x : tensor<Nxf32> }

// -----

// expected-error @+1 {{no trial instance of @pattern computes something in one block, so that nothing can be found that unifies with it; `examples {...}` in its header says what to try}}
template.func {N : index} @pattern(%x : tensor<Nxf32>) -> tensor<Nxf32> requires N == 7 {
  %y = arith.negf %x : tensor<Nxf32>
  return %y : tensor<Nxf32>
}
// expected-note @+2 {{named here}}
template.func {N : index} @c(%x : tensor<Nxf32>) -> tensor<Nxf32>
replaces @pattern { return %x : tensor<Nxf32> }

// -----

template.func {N : index} @pattern(%x : tensor<Nxf32>) -> tensor<Nxf32> requires N == 7 examples {N = 7} cost N {
  %y = arith.negf %x : tensor<Nxf32>
  return %y : tensor<Nxf32>
}
// expected-error @+2 {{7 / 2 is not a whole number (N = 7)}}
template.func {N : index} @c(%x : tensor<Nxf32>) -> tensor<Nxf32>
replaces @pattern cost N / 2 { return %x : tensor<Nxf32> }
func.func @f(%x : tensor<7xf32>) -> tensor<7xf32> {
  %e = tensor.empty() : tensor<7xf32>
  %y = linalg.negf ins(%x : tensor<7xf32>) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// -----

template.func {N : index} @pattern(%x : tensor<Nxf32>) -> tensor<Nxf32> {
  %y = arith.negf %x : tensor<Nxf32>
  return %y : tensor<Nxf32>
}
// expected-error @+2 {{expected a number of cycles, found f32 (N = 7)}}
template.func {N : index} @c(%x : tensor<Nxf32>) -> tensor<Nxf32>
replaces @pattern cost f32 { return %x : tensor<Nxf32> }
func.func @f(%x : tensor<7xf32>) -> tensor<7xf32> {
  %e = tensor.empty() : tensor<7xf32>
  %y = linalg.negf ins(%x : tensor<7xf32>) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// -----

// A pattern that cannot be made for the types where its form is found.
// expected-error @+1 {{few elements (N < 10)}}
template.func {N : index} @pattern(%x : tensor<Nxf32>) -> tensor<Nxf32> examples {N = 4} {
  // expected-note @+1 {{in @pattern<N = 12>}}
  template.assert N < 10, "few elements"
  %y = arith.negf %x : tensor<Nxf32>
  return %y : tensor<Nxf32>
}
template.func {N : index} @c(%x : tensor<Nxf32>) -> tensor<Nxf32> replaces @pattern { return %x : tensor<Nxf32> }
func.func @f(%x : tensor<12xf32>) -> tensor<12xf32> {
  %e = tensor.empty() : tensor<12xf32>
  %y = linalg.negf ins(%x : tensor<12xf32>) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  return %y : tensor<12xf32>
}
// REQUIRES: templates
