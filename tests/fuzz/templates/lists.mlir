// 4096^3 numbers.
template.func @f() {
  template.let A = repeat(1, 4096)
  template.let B = repeat(A, 4096)
  template.let C = repeat(B, 4096)
  return
}
func.func @g() {
  template.call @f() : () -> ()
  return
}
