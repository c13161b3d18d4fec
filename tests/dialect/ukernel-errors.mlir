// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics

// expected-error@+1 {{'ukernel.gemm' op a tile has at least one row and one column, and no negative depth}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    extra_cols = array<i64>, extra_rows = array<i64>, k = 2 : i64, m = 0 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op a tile has at least one row and one column, and no negative depth}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    extra_cols = array<i64>, extra_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 0 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op a tile has at least one row and one column, and no negative depth}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    extra_cols = array<i64>, extra_rows = array<i64>, k = 2 : i64, m = -1 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op a tile has at least one row and one column, and no negative depth}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    extra_cols = array<i64>, extra_rows = array<i64>, k = -1 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{extra_rows and extra_cols must have one stride per extra each}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    extra_cols = array<i64>, extra_rows = array<i64: 1>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{the epilogue takes the accumulator and one scalar per extra}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    extra_cols = array<i64: 1>, extra_rows = array<i64: 1>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{the epilogue turns an accumulator of the kernel's element type into another}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    extra_cols = array<i64>, extra_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f64):
  ukernel.yield %acc : f64
}

// -----

// expected-error@+1 {{the epilogue turns an accumulator of the kernel's element type into another}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    extra_cols = array<i64>, extra_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  %d = arith.extf %acc : f32 to f64
  ukernel.yield %d : f64
}

// -----

// expected-error@+1 {{an extra's columns are contiguous (1) or the same value (0)}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    extra_cols = array<i64: 2>, extra_rows = array<i64: 0>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32, %x: f32):
  ukernel.yield %acc : f32
}

// -----

func.func @unknown(%a: memref<1x2xf32>) {
  // expected-error@+1 {{'ukernel.call' op calls unknown micro-kernel @nobody}}
  ukernel.call @nobody(%a) : memref<1x2xf32>
  return
}

// -----

ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    extra_cols = array<i64: 1>, extra_rows = array<i64: 0>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32, %x: f32):
  ukernel.yield %acc : f32
}
func.func @too_few(%a: memref<1x2xf32>, %b: memref<2x3xf32>, %c: memref<1x3xf32>) {
  // expected-error@+1 {{'ukernel.call' op passes 3 tiles, @kernel takes 4}}
  ukernel.call @kernel(%a, %b, %c) : memref<1x2xf32>, memref<2x3xf32>, memref<1x3xf32>
  return
}

// -----

func.func @yield_elsewhere(%x: f32) {
  // expected-error@+1 {{'ukernel.yield' op expects parent op 'ukernel.gemm'}}
  ukernel.yield %x : f32
}

// -----

func.func @tensors(%a: tensor<1x2xf32>) {
  // expected-error@+1 {{'ukernel.call' op operand #0 must be variadic of memref of any type values, but got 'tensor<1x2xf32>'}}
  "ukernel.call"(%a) {callee = @kernel} : (tensor<1x2xf32>) -> ()
  return
}
