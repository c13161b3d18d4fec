// The largest divisor; a set whose last number is followed by none of 64 bits.
template.func {N : index_of<5 to 9223372036854775807 step 9223372036854775807> = 5} @f() -> index {
  template.let A = (-1 % 9223372036854775807) + (1 % 9223372036854775807) - 1
  %0 = template.constant A : index
  return %0 : index
}
func.func @g() -> index {
  %0 = template.call @f() : () -> index
  return %0 : index
}
