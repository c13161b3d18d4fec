// A product and a bias, as MatMul and Add are in the stage `ingress`.
template.func {M : index, N : index, K : index}
@dense(%a : tensor<MxKxf32>, %b : tensor<KxNxf32>, %c : tensor<Nxf32>) -> tensor<MxNxf32> cost M * N * K {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<MxNxf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<MxNxf32>) -> tensor<MxNxf32>
  %p = linalg.matmul ins(%a, %b : tensor<MxKxf32>, tensor<KxNxf32>) outs(%z : tensor<MxNxf32>) -> tensor<MxNxf32>
  %y = linalg.generic {indexing_maps = [$(identity(2)), $(projection(2, [1])), $(identity(2))], iterator_types = ["parallel", "parallel"]}
      ins(%p, %c : tensor<MxNxf32>, tensor<Nxf32>) outs(%e : tensor<MxNxf32>) {
  ^bb0(%x : f32, %s : f32, %o : f32):
    %t = arith.addf %x, %s : f32
    linalg.yield %t : f32
  } -> tensor<MxNxf32>
  return %y : tensor<MxNxf32>
}
// Sums that start from the bias.
template.func {M : index, N : index, K : index}
@from_bias(%a : tensor<MxKxf32>, %b : tensor<KxNxf32>, %c : tensor<Nxf32>) -> tensor<MxNxf32> replaces @dense
cost M * N * K / target("vector_bits") {
  %e = tensor.empty() : tensor<MxNxf32>
  %z = linalg.broadcast ins(%c : tensor<Nxf32>) outs(%e : tensor<MxNxf32>) dimensions = [0]
  %p = linalg.matmul ins(%a, %b : tensor<MxKxf32>, tensor<KxNxf32>) outs(%z : tensor<MxNxf32>) -> tensor<MxNxf32>
  return %p : tensor<MxNxf32>
}
// 3 * x, by a sum
template.func {S : any_shape} @my.thrice(%x : tensor<Sxf32>) -> tensor<Sxf32> {
  %d = arith.addf %x, %x : tensor<Sxf32>
  %y = arith.addf %d, %x : tensor<Sxf32>
  return %y : tensor<Sxf32>
}
template.func {S : any_shape} @sum3(%x : tensor<Sxf32>) -> tensor<Sxf32> cost 2 {
  %y = template.call @my.thrice(%x) : (tensor<Sxf32>) -> tensor<Sxf32>
  return %y : tensor<Sxf32>
}
template.func {S : any_shape} @product3(%x : tensor<Sxf32>) -> tensor<Sxf32> replaces @sum3 cost 1 {
  %3 = template.constant 3 : tensor<Sxf32>
  %y = arith.mulf %x, %3 : tensor<Sxf32>
  return %y : tensor<Sxf32>
}
