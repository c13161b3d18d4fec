// RUN: kgen-opt "%s" --split-input-file --kgen-expand-math --verify-diagnostics
// What would become a call into libm is refused, and so are types without vector code.

func.func @wide_power(%x: f80, %n: i32) -> f80 {
  // expected-error@+1 {{'math.fpowi' op has no vector code for 'f80'}}
  %y = math.fpowi %x, %n : f80, i32
  return %y : f80
}

// -----

func.func @unknown_type(%x: vector<8xf80>) -> vector<8xf80> {
  // expected-error@+1 {{'math.exp' op has no vector code for 'vector<8xf80>'}}
  %y = math.exp %x : vector<8xf80>
  return %y : vector<8xf80>
}

// -----

func.func @tensors_come_too_early(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'kgen.gelu' op has no vector code for 'tensor<8xf32>'}}
  %y = kgen.gelu %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
