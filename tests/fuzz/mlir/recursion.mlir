func.func @a(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @b(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @b(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @a(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
