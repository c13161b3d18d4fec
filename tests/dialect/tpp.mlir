// RUN: kgen-opt "%s" --mlir-print-local-scope | kgen-opt --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --mlir-print-op-generic | kgen-opt --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --emit-bytecode | kgen-opt --mlir-print-local-scope | FileCheck "%s"

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>

// CHECK-LABEL: func.func @tensors
// CHECK:         tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<4x6xf32>, tensor<6x8xf32>) epilogue_ins(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<f32>)
// CHECK-SAME:      outs(%{{.*}} : tensor<4x8xf32>) attributes {a_map = affine_map<(d0, d1, d2) -> (d0, d2)>, accumulate, b_map = affine_map<(d0, d1, d2) -> (d2, d1)>, epilogue_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>]} {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[ACC]], %[[X]] : f32
// CHECK-NEXT:      %[[T:.*]] = arith.mulf %[[S]], %[[Y]] : f32
// CHECK-NEXT:      tpp.yield %[[T]] : f32
// CHECK-NEXT:    } -> tensor<4x8xf32>
func.func @tensors(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>, %x: tensor<8xf32>, %y: tensor<f32>) -> tensor<4x8xf32> {
  %0 = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) epilogue_ins(%x, %y : tensor<8xf32>, tensor<f32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = #a, accumulate, b_map = #b, epilogue_maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> ()>]} {
  ^bb0(%acc: f32, %p: f32, %q: f32):
    %s = arith.addf %acc, %p : f32
    %t = arith.mulf %s, %q : f32
    tpp.yield %t : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A batch that only A has, transposed, and B in panels, on memrefs.
// CHECK-LABEL: func.func @memrefs
// CHECK:         tpp.gemm ins(%{{.*}}, %{{.*}} : memref<3x6x4xf64>, memref<2x6x16xf64>) outs(%{{.*}} : memref<3x4x20xf64>)
// CHECK-SAME:      panel = 16 : i64
// CHECK-NOT:       ->
func.func @memrefs(%a: memref<3x6x4xf64>, %b: memref<2x6x16xf64>, %c: memref<3x4x20xf64>) {
  tpp.gemm ins(%a, %b : memref<3x6x4xf64>, memref<2x6x16xf64>) outs(%c : memref<3x4x20xf64>)
      attributes {a_map = affine_map<(b, m, n, k) -> (b, k, m)>, b_map = affine_map<(b, m, n, k) -> (k, n)>, epilogue_maps = [], panel = 16 : i64} {
  ^bb0(%acc: f64):
    tpp.yield %acc : f64
  }
  return
}

// A batch-reduce gemm of bf16: B in panels of pairs with r before the panels, sums in f32, a result that is rounded.
// CHECK-LABEL: func.func @brgemm
// CHECK:         %{{.*}} = tpp.brgemm ins(%{{.*}}, %{{.*}} : tensor<3x4x7xbf16>, tensor<3x2x4x16x2xbf16>) outs(%{{.*}} : tensor<4x20xbf16>)
// CHECK-SAME:      attributes {a_map = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>, b_map = affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>, epilogue_maps = [], panel = 16 : i64, strict_order, vnni = 2 : i64}
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      %[[T:.*]] = arith.truncf %[[ACC]] : f32 to bf16
// CHECK-NEXT:      tpp.yield %[[T]] : bf16
// CHECK-NEXT:    } -> tensor<4x20xbf16>
func.func @brgemm(%a: tensor<3x4x7xbf16>, %b: tensor<3x2x4x16x2xbf16>, %c: tensor<4x20xbf16>) -> tensor<4x20xbf16> {
  %r = tpp.brgemm ins(%a, %b : tensor<3x4x7xbf16>, tensor<3x2x4x16x2xbf16>) outs(%c : tensor<4x20xbf16>)
      attributes {a_map = affine_map<(m, n, r, k) -> (r, m, k)>, b_map = affine_map<(m, n, r, k) -> (r, k, n)>, epilogue_maps = [],
      panel = 16, strict_order, vnni = 2} {
  ^bb0(%acc: f32):
    %t = arith.truncf %acc : f32 to bf16
    tpp.yield %t : bf16
  } -> tensor<4x20xbf16>
  return %r : tensor<4x20xbf16>
}
