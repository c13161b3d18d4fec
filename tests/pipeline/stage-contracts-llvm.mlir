// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics --kgen-verify-stage=llvm

llvm.func @good(%x: !llvm.ptr) {
  llvm.return
}

// -----

// expected-error@+1 {{is left, after the stage 'llvm'}}
func.func @function() {
  return
}

// -----

llvm.func @cast(%x: i64) {
  // expected-error@+1 {{is left}}
  %0 = builtin.unrealized_conversion_cast %x : i64 to index
  llvm.return
}
