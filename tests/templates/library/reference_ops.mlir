template.func {M : index, N : index} @my.shifted(%x : tensor<MxNxf32>, %w : tensor<Nxf32>) -> tensor<MxNxf32> reference @shifted_plain {
  %y = linalg.generic {indexing_maps = [$(identity(2)), $(projection(2, [1])), $(identity(2))], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<MxNxf32>, tensor<Nxf32>) outs(%x : tensor<MxNxf32>) {
  ^bb0(%a : f32, %b : f32, %o : f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<MxNxf32>
  return %y : tensor<MxNxf32>
}
template.func {M : index, N : index} @shifted_plain(%x : tensor<MxNxf32>, %w : tensor<Nxf32>) -> tensor<MxNxf32> {
  %space = tensor.empty() : tensor<MxNxf32>
  %b = linalg.broadcast ins(%w : tensor<Nxf32>) outs(%space : tensor<MxNxf32>) dimensions = [0]
  %y = arith.addf %x, %b : tensor<MxNxf32>
  return %y : tensor<MxNxf32>
}
// Wrong but for By = 2.
template.func {S : any_shape, By : index_of<2, 4>} @my.halved(%x : tensor<Sxf32>) -> tensor<Sxf32> reference @my.plain {
  %f = template.constant 1.0 / By : tensor<Sxf32>
  %y = arith.mulf %x, %f : tensor<Sxf32>
  return %y : tensor<Sxf32>
}
template.func {S : any_shape, By : index = 2} @my.plain(%x : tensor<Sxf32>) -> tensor<Sxf32> {
  %f = template.constant 0.5 : tensor<Sxf32>
  %y = arith.mulf %x, %f : tensor<Sxf32>
  return %y : tensor<Sxf32>
}
