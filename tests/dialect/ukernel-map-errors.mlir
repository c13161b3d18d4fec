// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics

// expected-error@+1 {{a tile has at least one row and one column}}
ukernel.map @rows attributes {in_cols = array<i64: 1>, in_rows = array<i64: 8>, m = 0 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32):
  ukernel.yield %x : f32
}

// -----

// expected-error@+1 {{a tile has at least one row and one column}}
ukernel.map @columns attributes {in_cols = array<i64: 1>, in_rows = array<i64: 8>, m = 4 : i64, n = 0 : i64, out_row = 8 : i64} {
^bb0(%x: f32):
  ukernel.yield %x : f32
}

// -----

// expected-error@+1 {{in_rows and in_cols must have one stride per input each}}
ukernel.map @strides attributes {in_cols = array<i64: 1>, in_rows = array<i64>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32):
  ukernel.yield %x : f32
}

// -----

// expected-error@+1 {{the region takes one scalar per input}}
ukernel.map @arguments attributes {in_cols = array<i64: 1>, in_rows = array<i64: 8>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  ukernel.yield %x : f32
}

// -----

// expected-error@+1 {{an input's columns are contiguous (1) or the same value (0)}}
ukernel.map @apart attributes {in_cols = array<i64: 2>, in_rows = array<i64: 8>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32):
  ukernel.yield %x : f32
}

// -----

// expected-error@+1 {{the region must end in ukernel.yield}}
"ukernel.map"() <{sym_name = "end", in_cols = array<i64>, in_rows = array<i64>, m = 1 : i64, n = 1 : i64, out_row = 1 : i64}> ({
  %x = arith.constant 1.0 : f32
  "ukernel.call"() {callee = @end} : () -> ()
}) : () -> ()

// -----

ukernel.map @one attributes {in_cols = array<i64: 1>, in_rows = array<i64: 8>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32):
  ukernel.yield %x : f32
}
func.func @too_few(%x: memref<4x8xf32>) {
  // expected-error@+1 {{'ukernel.call' op passes 1 tiles, @one takes 2}}
  ukernel.call @one(%x) : memref<4x8xf32>
  return
}
