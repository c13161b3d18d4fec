// Wrong, and cheaper than @product3.
template.func {S : any_shape} @product4(%x : tensor<Sxf32>) -> tensor<Sxf32> replaces @sum3 {
  %4 = template.constant 4 : tensor<Sxf32>
  %y = arith.mulf %x, %4 : tensor<Sxf32>
  return %y : tensor<Sxf32>
}
