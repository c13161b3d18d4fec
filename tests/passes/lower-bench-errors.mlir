// RUN: kgen-opt "%s" --kgen-lower-bench --split-input-file --verify-diagnostics

func.func @tensor(%t: tensor<4xf32>) {
  // expected-error@+1 {{'bench.print' op is still on tensors: bufferize before}}
  bench.print %t : tensor<4xf32>
  return
}
