// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-instantiate-templates="max-instances=5 max-text=600 max-depth=9 max-operations=20"
// Limits are options; each is one error, which ends the run.

template.func {N : index} @twice(%x : tensor<Nxf32>) {
  template.let A = 2 * N
  template.let B = 2 * N + 1
  %a = tensor.empty() : tensor<Axf32>
  %b = tensor.empty() : tensor<Bxf32>
  // expected-error@+1 {{more than 5 instances (the limit is the option max-instances)}}
  template.call @twice(%a) : (tensor<Axf32>) -> ()
  // expected-note@+1 {{in @twice<N = 3>, called here}}
  template.call @twice(%b) : (tensor<Bxf32>) -> ()
  return
}
func.func @f(%x: tensor<1xf32>) {
  // expected-note@+1 {{in @twice<N = 1>, called here}}
  template.call @twice(%x) : (tensor<1xf32>) -> ()
  return
}

// -----

template.func {N : index} @long(%x : tensor<Nxf32>) {
  // expected-error@+1 {{the instance's text is longer than 600 bytes (the limit is the option max-text)}}
  template.const_for I = 0 to N {
    %a = template.constant I : index
  }
  return
}
func.func @f(%x: tensor<100xf32>) {
  // expected-note@+1 {{in @long<N = 100>, called here}}
  template.call @long(%x) : (tensor<100xf32>) -> ()
  return
}

// -----

// Each instance calls the next one twice: 2^4 bodies take the place of calls.
template.func {N : index} @doubled(%x : tensor<4xf32>) {
  %0 = arith.negf %x : tensor<4xf32>
  template.const_if N > 0 {
    // expected-error@+1 {{instances in the place of their calls have more than 20 operations (the limit is the option max-operations)}}
    template.call @doubled<N = N - 1>(%x) : (tensor<4xf32>) -> ()
    template.call @doubled<N = N - 1>(%x) : (tensor<4xf32>) -> ()
  }
  return
}
func.func @f(%x: tensor<4xf32>) {
  template.call @doubled<N = 4>(%x) : (tensor<4xf32>) -> ()
  return
}
