// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-stage=gpu-buffers

func.func @tensor() {
  // expected-error@+1 {{has a tensor, after the stage 'gpu-buffers'}}
  %c = arith.constant dense<1.0> : tensor<2xf32>
  return
}

// -----

func.func @named(%x: memref<8xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{is an operation of linalg by name}}
  linalg.copy ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// -----

func.func @kernel() {
  // expected-error@+1 {{is left}}
  %t = gpu.thread_id x
  return
}
