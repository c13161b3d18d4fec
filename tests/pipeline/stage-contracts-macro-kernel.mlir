// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-stage=macro-kernel

func.func @good(%x: memref<8xf32>, %y: memref<8xf32>) {
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}

// -----

func.func @allocation() {
  // expected-error@+1 {{is left, after the stage 'macro-kernel'}}
  %0 = memref.alloc() : memref<8xf32>
  return
}

// -----

func.func @tile(%x: memref<4x4xf32>) {
  // expected-error@+1 {{is left}}
  tpp.zero outs(%x : memref<4x4xf32>)
  return
}
