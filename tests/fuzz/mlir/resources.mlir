func.func @f() -> (tensor<400xf32>, tensor<400xf32>, tensor<100xf32>, tensor<65xi1>) {
  %0 = arith.constant dense_resource<a> : tensor<400xf32>
  %1 = arith.constant dense_resource<b> : tensor<400xf32>
  %2 = arith.constant dense_resource<c> : tensor<100xf32>
  %3 = arith.constant dense_resource<d> : tensor<65xi1>
  return %0, %1, %2, %3 : tensor<400xf32>, tensor<400xf32>, tensor<100xf32>, tensor<65xi1>
}
{-#
  dialect_resources: { builtin: { a: "0x0400000000", a: "0x0400000000" } }
#-}
