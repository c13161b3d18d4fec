// RUN: kgen-opt "%s" --canonicalize --split-input-file --mlir-print-local-scope | FileCheck "%s"

#a = affine_map<(m, n, r, k) -> (r, m, k)>
#b = affine_map<(m, n, r, k) -> (r, k, n)>

// One product is a gemm.
// CHECK-LABEL: func.func @one_product
// CHECK-DAG:     %[[A:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0] [1, 4, 6] [1, 1, 1] : tensor<1x4x6xf32> to tensor<4x6xf32>
// CHECK-DAG:     %[[B:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0] [1, 6, 8] [1, 1, 1] : tensor<1x6x8xf32> to tensor<6x8xf32>
// CHECK:         tpp.gemm ins(%[[A]], %[[B]] : tensor<4x6xf32>, tensor<6x8xf32>) epilogue_ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<4x8xf32>)
// CHECK-SAME:      a_map = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-SAME:      b_map = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-SAME:      epilogue_maps = [affine_map<(d0, d1) -> (d1)>]
// CHECK-SAME:      strict_order
// CHECK:           arith.addf
// CHECK-NOT:     tpp.brgemm
// CHECK:         return
func.func @one_product(%a: tensor<1x4x6xf32>, %b: tensor<1x6x8xf32>, %x: tensor<8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tpp.brgemm ins(%a, %b : tensor<1x4x6xf32>, tensor<1x6x8xf32>) epilogue_ins(%x : tensor<8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = [affine_map<(m, n) -> (n)>], strict_order} {
  ^bb0(%acc: f32, %y: f32):
    %s = arith.addf %acc, %y : f32
    tpp.yield %s : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// The same with panels of pairs, and on buffers that B shares.
// CHECK-LABEL: func.func @one_product_of_panels
// CHECK:         memref.subview {{.*}} : memref<4x1x6xbf16> to memref<4x6xbf16, strided<[6, 1]>>
// CHECK:         tpp.gemm ins(%{{.*}}, %{{.*}} : memref<4x6xbf16, strided<[6, 1]>>, memref<1x3x8x2xbf16>) outs(%{{.*}} : memref<4x8xf32>)
// CHECK-SAME:      accumulate
// CHECK-SAME:      panel = 8 : i64, vnni = 2 : i64
// CHECK-NOT:     tpp.brgemm
func.func @one_product_of_panels(%a: memref<4x1x6xbf16>, %b: memref<1x3x8x2xbf16>, %c: memref<4x8xf32>) {
  tpp.brgemm ins(%a, %b : memref<4x1x6xbf16>, memref<1x3x8x2xbf16>) outs(%c : memref<4x8xf32>)
      attributes {a_map = affine_map<(m, n, r, k) -> (m, r, k)>, b_map = affine_map<(m, n, r, k) -> (k, n)>, epilogue_maps = [], panel = 8, vnni = 2, accumulate} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  }
  return
}

// CHECK-LABEL: func.func @two_products
// CHECK:         tpp.brgemm
func.func @two_products(%a: memref<2x4x6xf32>, %b: memref<2x6x8xf32>, %c: memref<4x8xf32>) {
  tpp.brgemm ins(%a, %b : memref<2x4x6xf32>, memref<2x6x8xf32>) outs(%c : memref<4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  }
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>

// An epilogue operand that is there twice by the same map is read once; one that nothing uses is not read. By another map it is another.
// CHECK-LABEL: func.func @redundant_extras
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8xf32>, %[[Y:[a-z0-9]+]]: tensor<8x8xf32>
// CHECK:         tpp.gemm {{.*}} epilogue_ins(%[[X]], %[[X]] : tensor<8xf32>, tensor<8xf32>)
// CHECK-SAME:      epilogue_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>]
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[P:.*]]: f32, %[[R:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[ACC]], %[[P]]
// CHECK-NEXT:      %[[T:.*]] = arith.mulf %[[S]], %[[P]]
// CHECK-NEXT:      %[[U:.*]] = arith.subf %[[T]], %[[R]]
func.func @redundant_extras(%a: tensor<8x6xf32>, %b: tensor<6x8xf32>, %x: tensor<8xf32>, %y: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = tpp.gemm ins(%a, %b : tensor<8x6xf32>, tensor<6x8xf32>) epilogue_ins(%x, %y, %x, %x : tensor<8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>)
      outs(%c : tensor<8x8xf32>) attributes {a_map = #a, b_map = #b, epilogue_maps = [#col, affine_map<(m, n) -> (m, n)>, #col, #row]} {
  ^bb0(%acc: f32, %p: f32, %q: f32, %p2: f32, %rows: f32):
    %s = arith.addf %acc, %p : f32
    %t = arith.mulf %s, %p2 : f32
    %u = arith.subf %t, %rows : f32
    tpp.yield %u : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// An epilogue operand with the same value everywhere is a constant of the epilogue.
// CHECK-LABEL: func.func @splat_extra
// CHECK:         tpp.gemm ins({{[^)]*}}) outs(
// CHECK:           %[[TWO:.*]] = arith.constant 2.0
// CHECK:           arith.mulf %{{.*}}, %[[TWO]]
func.func @splat_extra(%a: tensor<8x6xf32>, %b: tensor<6x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %x = arith.constant dense<2.0> : tensor<8xf32>
  %r = tpp.gemm ins(%a, %b : tensor<8x6xf32>, tensor<6x8xf32>) epilogue_ins(%x : tensor<8xf32>) outs(%c : tensor<8x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = [#col]} {
  ^bb0(%acc: f32, %p: f32):
    %s = arith.mulf %acc, %p : f32
    tpp.yield %s : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// Adding to zeros is not adding; adding to negative zeros is.
// CHECK-LABEL: func.func @zeros
// CHECK:         tpp.gemm
// CHECK-NOT:     accumulate
// CHECK:         %[[Z:.*]] = linalg.fill
// CHECK:         tpp.gemm {{.*}} outs(%[[Z]] : {{.*}}accumulate
func.func @zeros(%a: tensor<8x6xf32>, %b: tensor<6x8xf32>, %c: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %negative = arith.constant -0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = tpp.gemm ins(%a, %b : tensor<8x6xf32>, tensor<6x8xf32>) outs(%z : tensor<8x8xf32>)
      attributes {a_map = #a, accumulate, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<8x8xf32>
  %n = linalg.fill ins(%negative : f32) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = tpp.gemm ins(%a, %b : tensor<8x6xf32>, tensor<6x8xf32>) outs(%n : tensor<8x8xf32>)
      attributes {a_map = #a, accumulate, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<8x8xf32>
  return %r, %s : tensor<8x8xf32>, tensor<8x8xf32>
}

// Integers have one zero.
// CHECK-LABEL: func.func @integer_zeros
// CHECK-NOT:     accumulate
// CHECK:         return
func.func @integer_zeros(%a: tensor<8x6xi32>, %b: tensor<6x8xi32>, %c: tensor<8x8xi32>) -> tensor<8x8xi32> {
  %zero = arith.constant 0 : i32
  %z = linalg.fill ins(%zero : i32) outs(%c : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r = tpp.gemm ins(%a, %b : tensor<8x6xi32>, tensor<6x8xi32>) outs(%z : tensor<8x8xi32>)
      attributes {a_map = #a, accumulate, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: i32):
    tpp.yield %acc : i32
  } -> tensor<8x8xi32>
  return %r : tensor<8x8xi32>
}
