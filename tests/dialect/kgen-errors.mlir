// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics

func.func @integer(%x: i32) {
  // expected-error@+1 {{'kgen.gelu' op operand #0 must be floating-point-like, but got 'i32'}}
  %0 = kgen.gelu %x : i32
  return
}

// -----

func.func @other_result(%x: f32) {
  // expected-error@+1 {{'kgen.gelu' op requires the same type for all operands and results}}
  %0 = "kgen.gelu"(%x) : (f32) -> f64
  return
}

// -----

// expected-error@+1 {{expected ','}}
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64", features = "", tune = "", vector_bits = 256, vector_registers = 16, l1d = 1, l2 = 1>} {}

// -----

// expected-error@+2 {{expected integer value}}
// expected-error@+1 {{failed to parse Kgen_TargetAttr parameter 'vector_bits'}}
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64", features = "", tune = "", vector_bits = "many", vector_registers = 16, l1d = 1, l2 = 1, blocks = {}>} {}
