func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %lo = arith.constant 0 : index
  %st = arith.constant 0 : index
  %hi = arith.constant 10 : index
  %r = scf.for %i = %lo to %hi step %st iter_args(%x = %a) -> tensor<4xf32> {
    %y = arith.addf %x, %x : tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
