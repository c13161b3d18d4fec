template.func {T : any_type, N : index}
@my.broken(%x : tensor<NxT>) -> tensor<NxT> {
  %0 = arith.addf %x, %x : tensor<NxT>
  return %0 : tensor<NxT>
}
