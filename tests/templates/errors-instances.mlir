// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-instantiate-templates
// Instances: the place in the template, and the calls that led there, the last two and the first.

template.func {N : index} @endless(%x : tensor<NxNxf32>) -> tensor<NxNxf32> {
  template.let M = N + 1
  %0 = tensor.empty() : tensor<MxMxf32>
  // expected-error@+4 {{@endless<N = 68> is more than 64 instances deep (the limit is the option max-depth)}}
  // expected-note@+3 {{in @endless<N = 67>, called here}}
  // expected-note@+2 {{in @endless<N = 66>, called here}}
  // expected-note@+1 {{and 61 calls before that}}
  %1 = template.call @endless(%0) : (tensor<MxMxf32>) -> tensor<MxMxf32>
  return %x : tensor<NxNxf32>
}
func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-note@+1 {{in @endless<N = 4>, called here}}
  %0 = template.call @endless(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

template.func {N : index} @again(%x : tensor<Nxf32>) {
  // expected-error@+1 {{@again<N = 4> calls itself without end}}
  template.call @again(%x) : (tensor<Nxf32>) -> ()
  return
}
func.func @f(%x: tensor<4xf32>) {
  // expected-note@+1 {{in @again<N = 4>, called here}}
  template.call @again(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

template.func {T : any_type} @outside(%a : tensor<4xT>) -> T {
  %0 = arith.constant 1 : T
  // expected-error@+1 {{'arith.addf' op operand #0 must be floating-point-like, but got 'i32'}}
  %1 = arith.addf %0, %0 : T
  return %1 : T
}
template.func {N : index} @late(%a : tensor<Nxf32>) {
  template.let Half = N / 2
  // expected-error@+1 {{expected '>' in tensor type}}
  %0 = tensor.empty() : tensor<Halfxf32
  return
}
template.func {N : index} @says(%a : tensor<Nxf32>) {
  // expected-note@+1 {{in @says<N = 100>}}
  template.assert N < 100, "rows are at most 99 long"
  return
}
template.func {T : any_type} @never(%a : tensor<100xT>) {
  template.const_if is_float(T) {
    // expected-note@+1 {{in @never<T = f32>}}
    template.error "only integers"
  }
  return
}
template.func {N : index} @divides(%a : tensor<Nxf32>) {
  // expected-error@+1 {{5 / 2 is not a whole number; floordiv(a, b) and ceildiv(a, b) round}}
  template.let Half = N / 2
  return
}
template.func {N : index} @choice(%a : tensor<Nxf32>) {
  // expected-error@+1 {{no case takes 5}}
  template.value_switch N
  case 1 { return }
  case 2 { return }
}
func.func @f(%a: tensor<4xi32>, %b: tensor<4xf32>, %c: tensor<100xf32>, %d: tensor<5xf32>) {
  // expected-note@+1 {{in @outside<T = i32>, called here}}
  %0 = template.call @outside(%a) : (tensor<4xi32>) -> i32
  // expected-note@+1 {{in @late<N = 4>, called here}}
  template.call @late(%b) : (tensor<4xf32>) -> ()
  // expected-error@+1 {{rows are at most 99 long (N < 100)}}
  template.call @says(%c) : (tensor<100xf32>) -> ()
  // expected-error@+1 {{only integers}}
  template.call @never(%c) : (tensor<100xf32>) -> ()
  // expected-note@+1 {{in @divides<N = 5>, called here}}
  template.call @divides(%d) : (tensor<5xf32>) -> ()
  // expected-note@+1 {{in @choice<N = 5>, called here}}
  template.call @choice(%d) : (tensor<5xf32>) -> ()
  return
}

// -----

template.func {N : index} @unrolls(%a : tensor<Nxf32>) {
  // expected-error@+1 {{unrolled into more than 4096 copies (the limit is the option max-unroll)}}
  template.const_for I = 0 to N { %0 = template.constant I : index }
  return
}
func.func @f(%a: tensor<5000xf32>) {
  // expected-note@+1 {{in @unrolls<N = 5000>, called here}}
  template.call @unrolls(%a) : (tensor<5000xf32>) -> ()
  return
}

// -----

// expected-note@+1 {{A is index_of<1 to 9>}}
template.func {A : index_of<1 to 9>, B : index_of<1 to 10>} @cases(%a : tensor<AxBxf32>) { return }
template.func {A : any_dim, B : any_dim} @cases(%a : tensor<AxBxf32>) { return }
func.func @f(%a: tensor<?x?xf32>) {
  // expected-error@+1 {{@cases needs more than 64 cases at run time (the limit is the option max-cases)}}
  template.call @cases(%a) : (tensor<?x?xf32>) -> ()
  return
}
