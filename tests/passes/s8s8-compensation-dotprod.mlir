// RUN: kgen-opt "%s" --split-input-file --pass-pipeline="builtin.module(kgen-target{armv8.2-dotprod-fp16},func.func(kgen-s8s8-compensation))" | FileCheck "%s"

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>

// Where dot products take bytes of one signedness, an unsigned A of a signed B becomes signed: 128 times the sums of B's columns.
// CHECK-LABEL: func.func @mixed
// CHECK-DAG:     %[[X:.*]] = arith.constant dense<[-128, -15360]> : tensor<2xi32>
// CHECK:         arith.xori
// CHECK:         tpp.gemm {{.*}} epilogue_ins(%[[X]] : tensor<2xi32>)
// CHECK-NOT:       unsigned
// CHECK:         return
func.func @mixed(%x: tensor<4x3xi8>, %c: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %w = arith.constant dense<[[1, 2], [3, -128], [-5, 6]]> : tensor<3x2xi8>
  %r = tpp.gemm ins(%x, %w : tensor<4x3xi8>, tensor<3x2xi8>) outs(%c : tensor<4x2xi32>) attributes {a_map = #a, a_unsigned, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: i32):
    tpp.yield %acc : i32
  } -> tensor<4x2xi32>
  return %r : tensor<4x2xi32>
}

// Equal signs are multiplied as they are.
// CHECK-LABEL: func.func @signed
// CHECK-NOT:     arith.xori
// CHECK:         tpp.gemm ins(%arg0,
func.func @signed(%x: tensor<4x3xi8>, %c: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %w = arith.constant dense<[[1, 2], [3, -128], [-5, 6]]> : tensor<3x2xi8>
  %r = tpp.gemm ins(%x, %w : tensor<4x3xi8>, tensor<3x2xi8>) outs(%c : tensor<4x2xi32>) attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: i32):
    tpp.yield %acc : i32
  } -> tensor<4x2xi32>
  return %r : tensor<4x2xi32>
}
