template.func {N : index} @f(%x : tensor<4xf32>) -> tensor<4xf32> {
  template.const_if N == 0 {
    return %x : tensor<4xf32>
  } else {
    %a = template.call @f<N = N - 1>(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = template.call @f<N = N - 1>(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %c = arith.addf %a, %b : tensor<4xf32>
    return %c : tensor<4xf32>
  }
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = template.call @f<N = 40>(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
