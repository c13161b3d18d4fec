template.func @f() {
  template.error ""
  return
}
func.func @g() {
  template.call @f() : () -> ()
  return
}
