// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-instantiate-templates
// Calls: the place of the call and of the template, the parameter, its value and its set.

// expected-note@+1 {{declared here}}
template.func {S : any_shape_of<32x64, 32x32, 64x64>,
// expected-note@+1 {{declared here}}
               T : any_type_of<f32, bf16>}
@expand(%x : tensor<SxT>) -> tensor<64x64xT> {
  %0 = tensor.empty() : tensor<64x64xT>
  return %0 : tensor<64x64xT>
}
func.func @wrong(%2: tensor<32x128xf32>, %4: tensor<32x32xf16>) {
  // expected-error@+1 {{@expand cannot be called like this: S = 32x128 is not one of 32x64, 32x32, 64x64}}
  %3 = template.call @expand(%2) : (tensor<32x128xf32>) -> tensor<64x64xf32>
  // expected-error@+1 {{@expand cannot be called like this: T = f16 is not one of f32, bf16}}
  %5 = template.call @expand(%4) : (tensor<32x32xf16>) -> tensor<64x64xf32>
  return
}

// -----

// expected-note@+2 {{declared here}}
// expected-note@+1 {{and here}}
template.func {M : index, K : index, N : index} @mm(%a : tensor<MxKxf32>, %b : tensor<KxNxf32>) { return }
func.func @f(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error@+1 {{@mm cannot be called like this: K is 3 in operand #0 (%a) and 4 in operand #1 (%b)}}
  template.call @mm(%a, %b) : (tensor<2x3xf32>, tensor<4x5xf32>) -> ()
  return
}

// -----

// expected-note@+1 {{declared here}}
template.func {K : index} @pairs(%a : tensor<Kxf32>) requires K % 2 == 0, "pairs" { return }
// expected-note@+1 {{declared here}}
template.func {T : any_type, N : index} @open(%a : T) -> T { return %a : T }
// expected-note@+1 {{declared here}}
template.func {N : index} @gives(%a : tensor<Nxf32>) -> tensor<Nxf32> { return %a : tensor<Nxf32> }
// expected-note@+1 {{declared here}}
template.func {N : index} @one(%a : tensor<Nxf32>) { return }
// expected-note@+1 {{declared here}}
template.func {N : index} @kind(%a : tensor<4xf32>) { return }
// expected-note@+1 {{declared here}}
template.func {N : index} @half(%a : tensor<Nxf32>, %b : tensor<$(N / 2)xf32>) { return }
// expected-note@+1 {{declared here}}
template.func @ranked(%a : tensor<4xf32>) { return }
// expected-note@+1 {{declared here}}
template.func {N : index} @known(%a : tensor<Nxf32>) { return }
func.func @f(%a: f32, %b: tensor<4xf32>, %c: tensor<5xf32>, %d: tensor<*xf32>, %e: tensor<?xf32>) {
  // expected-error@+1 {{@pairs cannot be called like this: pairs: it requires K % 2 == 0 (K = 5)}}
  template.call @pairs(%c) : (tensor<5xf32>) -> ()
  // expected-error@+1 {{N does not follow from the operands: say @open<N = ...>}}
  %0 = template.call @open(%a) : (f32) -> f32
  // expected-error@+1 {{@gives gives ('tensor<4xf32>'), not ('tensor<5xf32>')}}
  %1 = template.call @gives(%b) : (tensor<4xf32>) -> tensor<5xf32>
  // expected-error@+1 {{it takes 1 operands, not 2}}
  template.call @one(%b, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  // expected-error@+1 {{N : index cannot be f32}}
  template.call @kind<N = f32>(%b) : (tensor<4xf32>) -> ()
  // expected-error@+1 {{size 0 of operand #1 is 4, not $(N / 2) = 2}}
  template.call @half(%b, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  // expected-error@+1 {{operand #0 (%a) is tensor<*xf32>, whose rank is not known; tensor<4xf32> needs it}}
  template.call @ranked(%d) : (tensor<*xf32>) -> ()
  // expected-error@+1 {{N = ? is known at run time only, and N has no finite set}}
  template.call @known(%e) : (tensor<?xf32>) -> ()
  // expected-error@+1 {{there is no template @pars (did you mean 'pairs'?)}}
  template.call @pars(%c) : (tensor<5xf32>) -> ()
  return
}

// -----

// expected-note@+1 {{declared here}}
template.func {Size : index} @named(%a : tensor<Sizexf32>) { return }
func.func @f(%b: tensor<4xf32>) {
  // expected-error@+1 {{it has no parameter Sise (did you mean 'Size'?)}}
  template.call @named<Sise = 4>(%b) : (tensor<4xf32>) -> ()
  return
}

// -----

// expected-note@+1 {{this one fits}}
template.func {M : index} @two(%x : tensor<Mx8xf32>) { return }
// expected-note@+1 {{this one fits}}
template.func {N : index} @two(%x : tensor<8xNxf32>) { return }
template.func {S : any_shape} @two(%x : tensor<Sxf32>) { return }
func.func @f(%x: tensor<8x8xf32>, %y: tensor<8x9xf32>) {
  template.call @two(%y) : (tensor<8x9xf32>) -> ()
  // expected-error@+2 {{@two is ambiguous: several templates fit, and none is the most special}}
  // expected-note@+1 {{a template with this header would decide: @two(%x : tensor<8x8xf32>)}}
  template.call @two(%x) : (tensor<8x8xf32>) -> ()
  return
}

// -----

// expected-note@+1 {{operand #0 (%x) is tensor<f32>, not tensor<Mx8xf32>}}
template.func {M : index} @none(%x : tensor<Mx8xf32>) { return }
// expected-note@+1 {{operand #0 (%x) is tensor<f32>, not tensor<8xNxf32>}}
template.func {N : index} @none(%x : tensor<8xNxf32>) { return }
func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{@none has no template for ('tensor<f32>')}}
  template.call @none(%x) : (tensor<f32>) -> ()
  return
}

// -----

// expected-note@+1 {{M is index_of<1, 8>}}
template.func {M : index_of<1, 8>} @only(%x : tensor<Mx4xf32>) { return }
func.func @f(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{@only has no template for other values of M, which is known at run time only; one with any_dim takes them}}
  template.call @only(%x) : (tensor<?x4xf32>) -> ()
  return
}

// -----

// expected-note@+1 {{declared here}}
template.func {S : any_shape_of<2x3, 4x5>} @shape(%x : tensor<Sxf32>) { return }
func.func @f(%x: tensor<?x6xf32>) {
  // expected-error@+1 {{S = ?x6 is known at run time only, and none of 2x3, 4x5 fits it}}
  template.call @shape(%x) : (tensor<?x6xf32>) -> ()
  return
}

// -----

func.func @f(%x: tensor<6xf32>) {
  // expected-error@+1 {{parameter A is given twice}}
  template.call @shape<A = 1, A = 2>(%x) : (tensor<6xf32>) -> ()
  return
}
