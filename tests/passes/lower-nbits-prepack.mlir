// RUN: kgen-opt "%s" --kgen-lower-nbits=prepack --split-input-file | FileCheck "%s"

// Two columns of 32 weights of 4 bits: 0x12 is 2 and 1; minus 8 that is 10 and 9 in signed 4 bits. A panel of 32 columns is stored word
// by word, eight k of a column in each. The scales 0.5 and 0.25 follow, and zeros for columns that do not exist.
// CHECK-LABEL: func.func @bits4
// CHECK-SAME:    (%[[A:.*]]: tensor<3x32xf32>)
// CHECK-NOT:     matmul_nbits
// CHECK:         %[[P:.*]] = arith.constant dense_resource<[[KEY:.*]]> : tensor<1x1x640xi8>
// CHECK-NOT:     arith.constant dense
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<3x2xf32>
// CHECK:         tpp.gemm ins(%[[A]], %[[P]] : tensor<3x32xf32>, tensor<1x1x640xi8>) outs(%[[E]] : tensor<3x2xf32>)
// CHECK-SAME:      b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = false>
// CHECK-SAME:      panel = 32
// CHECK:         [[KEY]]: "0x40000000{{9A9A9A9ABCBCBCBC(00){120}9A9A9A9ABCBCBCBC(00){120}9A9A9A9ABCBCBCBC(00){120}9A9A9A9ABCBCBCBC(00){120}0000003F0000803E(00){120}()}}"
func.func @bits4(%a: tensor<3x32xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[[18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18]], [[52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52]]]> : tensor<2x1x16xi8>
  %s = arith.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %c = kgen.matmul_nbits %a, %w, %s {bits = 4 : i64, block = 32 : i64} : (tensor<3x32xf32>, tensor<2x1x16xi8>, tensor<2x1xf32>) -> tensor<3x2xf32>
  return %c : tensor<3x2xf32>
}

// -----

// Scales in f16 stay as they are: two bytes for each column.
// CHECK-LABEL: func.func @f16_scales
// CHECK:         arith.constant dense_resource<[[KEY:.*]]> : tensor<1x1x576xi8>
// CHECK:         tpp.gemm
// CHECK-SAME:      b_quant = #kgen.blockwise_quant<bits = 4, size = 32, zeros = false, f16_scales = true>
// CHECK:         [[KEY]]: "0x40000000{{9A9A9A9ABCBCBCBC(00){120}9A9A9A9ABCBCBCBC(00){120}9A9A9A9ABCBCBCBC(00){120}9A9A9A9ABCBCBCBC(00){120}00380034(00){60}()}}"
func.func @f16_scales(%a: tensor<3x32xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[[18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18]], [[52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52]]]> : tensor<2x1x16xi8>
  %s = arith.constant dense<[[0.5], [0.25]]> : tensor<2x1xf16>
  %c = kgen.matmul_nbits %a, %w, %s {bits = 4 : i64, block = 32 : i64} : (tensor<3x32xf32>, tensor<2x1x16xi8>, tensor<2x1xf16>) -> tensor<3x2xf32>
  return %c : tensor<3x2xf32>
}

// -----

// 8 bits: a row of 32 bytes for each k. Splats, scales in bf16, and zero points, from which 128 is subtracted, too.
// CHECK-LABEL: func.func @bits8
// CHECK:         arith.constant dense_resource<[[KEY:.*]]> : tensor<1x2x768xi8>
// CHECK:         tpp.gemm
// CHECK-SAME:      b_quant = #kgen.blockwise_quant<bits = 8, size = 16, zeros = true>
// CHECK:         [[KEY]]: "0x40000000{{(83(00){31}){16}0000003F(00){124}000000C0(00){124}(83(00){31}){16}0000003F(00){124}000000C0(00){124}()}}"
func.func @bits8(%a: tensor<1x20xbf16>) -> tensor<1x1xf32> {
  %w = arith.constant dense<3> : tensor<1x2x16xi8>
  %s = arith.constant dense<0.5> : tensor<1x2xbf16>
  %z = arith.constant dense<126> : tensor<1x2xi8>
  %c = kgen.matmul_nbits %a, %w, %s, %z {bits = 8 : i64, block = 16 : i64} : (tensor<1x20xbf16>, tensor<1x2x16xi8>, tensor<1x2xbf16>, tensor<1x2xi8>) -> tensor<1x1xf32>
  return %c : tensor<1x1xf32>
}

// -----

// Weights with scales that are given at run time become f32.
// CHECK-LABEL: func.func @not_constant
// CHECK-SAME:    {why = "weights, scales or zero points are not constant"}, kind = "refused"
// CHECK-NOT:     kgen.matmul_nbits
// CHECK:         %[[W:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %arg1 : tensor<1x2x16xi8>, tensor<1x2xf32>)
// CHECK-NOT:     tpp.gemm
// CHECK:         linalg.generic {{.*}} ins(%arg0, %[[W]] : tensor<1x20xf32>, tensor<1x20xf32>)
// CHECK:         return
module attributes {kgen.decisions = []} {
func.func @not_constant(%a: tensor<1x20xf32>, %s: tensor<1x2xf32>) -> tensor<1x1xf32> {
  %w = arith.constant dense<3> : tensor<1x2x16xi8>
  %c = kgen.matmul_nbits %a, %w, %s {bits = 8 : i64, block = 16 : i64} : (tensor<1x20xf32>, tensor<1x2x16xi8>, tensor<1x2xf32>) -> tensor<1x1xf32>
  return %c : tensor<1x1xf32>
}
}
