template.func {N : index} @my.number(%x : tensor<Nxf32>) -> f32 { %0 = template.constant N : f32 return %0 : f32 }
template.func {M : index} @my.two(%x : tensor<Mx8xf32>) -> tensor<Mx8xf32> { return %x : tensor<Mx8xf32> }
template.func {N : index} @my.two(%x : tensor<8xNxf32>) -> tensor<8xNxf32> { return %x : tensor<8xNxf32> }
template.func {N : index} @my.short(%x : tensor<Nxf32>) -> tensor<Nxf32> {
  template.assert N < 10, "at most 9 elements"
  return %x : tensor<Nxf32>
}
