// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-verify-ukernel-calls --split-input-file --verify-diagnostics

// Every error of a module is reported.
module {
// expected-error@+1 {{rows of C have 8 elements, but are 7 apart}}
ukernel.gemm @c_rows attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 7 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
// expected-error@+1 {{a_row is negative}}
ukernel.gemm @negative attributes {a_col = 1 : i64, a_row = -6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
// expected-error@+1 {{b_padded: needs adjacent columns of B}}
ukernel.gemm @padded_columns attributes {a_col = 1 : i64, a_row = 6 : i64, b_padded, b_prefetch = 0 : i64, b_row = 1 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64, b_col = 6 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
// expected-error@+1 {{b_quant: blocks have 640 bytes, but are 512 apart}}
ukernel.gemm @short_blocks attributes {a_col = 1 : i64, a_row = 40 : i64, b_prefetch = 0 : i64, b_row = 512 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 40 : i64, m = 4 : i64, n = 8 : i64, b_type = i8,
    b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = false>} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
// expected-error@+1 {{vnni: rows of B have 16 elements, but are 8 apart}}
ukernel.gemm @short_rows attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = bf16, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64, vnni = 2 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
// expected-error@+1 {{vnni = 8 values of 'bf16' do not fill 32 or 64 bits}}
ukernel.gemm @groups attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 64 : i64, c_row = 8 : i64,
    element = bf16, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64, vnni = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
// expected-error@+1 {{b_padded: reads 8 elements of each row of B, but rows are 7 apart}}
ukernel.gemm @padded attributes {a_col = 1 : i64, a_row = 6 : i64, b_padded, b_prefetch = 0 : i64, b_row = 7 : i64, c_row = 7 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 7 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
// expected-error@+1 {{rows of the output have 8 elements, but are 4 apart}}
ukernel.map @out_rows attributes {in_cols = array<i64: 1>, in_rows = array<i64: 8>, m = 4 : i64, n = 8 : i64, out_row = 4 : i64} {
^bb0(%x: f32):
  ukernel.yield %x : f32
}
}

// -----

// All of the calls, too, and several errors of one.
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.gemm @batched attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64, a_batch = 24 : i64, b_batch = 48 : i64, batch = 2 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @map attributes {in_cols = array<i64: 1>, in_rows = array<i64: 8>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32):
  ukernel.yield %x : f32
}
ukernel.map @row attributes {in_cols = array<i64: 1>, in_rows = array<i64: 0>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32):
  ukernel.yield %x : f32
}
ukernel.gemm @wide attributes {a_col = 1, a_row = 6, b_prefetch = 0, b_row = 8, c_row = 8, element = f32, b_type = bf16, b_upconverted_row = 8, sums_row = 8,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6, m = 4, n = 8} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
// expected-error@+1 {{rows of up-converted B have 8 elements, but are 7 apart}}
ukernel.gemm @wide_rows attributes {a_col = 1, a_row = 6, b_prefetch = 0, b_row = 8, c_row = 8, element = f32, b_type = bf16, b_upconverted_row = 7,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6, m = 4, n = 8} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
func.func @up_converted(%a: memref<4x6xf32>, %b: memref<6x8xbf16>, %c: memref<4x8xf32>, %w: memref<5x8xf32>, %s: memref<4x8xbf16>) {
  // expected-error@+2 {{up-converted B is 5x8, the kernel takes 6x8}}
  // expected-error@+1 {{the tile of sums has elements 'bf16', the kernel takes 'f32'}}
  ukernel.call @wide(%a, %b, %c, %w, %s) : memref<4x6xf32>, memref<6x8xbf16>, memref<4x8xf32>, memref<5x8xf32>, memref<4x8xbf16>
  return
}
func.func @calls(%a: memref<4x6xf32>, %b: memref<6x8xf32>, %c: memref<4x8xf32>, %wide: memref<4x7xf64, strided<[9, 2]>>, %flat: memref<31xf32>, %cube: memref<1x4x8xf32>, %big: memref<8x6xf32>) {
  // expected-error@+3 {{C has elements 'f64', the kernel takes 'f32'}}
  // expected-error@+2 {{C is 4x7, the kernel takes 4x8}}
  // expected-error@+1 {{C has strides [9, 2], the kernel takes [8, 1]}}
  ukernel.call @gemm(%a, %b, %wide) : memref<4x6xf32>, memref<6x8xf32>, memref<4x7xf64, strided<[9, 2]>>
  // expected-error@+1 {{C has 31 elements, the kernel reaches 32}}
  ukernel.call @gemm(%a, %b, %flat) : memref<4x6xf32>, memref<6x8xf32>, memref<31xf32>
  // expected-error@+1 {{C must be a matrix with strides or a row, found 'memref<1x4x8xf32>'}}
  ukernel.call @gemm(%a, %b, %cube) : memref<4x6xf32>, memref<6x8xf32>, memref<1x4x8xf32>
  // expected-error@+2 {{A ends at byte 192 of a buffer of 96}}
  // expected-error@+1 {{B ends at byte 384 of a buffer of 192}}
  ukernel.call @batched(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  %c_of_b = memref.reinterpret_cast %b to offset: [0], sizes: [4, 8], strides: [8, 1] : memref<6x8xf32> to memref<4x8xf32>
  // expected-error@+1 {{C overlaps tile 1, which is read}}
  ukernel.call @gemm(%a, %b, %c_of_b) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  ukernel.call @map(%c, %c) : memref<4x8xf32>, memref<4x8xf32>
  %row = memref.reinterpret_cast %c to offset: [0], sizes: [4, 8], strides: [0, 1] : memref<4x8xf32> to memref<4x8xf32, strided<[0, 1]>>
  // expected-error@+1 {{the output overlaps input 0, but is not the same tile}}
  ukernel.call @row(%row, %c) : memref<4x8xf32, strided<[0, 1]>>, memref<4x8xf32>
  return
}

// -----

// The bias is the first row of C: no epilogue of the gemm, and no kernel either.
ukernel.gemm @gemm attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @bias attributes {in_cols = array<i64: 1, 1>, in_rows = array<i64: 8, 0>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
^bb0(%x: f32, %y: f32):
  %s = arith.addf %x, %y : f32
  ukernel.yield %s : f32
}
func.func @bias_in_c(%a: memref<4x6xf32> {llvm.noalias}, %b: memref<6x8xf32> {llvm.noalias}, %c: memref<4x8xf32> {llvm.noalias}) {
  ukernel.call @gemm(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  %r = memref.reinterpret_cast %c to offset: [0], sizes: [4, 8], strides: [0, 1] : memref<4x8xf32> to memref<4x8xf32, strided<[0, 1]>>
  // expected-error@+1 {{the output overlaps input 1, but is not the same tile}}
  ukernel.call @bias(%c, %r, %c) : memref<4x8xf32>, memref<4x8xf32, strided<[0, 1]>>, memref<4x8xf32>
  return
}
