func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %lo = arith.constant -9223372036854775807 : index
  %st = arith.constant 1 : index
  %hi = arith.constant 9223372036854775807 : index
  %r = scf.for %i = %lo to %hi step %st iter_args(%x = %a) -> tensor<4xf32> {
    %y = arith.addf %x, %x : tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
