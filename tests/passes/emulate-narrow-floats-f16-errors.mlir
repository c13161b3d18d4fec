// RUN: kgen-opt "%s" --kgen-emulate-narrow-floats --split-input-file --verify-diagnostics

func.func @sum(%x: f16) -> f16 {
  // expected-error @below {{computes in 'f16': extend its operands to f32}}
  %y = arith.addf %x, %x : f16
  return %y : f16
}

// -----

func.func @from_double(%x: f64) -> f16 {
  // expected-error @below {{computes in 'f16': extend its operands to f32}}
  %y = arith.truncf %x : f64 to f16
  return %y : f16
}
