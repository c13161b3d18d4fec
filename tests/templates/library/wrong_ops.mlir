template.func {m : index} @my.small(%x : tensor<4xf32>) { return }
template.func @my.plain(%x : tensor<4xf32>) -> tensor<4xf32> reference @my.plan { return %x : tensor<4xf32> }
template.func @other(%x : tensor<4xf32>) -> tensor<4xf32> replaces @my.plen { return %x : tensor<4xf32> }
