// RUN: kgen-opt "%s" --kgen-lower-nbits=prepack --split-input-file | FileCheck "%s" --check-prefix=PACK
// RUN: kgen-opt "%s" --kgen-lower-nbits --split-input-file | FileCheck "%s" --check-prefix=LOOPS

module attributes {kgen.target = #kgen.target<name = "x86-64-v4", triple = "x86_64-unknown-linux-gnu", features = "+avx512f", tune = "skylake-avx512",
    vector_bits = 512, vector_registers = 32, l1d = 32768, l2 = 1048576, gemm_tiles = {}>} {
  // The blocks of rows are as long as the shorter of both. Of a word of 4-bit weights, bytes hold k and k + 4: 0x21 and 0x43 are 1, 2, 3, 4.
  func.func @pack(%a: tensor<3x32xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
    %w = arith.constant dense<[[[33, 67, 33, 67, 33, 67, 33, 67, 33, 67, 33, 67, 33, 67, 33, 67]], [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]]> : tensor<2x1x16xi8>
    %s = arith.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
    %b = arith.constant dense<7> : tensor<2x2x16xi8>
    %t = arith.constant dense<[[0.5, 0.5], [0.25, 0.25]]> : tensor<2x2xf32>
    %c = kgen.matmul_nbits %a, %w, %s {bits = 4 : i64, block = 32 : i64, row_scale_block = 16 : i64} : (tensor<3x32xf32>, tensor<2x1x16xi8>, tensor<2x1xf32>) -> tensor<3x2xf32>
    %d = kgen.matmul_nbits %a, %b, %t {bits = 8 : i64, block = 16 : i64, row_scale_block = 16 : i64} : (tensor<3x32xf32>, tensor<2x2x16xi8>, tensor<2x2xf32>) -> tensor<3x2xf32>
    return %c, %d : tensor<3x2xf32>, tensor<3x2xf32>
  }
  // 20 values and one of 16 blocks: the last one has 4 values.
  func.func @loops(%a: tensor<3x20xf32>) -> tensor<3x48xi8> {
    %q = kgen.quantize_rows %a {block = 16 : i64, scale_block = 16 : i64} : tensor<3x20xf32> -> tensor<3x48xi8>
    return %q : tensor<3x48xi8>
  }
}
// PACK-LABEL: func.func @pack
// PACK-SAME:    (%[[A:.*]]: tensor<3x32xf32>)
// PACK:         %[[Q:.*]] = kgen.quantize_rows %[[A]] {block = 16 : i64, scale_block = 16 : i64} : tensor<3x32xf32> -> tensor<3x48xi8>
// PACK:         tpp.gemm ins(%[[Q]], %{{.*}} : tensor<3x48xi8>, tensor<1x1x640xi8>)
// PACK-SAME:      b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = false, row_block = 16>
// PACK-NOT:     kgen.quantize_rows
// PACK:         tpp.gemm ins(%[[Q]], %{{.*}} : tensor<3x48xi8>, tensor<1x2x640xi8>)
// PACK-SAME:      b_quant = #kgen.blockwise_quant<bits = 8, size = 16, zeros = false, row_block = 16>
// PACK:         dialect_resources
// PACK:         "0x40000000{{11223344(00){124}11223344()}}
// LOOPS-LABEL: func.func @pack
// LOOPS-NOT:    kgen.matmul_nbits
// LOOPS:        tensor.extract
// LOOPS:        math.roundeven
// LOOPS-LABEL: func.func @loops
// LOOPS:        scf.forall
// LOOPS:        scf.for
// LOOPS:        scf.for
// LOOPS:        vector.transfer_read %{{.*}} : tensor<3x20xf32>, vector<16xf32>
// LOOPS:        vector.reduction <maxsi>
// LOOPS:        math.roundeven
// LOOPS:        arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// LOOPS:        vector.reduction <add>
// LOOPS:        vector.transfer_read %{{.*}} : tensor<3x20xf32>, vector<4xf32>
// LOOPS-NOT:    kgen.quantize_rows
