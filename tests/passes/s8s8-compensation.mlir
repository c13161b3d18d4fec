// RUN: kgen-opt "%s" --split-input-file --pass-pipeline="builtin.module(kgen-target{x86-64-v4-vnni},func.func(kgen-s8s8-compensation))" | FileCheck "%s"

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#id = affine_map<(i, j) -> (i, j)>
module attributes {kgen.decisions = []} {

// Signed bytes become unsigned bytes that are 128 more. Compensation: -128 times the sums of B's columns, 1+3-5 and 2-128+6.
// CHECK-LABEL: func.func @signed
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4x3xi8>
// CHECK-SAME:    {what = "A changes its signedness, constants compensate the sums"}, kind = "applied"
// CHECK-DAG:     %[[W:.*]] = arith.constant dense<{{\[}}[1, 2], [3, -128], [-5, 6]]> : tensor<3x2xi8>
// CHECK-DAG:     %[[X:.*]] = arith.constant dense<[128, 15360]> : tensor<2xi32>
// CHECK:         %[[F:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<4x3xi8>)
// CHECK:           %[[BIT:.*]] = arith.constant -128 : i8
// CHECK:           arith.xori %{{.*}}, %[[BIT]] : i8
// CHECK:         tpp.gemm ins(%[[F]], %[[W]] : tensor<4x3xi8>, tensor<3x2xi8>) epilogue_ins(%[[X]] : tensor<2xi32>)
// CHECK-SAME:      a_unsigned
// CHECK-NOT:       b_unsigned
// CHECK-SAME:      epilogue_maps = [#{{.*}}]
// CHECK:         ^bb0(%[[S:.*]]: i32, %[[E:.*]]: i32):
// CHECK:           %[[T:.*]] = arith.addi %[[S]], %[[E]] : i32
// CHECK:           tpp.yield %[[T]] : i32
func.func @signed(%x: tensor<4x3xi8>, %c: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %w = arith.constant dense<[[1, 2], [3, -128], [-5, 6]]> : tensor<3x2xi8>
  %r = tpp.gemm ins(%x, %w : tensor<4x3xi8>, tensor<3x2xi8>) outs(%c : tensor<4x2xi32>) attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: i32):
    tpp.yield %acc : i32
  } -> tensor<4x2xi32>
  return %r : tensor<4x2xi32>
}

// Unsigned bytes become signed bytes that are 128 less. Compensation: 3 * 200 * 128. B may be transposed, and a splat.
// CHECK-LABEL: func.func @unsigned
// CHECK-DAG:     %[[X:.*]] = arith.constant dense<76800> : tensor<2xi32>
// CHECK:         tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<4x3xi8>, tensor<2x3xi8>) epilogue_ins(%[[X]] : tensor<2xi32>)
// CHECK-NOT:       a_unsigned
// CHECK-SAME:      b_unsigned
func.func @unsigned(%x: tensor<4x3xi8>, %c: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %w = arith.constant dense<-56> : tensor<2x3xi8>
  %r = tpp.gemm ins(%x, %w : tensor<4x3xi8>, tensor<2x3xi8>) outs(%c : tensor<4x2xi32>) attributes {a_map = #a, b_map = #bt, epilogue_maps = [], a_unsigned, b_unsigned} {
  ^bb0(%acc: i32):
    tpp.yield %acc : i32
  } -> tensor<4x2xi32>
  return %r : tensor<4x2xi32>
}

// The epilogue follows the compensation. Each matrix of a batched B has a row of sums.
// CHECK-LABEL: func.func @batch
// CHECK-DAG:     %[[X:.*]] = arith.constant dense<{{\[}}[-384], [-896]]> : tensor<2x1xi32>
// CHECK:         tpp.brgemm {{.*}} epilogue_ins(%{{.*}}, %[[X]] : tensor<1xi32>, tensor<2x1xi32>)
// CHECK:         ^bb0(%[[S:.*]]: i32, %[[Y:.*]]: i32, %[[E:.*]]: i32):
// CHECK:           %[[T:.*]] = arith.addi %[[S]], %[[E]] : i32
// CHECK:           arith.muli %[[T]], %[[Y]] : i32
func.func @batch(%x: tensor<2x2x4x1xi8>, %y: tensor<1xi32>, %c: tensor<2x4x1xi32>) -> tensor<2x4x1xi32> {
  %w = arith.constant dense<[[[[1]], [[2]]], [[[3]], [[4]]]]> : tensor<2x2x1x1xi8>
  %r = tpp.brgemm ins(%x, %w : tensor<2x2x4x1xi8>, tensor<2x2x1x1xi8>) epilogue_ins(%y : tensor<1xi32>) outs(%c : tensor<2x4x1xi32>)
      attributes {a_map = affine_map<(i, m, n, r, k) -> (i, r, m, k)>, b_map = affine_map<(i, m, n, r, k) -> (i, r, k, n)>,
      epilogue_maps = [affine_map<(i, m, n) -> (n)>]} {
  ^bb0(%acc: i32, %z: i32):
    %p = arith.muli %acc, %z : i32
    tpp.yield %p : i32
  } -> tensor<2x4x1xi32>
  return %r : tensor<2x4x1xi32>
}

// Not rewritten: operands of different signedness, and B that is not constant.
// CHECK-LABEL: func.func @unchanged
// CHECK-SAME:    {why = "B is not constant: the micro-kernel flips its signs"}, kind = "refused"
// CHECK-NOT:     linalg.generic
// CHECK-NOT:     arith.addi
// CHECK:         return
func.func @unchanged(%x: tensor<4x3xi8>, %y: tensor<3x2xi8>, %c: tensor<4x2xi32>) -> (tensor<4x2xi32>, tensor<4x2xi32>) {
  %w = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %r = tpp.gemm ins(%x, %w : tensor<4x3xi8>, tensor<3x2xi8>) outs(%c : tensor<4x2xi32>) attributes {a_map = #a, b_map = #b, epilogue_maps = [], a_unsigned} {
  ^bb0(%acc: i32):
    tpp.yield %acc : i32
  } -> tensor<4x2xi32>
  %s = tpp.gemm ins(%x, %y : tensor<4x3xi8>, tensor<3x2xi8>) outs(%c : tensor<4x2xi32>) attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: i32):
    tpp.yield %acc : i32
  } -> tensor<4x2xi32>
  return %r, %s : tensor<4x2xi32>, tensor<4x2xi32>
}
}

// -----

// Without a dot product of bytes, signedness does not matter.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
module attributes {kgen.target = "x86-64-v3"} {
// CHECK-LABEL: func.func @without_dot_product
// CHECK-NOT:     linalg.generic
// CHECK:         tpp.gemm
// CHECK-NOT:       extras
func.func @without_dot_product(%x: tensor<4x3xi8>, %c: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %w = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %r = tpp.gemm ins(%x, %w : tensor<4x3xi8>, tensor<3x2xi8>) outs(%c : tensor<4x2xi32>) attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: i32):
    tpp.yield %acc : i32
  } -> tensor<4x2xi32>
  return %r : tensor<4x2xi32>
}
}

// -----

// AMX tiles take any signedness, but few rows do not fill them.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
module attributes {kgen.target = "x86-64-v4-amx"} {
// CHECK-LABEL: func.func @amx
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @amx(%x: tensor<16x3xi8>, %c: tensor<16x2xi32>) -> tensor<16x2xi32> {
  %w = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %r = tpp.gemm ins(%x, %w : tensor<16x3xi8>, tensor<3x2xi8>) outs(%c : tensor<16x2xi32>) attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: i32):
    tpp.yield %acc : i32
  } -> tensor<16x2xi32>
  return %r : tensor<16x2xi32>
}

// CHECK-LABEL: func.func @few_rows
// CHECK:         linalg.generic
func.func @few_rows(%x: tensor<4x3xi8>, %c: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %w = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %r = tpp.gemm ins(%x, %w : tensor<4x3xi8>, tensor<3x2xi8>) outs(%c : tensor<4x2xi32>) attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: i32):
    tpp.yield %acc : i32
  } -> tensor<4x2xi32>
  return %r : tensor<4x2xi32>
}
}
