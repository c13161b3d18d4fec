template.func {S : any_shape, T : any_type} @my.swish(%x : tensor<SxT>) -> tensor<SxT> {
  return %x : tensor<SxT>
}
}
