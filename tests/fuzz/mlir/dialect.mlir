module attributes {foo.bar = #foo<"x">} {
func.func @f(%a: !foo.bar<baz>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  return %e : tensor<4xf32>
}
}
