// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-stage=bufferize

func.func @good(%x: memref<8xf32>) attributes {kgen.workspace = 0 : i64} {
  return
}

// -----

// expected-error@+1 {{has no size of its workspace (kgen.workspace), after the stage 'bufferize'}}
func.func @workspace(%x: memref<8xf32>) {
  return
}

// -----

func.func @tensor(%x: memref<8xf32>) attributes {kgen.workspace = 0 : i64} {
  // expected-error@+1 {{has a tensor}}
  %c = arith.constant dense<1.0> : tensor<2xf32>
  return
}

// -----

func.func @allocates() attributes {kgen.workspace = 0 : i64} {
  // expected-error@+1 {{allocates memory outside of the workspace}}
  %m = memref.alloc() : memref<8xf32>
  return
}
