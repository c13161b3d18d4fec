// RUN: kgen-opt "%s" --split-input-file --kgen-expand-math --verify-diagnostics
// What would become a call into libm is refused, and so are types without vector code.

func.func @unknown_function(%x: f32) -> f32 {
  // expected-error@+1 {{'math.cbrt' op has no vector code for 'f32'}}
  %y = math.cbrt %x : f32
  return %y : f32
}

// -----

func.func @unknown_type(%x: vector<8xf16>) -> vector<8xf16> {
  // expected-error@+1 {{'math.exp' op has no vector code for 'vector<8xf16>'}}
  %y = math.exp %x : vector<8xf16>
  return %y : vector<8xf16>
}

// -----

func.func @tensors_come_too_early(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'kgen.gelu' op has no vector code for 'tensor<8xf32>'}}
  %y = kgen.gelu %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
