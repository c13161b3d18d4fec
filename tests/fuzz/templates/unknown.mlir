template.func @f(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = "arith.addf"(%x) : (tensor<4xf32>) -> tensor<4xf32> loc(unknown)
  return %0 : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = template.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
