// RUN: kgen-opt "%s" --kgen-emulate-narrow-floats --split-input-file --verify-diagnostics

func.func @sum(%x: bf16) -> bf16 {
  // expected-error @below {{computes in 'bf16': extend its operands to f32}}
  %y = arith.addf %x, %x : bf16
  return %y : bf16
}

// -----

func.func @compare(%x: vector<8xbf16>) -> vector<8xi1> {
  // expected-error @below {{computes in 'bf16': extend its operands to f32}}
  %y = arith.cmpf olt, %x, %x : vector<8xbf16>
  return %y : vector<8xi1>
}

// -----

func.func @reduction(%x: vector<8xbf16>) -> bf16 {
  // expected-error @below {{computes in 'bf16': extend its operands to f32}}
  %y = vector.reduction <add>, %x : vector<8xbf16> into bf16
  return %y : bf16
}

// -----

func.func @other_rounding(%x: f32) -> bf16 {
  // expected-error @below {{computes in 'bf16': extend its operands to f32}}
  %y = arith.truncf %x toward_zero : f32 to bf16
  return %y : bf16
}
