// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics
// Definitions: headers, brackets, operations of templates, names, defaults and sets; all that is wrong at once.

// expected-error@+1 {{'eight' cannot be in the set of M}}
template.func {M : index_of<1, eight>} @set(%x : tensor<Mx4xf32>) { return }

// -----

// expected-error@+1 {{expected a new name that begins with a capital letter, found 'm'}}
template.func {m : index} @small(%x : tensor<4xf32>) { return }

// -----

// expected-error@+1 {{expected any_type, any_shape, index, any_dim, bool, string or real, found 'any'; each may end in _of<...>}}
template.func {M : any} @kind(%x : tensor<4xf32>) { return }

// -----

// expected-error@+1 {{'3', the default of M, is not a value of index_of<1, 2>}}
template.func {M : index_of<1, 2> = 3} @default(%x : tensor<4xf32>) { return }

// -----

template.func {M : index_of<1, 2, 4>} @body(%x : tensor<Mxf32>) {
  // expected-error@+1 {{there is no operation 'template.const_fi' (did you mean 'template.const_for'?)}}
  template.const_fi M == 1 { }
  // expected-error@+1 {{unknown value 'N'}}
  template.let A = N + 1
  // expected-error@+1 {{there is no function 'rnk' (did you mean 'rank'?)}}
  template.assert rnk(M) == 1, "text"
  // expected-error@+1 {{no case takes M = 4; add a case, or 'default'}}
  template.value_switch M
  case 1, 2 { return }
  // expected-error@+1 {{unknown value 'Qxf32' in a type; known here: A, M}}
  %0 = tensor.empty() : tensor<Qxf32>
  // expected-error@+1 {{expected a text in quotes, found '3'}}
  template.error 3
  // expected-error@+1 {{expected a text in quotes, found '""'}}
  template.error ""
  // expected-error@+1 {{expected 'to', found '{'}}
  template.const_for I = 0 { }
  return
}

// -----

// expected-error@+1 {{unknown value 'Z'}}
template.func {M : index} @requirement(%x : tensor<Mxf32>) requires Z == 1 { return }
