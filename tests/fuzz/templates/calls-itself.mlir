// The text calls its own instance by its name.
template.func {N : index} @f(%x : tensor<4xf32>) {
  func.call @"f<N = 4>"(%x) : (tensor<4xf32>) -> ()
  return
}
func.func @g(%x: tensor<4xf32>) {
  template.call @f<N = 4>(%x) : (tensor<4xf32>) -> ()
  return
}
