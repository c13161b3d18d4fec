// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics

// expected-error@+1 {{'ukernel.gemm' op a tile has at least one row and one column, and no negative depth}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 0 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op b_prefetch is a number of elements}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = -1 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op only elements of b_prefetch, not in rows, have b_prefetch_end}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_prefetch_end, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op a_run_rows must divide the rows of the tile}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, a_run_rows = 2 : i64, a_run_stride = 9 : i64, b_prefetch = 0 : i64, b_row = 3 : i64,
    c_row = 3 : i64, element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 3 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op only products of rows of B with elements of A, of f32 or f64, and matrix products have a_run_rows}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, a_run_rows = 2 : i64, a_run_stride = 9 : i64, b_prefetch = 0 : i64, b_row = 1 : i64,
    c_row = 3 : i64, element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 4 : i64, n = 1 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op only products of rows of B with elements of A, of f32 or f64, have a_valid_ranges}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, a_valid_ranges = array<i64: 0, 1, 0, 2>, b_prefetch = 0 : i64, b_row = 1 : i64,
    c_row = 3 : i64, element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 1 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op a_valid_ranges has four numbers for each row}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, a_valid_ranges = array<i64: 0, 1, 0, 2>, b_prefetch = 0 : i64, b_row = 3 : i64,
    c_row = 3 : i64, element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 2 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op row 1 has a valid range that exceeds A}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, a_valid_ranges = array<i64: 0, 1, 0, 2, 0, 1, 1, 3>, b_prefetch = 0 : i64, b_row = 3 : i64,
    c_row = 3 : i64, element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 2 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op b_streams is a number of ranges of k}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, b_streams = -1 : i64, c_row = 3 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op a tile has at least one row and one column, and no negative depth}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 0 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op a tile has at least one row and one column, and no negative depth}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = -1 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op a tile has at least one row and one column, and no negative depth}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = -1 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{epilogue_rows and epilogue_cols must have one stride per epilogue operand}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    epilogue_cols = array<i64>, epilogue_rows = array<i64: 1>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{the epilogue takes the accumulator and one scalar per epilogue operand}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    epilogue_cols = array<i64: 1>, epilogue_rows = array<i64: 1>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op there is at least one product, and one value of k beside another}}
ukernel.gemm @kernel attributes {a_row = 2, b_prefetch = 0, b_row = 3, c_row = 3, m = 1, k = 2,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, n = 3, a_col = 1, batch = 0} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{'ukernel.gemm' op there is at least one product, and one value of k beside another}}
ukernel.gemm @kernel attributes {a_row = 2, b_prefetch = 0, b_row = 3, c_row = 3, m = 1, k = 2,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, n = 3, a_col = 1, vnni = 0} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{the epilogue must end in ukernel.yield}}
ukernel.gemm @kernel attributes {a_row = 2, b_prefetch = 0, b_row = 3, c_row = 3, m = 1, k = 2,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, n = 3, a_col = 1} {
^bb0(%acc: f32):
  llvm.unreachable
}

// -----

// Sums that were rounded to C's type are not sums any more.
// expected-error@+1 {{only C of the accumulator's type can be added to}}
ukernel.gemm @kernel attributes {a_row = 2, b_prefetch = 0, b_row = 3, c_row = 3, m = 1, k = 2,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = bf16, n = 3, a_col = 1, accumulate} {
^bb0(%acc: f32):
  %c = arith.truncf %acc : f32 to bf16
  ukernel.yield %c : bf16
}

// -----

// Columns that are apart: only if k is contiguous in both operands, one value after the other.
// expected-error@+1 {{columns of B that are not adjacent need contiguous rows of A and columns of B}}
ukernel.gemm @kernel attributes {a_row = 2, b_prefetch = 0, b_row = 1, c_row = 3, m = 1, k = 2,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, n = 3, a_col = 2, b_col = 5} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{columns of B that are not adjacent need contiguous rows of A and columns of B}}
ukernel.gemm @kernel attributes {a_row = 2, b_prefetch = 0, c_row = 3, m = 1, k = 2,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, n = 3, a_col = 1, b_row = 2, b_col = 5} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{columns of B that are not adjacent need contiguous rows of A and columns of B}}
ukernel.gemm @kernel attributes {a_row = 2, b_prefetch = 0, b_row = 1, c_row = 3, m = 1, k = 2,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, element = f32, n = 3, a_col = 1, vnni = 2, b_col = 5} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{an epilogue operand's columns are contiguous (1) or the same value (0)}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    epilogue_cols = array<i64: 2>, epilogue_rows = array<i64: 0>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32, %x: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{b_upconverted_row and sums_row are distances of rows}}
ukernel.gemm @kernel attributes {a_col = 1, a_row = 2, b_prefetch = 0, b_row = 3, c_row = 3, element = f32, epilogue_cols = array<i64>,
    epilogue_rows = array<i64>, k = 2, m = 1, n = 3, b_type = bf16, b_upconverted_row = -4} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{only one product of f32 with bf16 or f16 stores up-converted B}}
ukernel.gemm @kernel attributes {a_col = 1, a_row = 2, b_prefetch = 0, b_row = 3, c_row = 3, element = f32, epilogue_cols = array<i64>,
    epilogue_rows = array<i64>, k = 2, m = 1, n = 3, b_upconverted_row = 4} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{only one product of f32 with bf16 or f16 stores up-converted B}}
ukernel.gemm @kernel attributes {a_col = 1, a_row = 2, b_prefetch = 0, b_row = 3, c_row = 3, element = f32, epilogue_cols = array<i64>,
    epilogue_rows = array<i64>, k = 2, m = 1, n = 3, b_type = bf16, batch = 2, b_upconverted_row = 4} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{only products of rows of B, in tiles that do not start from C, have sums_row}}
ukernel.gemm @kernel attributes {a_col = 1, a_row = 2, b_prefetch = 0, b_row = 3, c_row = 3, element = f32, epilogue_cols = array<i64>,
    epilogue_rows = array<i64>, k = 2, m = 1, n = 3, accumulate, sums_row = 3} {
^bb0(%acc: f32):
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
    epilogue_cols = array<i64: 1>, epilogue_rows = array<i64: 0>, k = 2 : i64, m = 1 : i64, n = 3 : i64} {
^bb0(%acc: f32, %x: f32):
  ukernel.yield %acc : f32
}
func.func @too_few(%a: memref<1x2xf32>, %b: memref<2x3xf32>, %c: memref<1x3xf32>) {
  // expected-error@+1 {{'ukernel.call' op passes 3 tiles, @kernel takes 4}}
  ukernel.call @kernel(%a, %b, %c) : memref<1x2xf32>, memref<2x3xf32>, memref<1x3xf32>
  return
}

// -----

// expected-error@+1 {{a panel of blockwise-quantized weights has 32 columns, found 33}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 640 : i64, c_row = 33 : i64, element = f32,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 33 : i64, b_type = i8,
    b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = false>} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{blockwise-quantized weights are bytes of one product, without vnni, b_padded and strict_order}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 640 : i64, c_row = 33 : i64, element = f32,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 3 : i64, b_type = i8, b_padded,
    b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = false>} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{blockwise-quantized weights multiply floats, or with row_block quantized rows}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 40 : i64, b_prefetch = 0 : i64, b_row = 640 : i64, c_row = 33 : i64, element = i8,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 40 : i64, m = 1 : i64, n = 3 : i64, b_type = i8,
    b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = false>} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{quantized rows are contiguous bytes in blocks of 40}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 64 : i64, b_prefetch = 0 : i64, b_row = 640 : i64, c_row = 33 : i64, element = i8,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 64 : i64, m = 1 : i64, n = 3 : i64, b_type = i8,
    b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = false, row_block = 32>} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{only products of f16 that become f32, in any order and by rows of B, are added up in f16}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f32,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 3 : i64, f16_accumulate} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

// expected-error@+1 {{only products of f16 that become f32, in any order and by rows of B, are added up in f16}}
ukernel.gemm @kernel attributes {a_col = 1 : i64, a_row = 2 : i64, b_prefetch = 0 : i64, b_row = 3 : i64, c_row = 3 : i64, element = f16,
    epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 2 : i64, m = 1 : i64, n = 3 : i64, strict_order, f16_accumulate} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}

// -----

func.func @yield_elsewhere(%x: f32) {
  // expected-error@+1 {{'ukernel.yield' op expects parent op to be one of 'ukernel.gemm, ukernel.map'}}
  ukernel.yield %x : f32
}

// -----

func.func @tensors(%a: tensor<1x2xf32>) {
  // expected-error@+1 {{'ukernel.call' op operand #0 must be variadic of memref of any type values, but got 'tensor<1x2xf32>'}}
  "ukernel.call"(%a) {callee = @kernel} : (tensor<1x2xf32>) -> ()
  return
}

// -----

func.func @seven_registers() {
  // expected-error@+1 {{'ukernel.configure_tiles' op there are 8 tile registers}}
  ukernel.configure_tiles rows [16, 16, 16, 16, 16, 16, 16] bytes [64, 64, 64, 64, 64, 64, 64]
  return
}

// -----

func.func @tall() {
  // expected-error@+1 {{'ukernel.configure_tiles' op a tile register has 1 to 16 rows of 4 to 64 bytes, a multiple of 4, or none of either}}
  ukernel.configure_tiles rows [17, 0, 0, 0, 0, 0, 0, 0] bytes [64, 0, 0, 0, 0, 0, 0, 0]
  return
}

// -----

func.func @odd() {
  // expected-error@+1 {{'ukernel.configure_tiles' op a tile register has 1 to 16 rows of 4 to 64 bytes, a multiple of 4, or none of either}}
  ukernel.configure_tiles rows [16, 0, 0, 0, 0, 0, 0, 0] bytes [62, 0, 0, 0, 0, 0, 0, 0]
  return
}

// -----

func.func @rows_without_bytes() {
  // expected-error@+1 {{'ukernel.configure_tiles' op a tile register has 1 to 16 rows of 4 to 64 bytes, a multiple of 4, or none of either}}
  ukernel.configure_tiles rows [16, 0, 0, 0, 0, 0, 0, 0] bytes [0, 0, 0, 0, 0, 0, 0, 0]
  return
}
