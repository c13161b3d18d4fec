// RUN: kgen-opt "%s" --canonicalize --cse | FileCheck "%s"
// Nothing is known of what the function does besides: calls are neither merged nor removed.
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-2: kgen.extern "f"
func.func @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = kgen.extern "f" ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = kgen.extern "f" ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}
