// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-stage=tile

func.func @good(%x: memref<8xf32>, %y: memref<8xf32>) {
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}

// -----

func.func @copy_in_loop(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@+1 {{is a copy in a loop, behind the stage 'tile'}}
    memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  }
  return
}

// -----

func.func @tile(%x: memref<4x4xf32>) {
  // expected-error@+1 {{is left}}
  tpp.zero outs(%x : memref<4x4xf32>)
  return
}
