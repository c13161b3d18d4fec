// RUN: kgen-opt "%s" --kgen-contractions-to-tpp --split-input-file --mlir-print-local-scope | FileCheck "%s"

// The zero fill disappears: the gemm starts from zero.
// CHECK-LABEL: func @matmul
// CHECK-SAME:    %[[A:.*]]: tensor<4x6xf32>, %[[B:.*]]: tensor<6x8xf32>
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         tpp.gemm ins(%[[A]], %[[B]] : {{.*}}) outs(%[[E]] : tensor<4x8xf32>) attributes
// CHECK-NOT:     accumulate
// CHECK-SAME:    a_map = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-SAME:    b_map = affine_map<(d0, d1, d2) -> (d2, d1)>
func.func @matmul(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%z : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// Any other start is accumulated into.
// CHECK-LABEL: func @accumulate
// CHECK-SAME:    %[[C:[a-z0-9]+]]: tensor<4x8xf64>
// CHECK:         tpp.gemm {{.*}} outs(%[[C]] : tensor<4x8xf64>) attributes {{.*}}accumulate
func.func @accumulate(%a: tensor<4x6xf64>, %b: tensor<6x8xf64>, %c: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %r = linalg.matmul ins(%a, %b : tensor<4x6xf64>, tensor<6x8xf64>) outs(%c : tensor<4x8xf64>) -> tensor<4x8xf64>
  return %r : tensor<4x8xf64>
}

// -----

// -0.0 + -0.0 is not what 0.0 + -0.0 is: a negative zero is a start like any other.
// CHECK-LABEL: func @negative_zero
// CHECK:         %[[Z:.*]] = linalg.fill
// CHECK:         tpp.gemm {{.*}} outs(%[[Z]] : {{.*}}accumulate
func.func @negative_zero(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant -0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%z : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// A batch, with B shared by all of it and transposed, is only maps.
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (n, k)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
// CHECK-LABEL: func @batch_shared_transposed
// CHECK:         tpp.gemm
// CHECK-SAME:    a_map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-SAME:    b_map = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
func.func @batch_shared_transposed(%a: tensor<2x4x6xf32>, %b: tensor<8x6xf32>, %c: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x4x6xf32>, tensor<8x6xf32>) outs(%c : tensor<2x4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// -----

// Loops in another order, and a transposed A: the maps are those of (m, n, k) all the same.
#a = affine_map<(k, n, m) -> (k, m)>
#b = affine_map<(k, n, m) -> (k, n)>
#c = affine_map<(k, n, m) -> (m, n)>
// CHECK-LABEL: func @reordered
// CHECK:         tpp.gemm
// CHECK-SAME:    a_map = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-SAME:    b_map = affine_map<(d0, d1, d2) -> (d2, d1)>
func.func @reordered(%a: tensor<6x4xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%a, %b : tensor<6x4xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %y, %x : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func @batch_matmul
// CHECK:         tpp.gemm
// CHECK-NOT:     linalg.batch_matmul
func.func @batch_matmul(%a: tensor<3x4x6xf32>, %b: tensor<3x6x8xf32>, %c: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%c : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %r : tensor<3x4x8xf32>
}

// -----

// What stays: integers, two reductions, no m, no n, mixed types, unknown sizes, buffers.
// CHECK-LABEL: func @kept
// CHECK-NOT:     tpp.gemm
// CHECK:         linalg.matmul {{.*}} tensor<4x8xi32>
// CHECK:         linalg.batch_reduce_matmul
// CHECK:         linalg.matvec
// CHECK:         linalg.vecmat
// CHECK:         linalg.dot
// CHECK:         linalg.matmul {{.*}} tensor<4x8xf64>
// CHECK:         linalg.matmul {{.*}} tensor<?x8xf32>
// CHECK:         linalg.matmul {{.*}} memref<4x8xf32>
// CHECK-NOT:     tpp.gemm
func.func @kept(%ai: tensor<4x6xi32>, %bi: tensor<6x8xi32>, %ci: tensor<4x8xi32>,
                %ab: tensor<3x4x6xf32>, %bb: tensor<3x6x8xf32>, %cb: tensor<4x8xf32>,
                %a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %x: tensor<6xf32>, %y4: tensor<4xf32>, %y8: tensor<8xf32>,
                %s: tensor<f32>, %c64: tensor<4x8xf64>, %ad: tensor<?x6xf32>, %cd: tensor<?x8xf32>,
                %am: memref<4x6xf32>, %bm: memref<6x8xf32>, %cm: memref<4x8xf32>)
    -> (tensor<4x8xi32>, tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<f32>, tensor<4x8xf64>, tensor<?x8xf32>) {
  %0 = linalg.matmul ins(%ai, %bi : tensor<4x6xi32>, tensor<6x8xi32>) outs(%ci : tensor<4x8xi32>) -> tensor<4x8xi32>
  %1 = linalg.batch_reduce_matmul ins(%ab, %bb : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%cb : tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = linalg.matvec ins(%a, %x : tensor<4x6xf32>, tensor<6xf32>) outs(%y4 : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.vecmat ins(%x, %b : tensor<6xf32>, tensor<6x8xf32>) outs(%y8 : tensor<8xf32>) -> tensor<8xf32>
  %4 = linalg.dot ins(%x, %x : tensor<6xf32>, tensor<6xf32>) outs(%s : tensor<f32>) -> tensor<f32>
  %5 = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c64 : tensor<4x8xf64>) -> tensor<4x8xf64>
  %6 = linalg.matmul ins(%ad, %b : tensor<?x6xf32>, tensor<6x8xf32>) outs(%cd : tensor<?x8xf32>) -> tensor<?x8xf32>
  linalg.matmul ins(%am, %bm : memref<4x6xf32>, memref<6x8xf32>) outs(%cm : memref<4x8xf32>)
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4x8xi32>, tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<f32>, tensor<4x8xf64>, tensor<?x8xf32>
}

// -----

// Bodies that do something else than multiply and add: a unary operation on the way, a difference, a maximum.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: func @other_bodies
// CHECK-NOT:     tpp.gemm
// CHECK:         math.exp
// CHECK:         arith.negf
// CHECK:         arith.subf
// CHECK:         arith.maximumf
// CHECK-NOT:     tpp.gemm
func.func @other_bodies(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %e = math.exp %x : f32
    %p = arith.mulf %e, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%0 : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    %t = arith.negf %s : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%1 : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.subf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %3 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%2 : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.maximumf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// A result that is indexed by (n, m) has its operands the wrong way round.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (n, m)>
// CHECK-LABEL: func @transposed_result
// CHECK-NOT:     tpp.gemm
// CHECK:         linalg.generic
func.func @transposed_result(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<8x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
