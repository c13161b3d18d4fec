func.func @f(%a: tensor<0x4xf32>, %b: tensor<4x5xf32>) -> (tensor<0x5xf32>, tensor<5xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<0x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<0x5xf32>) -> tensor<0x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<0x4xf32>, tensor<4x5xf32>) outs(%f : tensor<0x5xf32>) -> tensor<0x5xf32>
  %e1 = tensor.empty() : tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>], iterator_types = ["reduction", "parallel"]} ins(%0 : tensor<0x5xf32>) outs(%e1 : tensor<5xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %0, %1 : tensor<0x5xf32>, tensor<5xf32>
}
