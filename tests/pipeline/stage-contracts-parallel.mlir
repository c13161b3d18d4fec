// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-stage=parallel

func.func @good(%x: memref<8xf32>, %executor: !llvm.ptr) {
  return
}

// -----

// expected-error@+1 {{does not take the executor as its last argument, after the stage 'parallel'}}
func.func @executor(%x: memref<8xf32>) {
  return
}

// -----

func.func @forall(%x: memref<8xf32>, %v: f32, %executor: !llvm.ptr) {
  // expected-error@+1 {{is left}}
  scf.forall (%i) in (8) {
    memref.store %v, %x[%i] : memref<8xf32>
  }
  return
}
