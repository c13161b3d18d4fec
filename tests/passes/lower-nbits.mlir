// RUN: kgen-opt "%s" --kgen-lower-nbits --mlir-print-local-scope --split-input-file | FileCheck "%s"

// CHECK-LABEL: func.func @bits4
// CHECK-SAME:    (%[[A:.*]]: tensor<3x70xbf16>, %[[W:.*]]: tensor<5x3x16xi8>, %[[S:.*]]: tensor<5x3xf32>, %[[Z:.*]]: tensor<5x2xi8>)
// CHECK-NOT:     matmul_nbits
// CHECK:         %[[B:.*]] = linalg.generic
// CHECK-SAME:      affine_map<(d0, d1) -> (d0, d1 floordiv 32, (d1 mod 32) floordiv 2)>, affine_map<(d0, d1) -> (d0, d1 floordiv 32)>, affine_map<(d0, d1) -> (d0, d1 floordiv 64)>, affine_map<(d0, d1) -> (d0, d1)>
// CHECK-SAME:      ins(%[[W]], %[[S]], %[[Z]] :
// CHECK:           arith.shrui
// CHECK:           arith.subi
// CHECK:           arith.shrui
// CHECK:           arith.sitofp
// CHECK:           arith.mulf
// CHECK:         linalg.fill
// CHECK:         linalg.generic
// CHECK-SAME:      affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-SAME:      ins(%[[A]], %[[B]] : tensor<3x70xbf16>, tensor<5x70xf32>)
// CHECK:           arith.extf
func.func @bits4(%a: tensor<3x70xbf16>, %w: tensor<5x3x16xi8>, %s: tensor<5x3xf32>, %z: tensor<5x2xi8>) -> tensor<3x5xf32> {
  %0 = kgen.matmul_nbits %a, %w, %s, %z {bits = 4 : i64, block = 32 : i64} : (tensor<3x70xbf16>, tensor<5x3x16xi8>, tensor<5x3xf32>, tensor<5x2xi8>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// 8 bits: no shift and no mask.
// CHECK-LABEL: func.func @bits8
// CHECK-SAME:    {what = "weights become f32, then a contraction"}, kind = "applied"
// CHECK:         linalg.generic
// CHECK-SAME:      affine_map<(d0, d1) -> (d0, d1 floordiv 16, d1 mod 16)>
// CHECK-NOT:     arith.shrui
// CHECK:         arith.addf
module attributes {kgen.decisions = []} {
func.func @bits8(%a: tensor<1x20xf32>, %w: tensor<1x2x16xi8>, %s: tensor<1x2xf32>) -> tensor<1x1xf32> {
  %c = kgen.matmul_nbits %a, %w, %s {bits = 8 : i64, block = 16 : i64} : (tensor<1x20xf32>, tensor<1x2x16xi8>, tensor<1x2xf32>) -> tensor<1x1xf32>
  return %c : tensor<1x1xf32>
}
}
