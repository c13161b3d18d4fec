// A size after any number of others, of which there are none.
template.func {N : index = 4} @f(%x : tensor<*x$(N)xf32>) {
  return
}
func.func @g(%x: tensor<*xf32>) {
  template.call @f(%x) : (tensor<*xf32>) -> ()
  return
}
