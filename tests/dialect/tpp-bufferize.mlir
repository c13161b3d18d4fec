// RUN: kgen-opt "%s" --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --split-input-file --mlir-print-local-scope | FileCheck "%s"

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>

// C is written in place.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<4x6xf32>, %[[B:[a-z0-9]+]]: memref<6x8xf32>
// CHECK:         %[[E:.*]] = memref.alloc() {{.*}} : memref<4x8xf32>
// CHECK-NOT:     memref.copy
// CHECK:         tpp.gemm ins(%[[A]], %[[B]] : memref<4x6xf32>, memref<6x8xf32>) outs(%[[E]] : memref<4x8xf32>)
// CHECK:         return %[[E]]
func.func @in_place(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %e = bufferization.alloc_tensor() : tensor<4x8xf32>
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>

// A C that is accumulated into and used again later is copied first ...
// CHECK-LABEL: func.func @accumulated
// CHECK-SAME:    %{{.*}}, %{{.*}}, %[[C:[a-z0-9]+]]: memref<4x8xf32>
// CHECK:         %[[E:.*]] = memref.alloc()
// CHECK:         memref.copy %[[C]], %[[E]]
// CHECK:         tpp.gemm {{.*}} outs(%[[E]] : memref<4x8xf32>) attributes {{.*}}accumulate
func.func @accumulated(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32> {bufferization.writable = false}) -> tensor<4x8xf32> {
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = #a, accumulate, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>

// ... but not one that is only overwritten.
// CHECK-LABEL: func.func @overwritten
// CHECK:         memref.alloc()
// CHECK-NOT:     memref.copy
// CHECK:         tpp.gemm
func.func @overwritten(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32> {bufferization.writable = false}) -> tensor<4x8xf32> {
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// An epilogue operand never shares C's buffer: blocks of k leave partial sums there before the epilogue reads it.
// CHECK-LABEL: func.func @extra_is_c
// CHECK-SAME:    %{{.*}}, %{{.*}}, %[[C:[a-z0-9]+]]: memref<4x8xf32>
// CHECK:         %[[E:.*]] = memref.alloc()
// CHECK:         tpp.gemm {{.*}} epilogue_ins(%[[C]] : memref<4x8xf32>) outs(%[[E]] : memref<4x8xf32>)
func.func @extra_is_c(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32> {bufferization.writable = true}) -> tensor<4x8xf32> {
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) epilogue_ins(%c : tensor<4x8xf32>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = [#full]} {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    tpp.yield %s : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

#a = affine_map<(m, n, r, k) -> (r, m, k)>
#b = affine_map<(m, n, r, k) -> (r, k, n)>

// A batch-reduce gemm keeps all that distinguishes it.
// CHECK-LABEL: func.func @brgemm
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<3x4x6xbf16>, %[[B:[a-z0-9]+]]: memref<3x1x3x8x2xbf16>, %[[C:[a-z0-9]+]]: memref<4x8xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         tpp.brgemm ins(%[[A]], %[[B]] : memref<3x4x6xbf16>, memref<3x1x3x8x2xbf16>) outs(%[[C]] : memref<4x8xf32>)
// CHECK-SAME:      a_map = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>, accumulate
// CHECK-SAME:      panel = 8 : i64, strict_order, vnni = 2 : i64
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:      tpp.yield %[[ACC]] : f32
// CHECK:         return %[[C]]
func.func @brgemm(%a: tensor<3x4x6xbf16>, %b: tensor<3x1x3x8x2xbf16>, %c: tensor<4x8xf32> {bufferization.writable = true}) -> tensor<4x8xf32> {
  %r = tpp.brgemm ins(%a, %b : tensor<3x4x6xbf16>, tensor<3x1x3x8x2xbf16>) outs(%c : tensor<4x8xf32>)
      attributes {a_map = #a, accumulate, b_map = #b, epilogue_maps = [], panel = 8, vnni = 2, strict_order} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
