// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics

func.func @nameless(%y: memref<8xf32>) {
  // expected-error@+1 {{'kgen.extern' op needs the name of a function}}
  kgen.extern "" outs(%y : memref<8xf32>)
  return
}

// -----

func.func @no_bytes(%y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'kgen.extern' op 'workspace_bytes' must be positive}}
  %r = kgen.extern "f" outs(%y : tensor<8xf32>) {workspace_bytes = 0 : i64} -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @places(%y: memref<8xf32>) {
  // expected-error@+1 {{'kgen.extern' op 'empty_arguments' must be ascending places among the 3 pointers}}
  kgen.extern "f" outs(%y : memref<8xf32>) {empty_arguments = array<i64: 1, 1>}
  return
}

// -----

func.func @too_far(%y: memref<8xf32>) {
  // expected-error@+1 {{'kgen.extern' op 'empty_arguments' must be ascending places among the 2 pointers}}
  kgen.extern "f" outs(%y : memref<8xf32>) {empty_arguments = array<i64: 2>}
  return
}

// -----

func.func @mixed(%x: tensor<8xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{'kgen.extern' op operands must be tensors or buffers, all of them}}
  kgen.extern "f" ins(%x : tensor<8xf32>) outs(%y : memref<8xf32>)
  return
}

// -----

func.func @no_workspace(%y: memref<8xf32>) {
  // expected-error@+1 {{'kgen.extern' op has a workspace operand where it works on buffers and has 'workspace_bytes', and nowhere else}}
  kgen.extern "f" outs(%y : memref<8xf32>) {workspace_bytes = 64 : i64}
  return
}

// -----

func.func @no_size(%y: memref<8xf32>, %w: memref<64xi8>) {
  // expected-error@+1 {{'kgen.extern' op has a workspace operand where it works on buffers and has 'workspace_bytes', and nowhere else}}
  kgen.extern "f" outs(%y : memref<8xf32>) workspace(%w : memref<64xi8>)
  return
}
