// x * Factor
template.func {S : any_shape, T : any_type_of<f32>, Factor : real, C : string_of<"f32", "f64"> = "f32"}
@my.scaled(%x : tensor<SxT>) -> tensor<SxT> reference @my.scaled_plain {
  %f = template.constant Factor : tensor<SxT>
  %y = arith.mulf %x, %f : tensor<SxT>
  return %y : tensor<SxT>
}
template.func {S : any_shape, T : any_type_of<f32>, Factor : real, C : string_of<"f32", "f64"> = "f32"}
@my.scaled_plain(%x : tensor<SxT>) -> tensor<SxT> {
  %f = template.constant 1 / Factor : tensor<SxT>
  %y = arith.divf %x, %f : tensor<SxT>
  return %y : tensor<SxT>
}
