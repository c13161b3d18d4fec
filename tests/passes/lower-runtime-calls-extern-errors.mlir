// RUN: kgen-opt "%s" --kgen-lower-runtime-calls --split-input-file --verify-diagnostics

func.func @other_dialect(%y: memref<8xf32>) {
  // expected-error@+1 {{must stand in a function of the LLVM dialect, and not in a loop}}
  kgen.extern "f" outs(%y : memref<8xf32>)
  return
}

// -----

llvm.func @task(%d: !llvm.ptr) attributes {sym_visibility = "private"} {
  %y = builtin.unrealized_conversion_cast %d : !llvm.ptr to memref<8xf32>
  // expected-error@+1 {{only a graph's function, which returns nothing yet, may call functions from outside}}
  kgen.extern "f" outs(%y : memref<8xf32>)
  llvm.return
}

// -----

llvm.func @f(%d: !llvm.ptr) {
  %y = builtin.unrealized_conversion_cast %d : !llvm.ptr to memref<8xf32>
  // expected-error@+1 {{'f' is something else, too}}
  kgen.extern "f" outs(%y : memref<8xf32>)
  llvm.return
}

// -----

llvm.func @strided(%d: !llvm.ptr) {
  %y = builtin.unrealized_conversion_cast %d : !llvm.ptr to memref<8xf32, strided<[2]>>
  // expected-error@+1 {{operands must be buffers without layout}}
  kgen.extern "f" outs(%y : memref<8xf32, strided<[2]>>)
  llvm.return
}
