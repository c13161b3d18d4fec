// The most special template that fits: by unification, by sets, by `requires`.
// RUN: kgen-opt "%s" --kgen-instantiate-templates=inline=false | FileCheck "%s"
// CHECK-LABEL: func.func @f
template.func {S : any_shape, T : any_type} @f(%x : tensor<SxT>) { return }
template.func {N : index, T : any_type} @f(%x : tensor<Nx8xT>) { return }
template.func {N : index_of<4, 6>, T : any_type} @f(%x : tensor<Nx8xT>) { return }
template.func {N : index_of<4, 6>, T : any_type} @f(%x : tensor<Nx8xT>) requires is_same(T, bf16) { return }
template.func {} @f(%x : tensor<4x8xf64>) { return }
func.func @f(%a: tensor<2xf32>, %b: tensor<5x8xf32>, %c: tensor<4x8xf32>, %d: tensor<4x8xbf16>, %e: tensor<4x8xf64>) {
  // CHECK-NEXT: call @"f#0<S = 2, T = f32>"
  template.call @f(%a) : (tensor<2xf32>) -> ()
  // CHECK-NEXT: call @"f#1<N = 5, T = f32>"
  template.call @f(%b) : (tensor<5x8xf32>) -> ()
  // CHECK-NEXT: call @"f#2<N = 4, T = f32>"
  template.call @f(%c) : (tensor<4x8xf32>) -> ()
  // CHECK-NEXT: call @"f#3<N = 4, T = bf16>"
  template.call @f(%d) : (tensor<4x8xbf16>) -> ()
  // CHECK-NEXT: call @"f#4<>"
  template.call @f(%e) : (tensor<4x8xf64>) -> ()
  return
}
// REQUIRES: templates
