// RUN: kgen-opt "%s" --split-input-file --verify-diagnostics

func.func @integer(%x: i32) {
  // expected-error@+1 {{'kgen.gelu' op operand #0 must be floating-point-like, but got 'i32'}}
  %0 = kgen.gelu %x : i32
  return
}

// -----

func.func @other_result(%x: f32) {
  // expected-error@+1 {{'kgen.gelu' op requires the same type for all operands and results}}
  %0 = "kgen.gelu"(%x) : (f32) -> f64
  return
}

// -----

// expected-error@+1 {{struct is missing required parameter: gemm_tiles}}
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64", features = "", tune = "", vector_bits = 256, vector_registers = 16, l1d = 1, l2 = 1>} {}

// -----

// expected-error@+2 {{expected integer value}}
// expected-error@+1 {{failed to parse Kgen_TargetAttr parameter 'vector_bits'}}
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64", features = "", tune = "", vector_bits = "many", vector_registers = 16, l1d = 1, l2 = 1, gemm_tiles = {}>} {}

// -----

func.func @no_task(%executor: !llvm.ptr) {
  // expected-error@+1 {{'kgen.launch' op needs a function called @task}}
  kgen.launch @task[6] on %executor()
  return
}

// -----

func.func private @task(f32, index)
func.func @other_types(%executor: !llvm.ptr) {
  // expected-error@+1 {{'kgen.launch' op passes its captures and an index, but @task has the type '(f32, index) -> ()'}}
  kgen.launch @task[6] on %executor()
  return
}

// -----

func.func private @task(f32, index)
func.func @no_slot(%executor: !llvm.ptr, %s: f32) {
  // expected-error@+1 {{'kgen.launch' op passes its captures, an index and a slot, but @task has the type '(f32, index) -> ()'}}
  kgen.launch @task[6] slots on %executor(%s) : f32
  return
}

// -----

func.func private @task(memref<?xf32>, index)
func.func @unknown_size(%x: memref<?xf32>, %executor: !llvm.ptr) {
  // expected-error@+1 {{'kgen.launch' op cannot capture 'memref<?xf32>'}}
  kgen.launch @task[6] on %executor(%x) : memref<?xf32>
  return
}

// -----

func.func private @task(index)
func.func @too_many(%executor: !llvm.ptr) {
  // expected-error@+1 {{'kgen.launch' op has more tasks than a uint32_t can count}}
  kgen.launch @task[4294967296] on %executor()
  return
}

// -----

// expected-error@+1 {{blockwise-quantized weights have 4 or 8 bits, found 3}}
module attributes {blocks = #kgen.blockwise_quant<bits = 3, size = 32, zeros = false>} {}

// -----

// expected-error@+1 {{blocks hold a power of two of weights, at least 16, found 24}}
module attributes {blocks = #kgen.blockwise_quant<bits = 4, size = 24, zeros = false>} {}

// -----

// expected-error@+1 {{scales of blocks with zero points are in f32}}
func.func private @zeros_and_f16_scales() attributes {q = #kgen.blockwise_quant<bits = 4, size = 32, zeros = true, f16_scales = true>}

// -----

// expected-error@+1 {{blocks of rows hold a power of two of values, at least 16 and at most 32 as the weights' do, found 64}}
module attributes {blocks = #kgen.blockwise_quant<bits = 4, size = 32, zeros = false, row_block = 64>} {}

// -----

func.func @scale_block(%a: tensor<1x64xf32>, %w: tensor<5x2x16xi8>, %s: tensor<5x2xf32>) {
  // expected-error@+1 {{'kgen.matmul_nbits' op rows have scales for blocks of a power of two of values, at least 16, found 48}}
  %c = kgen.matmul_nbits %a, %w, %s {bits = 4 : i64, block = 32 : i64, row_scale_block = 48 : i64} : (tensor<1x64xf32>, tensor<5x2x16xi8>, tensor<5x2xf32>) -> tensor<1x5xf32>
  return
}

// -----

func.func @rows_of_blocks(%a: tensor<2x64xf32>) {
  // expected-error@+1 {{'kgen.quantize_rows' op has blocks of a power of two of values, at least 16, and scales for one or several of them, found 32 and 16}}
  %q = kgen.quantize_rows %a {block = 32 : i64, scale_block = 16 : i64} : tensor<2x64xf32> -> tensor<2x80xi8>
  return
}

// -----

func.func @open_length(%a: tensor<2x?xf32>) {
  // expected-error@+1 {{'kgen.quantize_rows' op needs rows of a length that is known}}
  %q = kgen.quantize_rows %a {block = 32 : i64, scale_block = 32 : i64} : tensor<2x?xf32> -> tensor<2x80xi8>
  return
}

// -----

func.func @rows_of_bytes(%a: tensor<2x64xf32>) {
  // expected-error@+1 {{'kgen.quantize_rows' op has a row of 80 bytes for each row of A, found 'tensor<2x64xi8>'}}
  %q = kgen.quantize_rows %a {block = 32 : i64, scale_block = 32 : i64} : tensor<2x64xf32> -> tensor<2x64xi8>
  return
}

// -----

func.func @bits(%a: tensor<1x64xf32>, %w: tensor<5x2x12xi8>, %s: tensor<5x2xf32>) {
  // expected-error@+1 {{'kgen.matmul_nbits' op blockwise-quantized weights have 4 or 8 bits, found 3}}
  %c = kgen.matmul_nbits %a, %w, %s {bits = 3 : i64, block = 32 : i64} : (tensor<1x64xf32>, tensor<5x2x12xi8>, tensor<5x2xf32>) -> tensor<1x5xf32>
  return
}

// -----

func.func @vector(%a: tensor<64xf32>, %w: tensor<5x2x16xi8>, %s: tensor<5x2xf32>) {
  // expected-error@+1 {{operand #0 must be 2D tensor of floating-point values}}
  %c = kgen.matmul_nbits %a, %w, %s {bits = 4 : i64, block = 32 : i64} : (tensor<64xf32>, tensor<5x2x16xi8>, tensor<5x2xf32>) -> tensor<1x5xf32>
  return
}

// -----

func.func @open_depth(%a: tensor<1x?xf32>, %w: tensor<5x2x16xi8>, %s: tensor<5x2xf32>) {
  // expected-error@+1 {{multiplies a matrix of floats that are added up in f32, whose rows have a length that is known, with weights of three dimensions}}
  %c = kgen.matmul_nbits %a, %w, %s {bits = 4 : i64, block = 32 : i64} : (tensor<1x?xf32>, tensor<5x2x16xi8>, tensor<5x2xf32>) -> tensor<1x5xf32>
  return
}

// -----

func.func @weights(%a: tensor<1x64xf32>, %w: tensor<5x2x32xi8>, %s: tensor<5x2xf32>) {
  // expected-error@+1 {{needs weights of 5x2x16 bytes}}
  %c = kgen.matmul_nbits %a, %w, %s {bits = 4 : i64, block = 32 : i64} : (tensor<1x64xf32>, tensor<5x2x32xi8>, tensor<5x2xf32>) -> tensor<1x5xf32>
  return
}

// -----

func.func @scales(%a: tensor<1x64xf32>, %w: tensor<5x2x16xi8>, %s: tensor<5x2xf64>) {
  // expected-error@+1 {{needs scales of 5x2 floats}}
  %c = kgen.matmul_nbits %a, %w, %s {bits = 4 : i64, block = 32 : i64} : (tensor<1x64xf32>, tensor<5x2x16xi8>, tensor<5x2xf64>) -> tensor<1x5xf32>
  return
}

// -----

func.func @zeros(%a: tensor<1x64xf32>, %w: tensor<5x2x16xi8>, %s: tensor<5x2xf32>, %z: tensor<5x2xi8>) {
  // expected-error@+1 {{needs zero points in 5x1 bytes}}
  %c = kgen.matmul_nbits %a, %w, %s, %z {bits = 4 : i64, block = 32 : i64} : (tensor<1x64xf32>, tensor<5x2x16xi8>, tensor<5x2xf32>, tensor<5x2xi8>) -> tensor<1x5xf32>
  return
}

// -----

func.func @result(%a: tensor<1x64xbf16>, %w: tensor<5x2x16xi8>, %s: tensor<5x2xf32>) {
  // expected-error@+1 {{has a result of 1x5 f32}}
  %c = kgen.matmul_nbits %a, %w, %s {bits = 4 : i64, block = 32 : i64} : (tensor<1x64xbf16>, tensor<5x2x16xi8>, tensor<5x2xf32>) -> tensor<1x6xf32>
  return
}

// -----

func.func @four_lanes(%v: vector<4xf32>, %p: vector<4xi32>) {
  // expected-error@+1 {{'kgen.dynamic_permute' op has 8 or 16 lanes, found 4}}
  %0 = kgen.dynamic_permute %v, %p : vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @half_lanes(%v: vector<16xi16>, %p: vector<16xi16>) {
  // expected-error@+1 {{'kgen.dynamic_permute' op has 32 lanes of i16 and as many indices of i16, found 'vector<16xi16>' and 'vector<16xi16>'}}
  %0 = kgen.dynamic_permute %v, %p : vector<16xi16>, vector<16xi16>
  return
}

// -----

func.func @narrow_indices(%v: vector<8xf32>, %p: vector<8xi16>) {
  // expected-error@+1 {{'kgen.dynamic_permute' op has indices of i32 for lanes of f32, found 'vector<8xi16>'}}
  %0 = kgen.dynamic_permute %v, %p : vector<8xf32>, vector<8xi16>
  return
}

// -----

func.func @pairs_of_bytes(%a: vector<8xi8>, %sum: vector<4xi32>) {
  // expected-error@+1 {{'kgen.dot' op adds 4 products to each sum, f32 for bf16, i16 or i32 for bytes, else i32; found 'vector<8xi8>' and 'vector<4xi32>'}}
  %0 = kgen.dot %a, %a, %sum : vector<8xi8>, vector<4xi32>
  return
}

// -----

func.func @signs_of_words(%a: vector<8xi16>, %sum: vector<4xi32>) {
  // expected-error@+1 {{'kgen.dot' op takes 'both_signed' and 'both_unsigned' for bytes that are added to i32}}
  %0 = kgen.dot %a, %a, %sum {both_signed} : vector<8xi16>, vector<4xi32>
  return
}

// -----

func.func @matrix_of_short_rows(%a: vector<8xi8>, %sum: vector<4xi32>) {
  // expected-error@+1 {{'kgen.matrix_dot' op multiplies rows of 8 bytes, whose sums are i32, or of 4 bf16, whose sums are f32; found 'vector<8xi8>' and 'vector<4xi32>'}}
  %0 = kgen.matrix_dot %a, %a, %sum : vector<8xi8>, vector<4xi32>
  return
}

// -----

func.func @signs_of_floats(%a: vector<8xbf16>, %sum: vector<4xf32>) {
  // expected-error@+1 {{'kgen.matrix_dot' op takes 'both_signed' and 'both_unsigned' for bytes}}
  %0 = kgen.matrix_dot %a, %a, %sum {both_signed} : vector<8xbf16>, vector<4xf32>
  return
}

// -----

func.func @both_signs_of_matrix(%a: vector<16xi8>, %sum: vector<4xi32>) {
  // expected-error@+1 {{'kgen.matrix_dot' op has factors that are both signed and unsigned}}
  %0 = kgen.matrix_dot %a, %a, %sum {both_signed, both_unsigned} : vector<16xi8>, vector<4xi32>
  return
}

// -----

func.func @both_signs(%a: vector<16xi8>, %sum: vector<4xi32>) {
  // expected-error@+1 {{'kgen.dot' op has factors that are both signed and unsigned}}
  %0 = kgen.dot %a, %a, %sum {both_signed, both_unsigned} : vector<16xi8>, vector<4xi32>
  return
}

// -----

func.func @three_registers(%v: vector<24xf32>, %p: vector<8xi32>) {
  // expected-error@+1 {{'kgen.dynamic_permute' op takes lanes of one register or two, found 24}}
  %0 = kgen.dynamic_permute %v, %p : vector<24xf32>, vector<8xi32>
  return
}

// -----

// expected-error@+1 {{expected a fact of the cost model and an integer, found "l4" = 1 : i64}}
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64", features = "", tune = "", vector_bits = 256, vector_registers = 16, l1d = 1, l2 = 1, gemm_tiles = {}, facts = {l4 = 1 : i64}>} {}

// -----

// expected-error@+1 {{expected a heuristic of the cost model and a number, found "max_tasks" = "many"}}
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64", features = "", tune = "", vector_bits = 256, vector_registers = 16, l1d = 1, l2 = 1, gemm_tiles = {}, heuristics = {max_tasks = "many"}>} {}

// -----

// expected-error@+1 {{tile sizes are positive, or 0 for loops that stay whole, found -4}}
func.func @negative_tile() attributes {lowering_config = #kgen.lowering_config<distribution = [8, -4]>} {
  return
}

// -----

// expected-error@+1 {{each list has a size for each loop of the operation, found 2 and 3}}
func.func @ranks() attributes {lowering_config = #kgen.lowering_config<distribution = [8, 0], cache = [1, 0, 0]>} {
  return
}

// -----

// expected-error@+1 {{an iteration does one vector or more, or 0 for all of them, found -2}}
func.func @unroll() attributes {lowering_config = #kgen.lowering_config<unroll = -2>} {
  return
}

// -----

// expected-error@+1 {{products are multiply_add, upconvert, multiply_add_i16, dot_product, matrix or tile, found 'fma'}}
func.func @form() attributes {kgen.gemm_plan = #kgen.gemm_plan<form = "fma", table = "gemm_f32", rows = 6, columns = 16, row_grain = 1, depth = 1>} {
  return
}

// -----

// expected-error@+1 {{sizes of a plan are positive, found 0}}
func.func @plan_sizes() attributes {kgen.gemm_plan = #kgen.gemm_plan<form = "multiply_add", table = "gemm_f32", rows = 0, columns = 16, row_grain = 1, depth = 1>} {
  return
}

// -----

// expected-error@+1 {{a plan with tile registers, and no other, has one without them}}
func.func @no_vectors() attributes {kgen.gemm_plan = #kgen.gemm_plan<form = "tile", table = "gemm_f32", rows = 6, columns = 16, row_grain = 1, depth = 1>} {
  return
}

// -----

// expected-error@+1 {{operand 'rhs' may be packed or plain, found 'lhs' of "packed"}}
func.func @layout() attributes {lowering_config = #kgen.lowering_config<layout = {lhs = "packed"}>} {
  return
}

// -----

// expected-error@+1 {{sizes go from 'min', at least 0, to 'max', both of them multiples of 'multiple', found 1, 128 and 16}}
func.func @multiple(%n: index {kgen.size = #kgen.size<"batch", min = 1, max = 128, multiple = 16>}) {
  return
}

// -----

// expected-error@+1 {{sizes go from 'min', at least 0, to 'max', both of them multiples of 'multiple', found 8, 4 and 1}}
func.func @no_size(%n: index {kgen.size = #kgen.size<"batch", min = 8, max = 4, multiple = 1>}) {
  return
}

// -----

// expected-error@+1 {{'kgen.size' is a #kgen.size at an index}}
func.func @size_of_float(%n: f32 {kgen.size = #kgen.size<"batch", min = 1, max = 4, multiple = 1>}) {
  return
}

// -----

// expected-error@+1 {{'kgen.shape' is an affine map of the function's index arguments, as symbols, at a memref}}
func.func @symbols(%n: index, %x: memref<?xf32> {kgen.shape = affine_map<()[s0, s1] -> (s0 * s1)>}) {
  return
}

// -----

// expected-error@+1 {{'kgen.shape' does not fit 'memref<?x4xf32>'}}
func.func @shape(%n: index, %x: memref<?x4xf32> {kgen.shape = affine_map<()[s0] -> (s0, 8)>}) {
  return
}

// -----

func.func @pack_unsigned_words(%a: vector<8xi32>) {
  // expected-error@+1 {{'kgen.pack' op makes unsigned integers of i16 only; found 'vector<8xi32>'}}
  %0 = kgen.pack %a, %a {is_unsigned} : vector<8xi32>
  return
}

// -----

func.func @pack_half_part(%a: vector<4xi16>) {
  // expected-error@+1 {{'kgen.pack' op packs parts of 128 bits; found 'vector<4xi16>'}}
  %0 = kgen.pack %a, %a : vector<4xi16>
  return
}
