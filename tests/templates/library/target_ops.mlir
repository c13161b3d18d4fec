template.func {S : any_shape, T : any_type_of<f32>} @my.wide(%x : tensor<SxT>) -> tensor<SxT> requires target("avx2") {
  %y = arith.addf %x, %x : tensor<SxT>
  return %y : tensor<SxT>
}
template.func {S : any_shape, T : any_type_of<f32>} @my.wide(%x : tensor<SxT>) -> tensor<SxT> {
  %2 = template.constant 2 : tensor<SxT>
  %y = arith.mulf %x, %2 : tensor<SxT>
  return %y : tensor<SxT>
}
template.func {N : index} @my.lanes(%x : tensor<Nxf32>) -> tensor<Nxf32>
requires N % (target("vector_bits") / 64) == 0 requires target("vector_bits") <= 256, "narrow vectors" {
  %y = arith.negf %x : tensor<Nxf32>
  return %y : tensor<Nxf32>
}
