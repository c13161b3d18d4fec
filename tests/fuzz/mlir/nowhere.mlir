func.func @f(%a: tensor<?xf32> loc(unknown)) -> tensor<?xf32> {
  %0 = math.exp %a : tensor<?xf32> loc(unknown)
  return %0 : tensor<?xf32> loc(unknown)
} loc(unknown)
