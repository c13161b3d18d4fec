// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-contractions-to-tpp --split-input-file --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-contractions-to-tpp=strict-order --split-input-file --mlir-print-local-scope | FileCheck "%s" --check-prefix=STRICT

// The zero fill disappears: the gemm starts from zero.
// STRICT-LABEL: func @matmul
// STRICT:         tpp.gemm {{.*}} attributes {{.*}}strict_order
// CHECK-LABEL: func @matmul
// CHECK-SAME:    %[[A:.*]]: tensor<4x6xf32>, %[[B:.*]]: tensor<6x8xf32>
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         tpp.gemm ins(%[[A]], %[[B]] : {{.*}}) outs(%[[E]] : tensor<4x8xf32>) attributes
// CHECK-NOT:     accumulate
// CHECK-NOT:     strict_order
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

// Any other initial value is accumulated into.
// CHECK-LABEL: func @accumulate
// CHECK-SAME:    %[[C:[a-z0-9]+]]: tensor<4x8xf64>
// CHECK:         tpp.gemm {{.*}} outs(%[[C]] : tensor<4x8xf64>) attributes {{.*}}accumulate
func.func @accumulate(%a: tensor<4x6xf64>, %b: tensor<6x8xf64>, %c: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %r = linalg.matmul ins(%a, %b : tensor<4x6xf64>, tensor<6x8xf64>) outs(%c : tensor<4x8xf64>) -> tensor<4x8xf64>
  return %r : tensor<4x8xf64>
}

// -----

// -0.0 + -0.0 differs from 0.0 + -0.0: a negative zero is an initial value like any other.
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

// A batch that shares a transposed B differs in its maps only.
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

// Loops in another order and a transposed A: the maps are those of (m, n, k).
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

// Integers wrap around.
// CHECK-LABEL: func @integers
// CHECK:         tpp.gemm ins({{.*}} : tensor<4x6xi32>, tensor<6x8xi32>) outs({{.*}} : tensor<4x8xi32>)
// CHECK-NEXT:    ^bb0(%{{.*}}: i32):
// CHECK:         tpp.gemm ins({{.*}} : tensor<4x6xi64>, tensor<6x8xi64>) outs(%[[E:.*]] : tensor<4x8xi64>)
// CHECK-NOT:     accumulate
// CHECK-NOT:     linalg.matmul
// CHECK:         return
func.func @integers(%a: tensor<4x6xi32>, %b: tensor<6x8xi32>, %c: tensor<4x8xi32>, %x: tensor<4x6xi64>, %y: tensor<6x8xi64>,
                    %e: tensor<4x8xi64>) -> (tensor<4x8xi32>, tensor<4x8xi64>) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x6xi32>, tensor<6x8xi32>) outs(%c : tensor<4x8xi32>) -> tensor<4x8xi32>
  %zero = arith.constant 0 : i64
  %z = linalg.fill ins(%zero : i64) outs(%e : tensor<4x8xi64>) -> tensor<4x8xi64>
  %1 = linalg.matmul ins(%x, %y : tensor<4x6xi64>, tensor<6x8xi64>) outs(%z : tensor<4x8xi64>) -> tensor<4x8xi64>
  return %0, %1 : tensor<4x8xi32>, tensor<4x8xi64>
}

// -----

// bf16 is extended and accumulated in f32.
// CHECK-LABEL: func @bf16
// CHECK-SAME:    %[[C:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK:         tpp.gemm ins({{.*}} : tensor<4x6xbf16>, tensor<6x8xbf16>) outs(%[[C]] : tensor<4x8xf32>)
// CHECK-NEXT:    ^bb0(%{{.*}}: f32):
// CHECK-NOT:     linalg.matmul
// CHECK:         return
func.func @bf16(%a: tensor<4x6xbf16>, %b: tensor<6x8xbf16>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x6xbf16>, tensor<6x8xbf16>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Without m, there is one row. The only dimension of a result is n.
// CHECK-LABEL: func @matvec
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4x6xf32>, %[[X:[a-z0-9]+]]: tensor<6xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[Y]] {{.*}} : tensor<4xf32> into tensor<1x4xf32>
// CHECK:         %[[G:.*]] = tpp.gemm ins(%[[X]], %[[A]] : tensor<6xf32>, tensor<4x6xf32>) outs(%[[E]] : tensor<1x4xf32>)
// CHECK-SAME:      a_map = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-SAME:      b_map = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK:         tensor.collapse_shape %[[G]] {{.*}} : tensor<1x4xf32> into tensor<4xf32>
func.func @matvec(%a: tensor<4x6xf32>, %x: tensor<6xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.matvec ins(%a, %x : tensor<4x6xf32>, tensor<6xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @vecmat
// CHECK:         tensor.expand_shape {{.*}} : tensor<8xf32> into tensor<1x8xf32>
// CHECK:         tpp.gemm ins({{.*}} : tensor<6xf32>, tensor<6x8xf32>) outs({{.*}} : tensor<1x8xf32>)
// CHECK-SAME:      a_map = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-SAME:      b_map = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK:         tensor.collapse_shape {{.*}} : tensor<1x8xf32> into tensor<8xf32>
func.func @vecmat(%x: tensor<6xf32>, %b: tensor<6x8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.vecmat ins(%x, %b : tensor<6xf32>, tensor<6x8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func @dot
// CHECK:         tensor.expand_shape {{.*}} : tensor<f32> into tensor<1x1xf32>
// CHECK:         tpp.gemm ins({{.*}} : tensor<6xf32>, tensor<6xf32>) outs({{.*}} : tensor<1x1xf32>)
// CHECK-SAME:      a_map = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-SAME:      b_map = affine_map<(d0, d1, d2) -> (d2)>
// CHECK:         tensor.collapse_shape {{.*}} : tensor<1x1xf32> into tensor<f32>
func.func @dot(%x: tensor<6xf32>, %s: tensor<f32>) -> tensor<f32> {
  %0 = linalg.dot ins(%x, %x : tensor<6xf32>, tensor<6xf32>) outs(%s : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Two reductions make a tpp.brgemm.
// CHECK-LABEL: func @batch_reduce
// CHECK:         tpp.brgemm ins({{.*}} : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs({{.*}} : tensor<4x8xf32>)
// CHECK-SAME:      a_map = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>
// CHECK-SAME:      b_map = affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>
func.func @batch_reduce(%a: tensor<3x4x6xf32>, %b: tensor<3x6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.batch_reduce_matmul ins(%a, %b : tensor<3x4x6xf32>, tensor<3x6x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// k is the reduction that is the inner one in A, in any order of the loops.
#a = affine_map<(k, r, m, n) -> (m, r, k)>
#b = affine_map<(k, r, m, n) -> (k, r, n)>
#c = affine_map<(k, r, m, n) -> (m, n)>
// CHECK-LABEL: func @two_reductions
// CHECK:         tpp.brgemm
// CHECK-SAME:      a_map = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-SAME:      b_map = affine_map<(d0, d1, d2, d3) -> (d3, d2, d1)>
func.func @two_reductions(%a: tensor<4x3x6xf32>, %b: tensor<6x3x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["reduction", "reduction", "parallel", "parallel"]}
      ins(%a, %b : tensor<4x3x6xf32>, tensor<6x3x8xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// B in VNNI pairs becomes one panel of all columns, and the pairs of A are joined; only for types that have VNNI pairs on the target.
#a = affine_map<(m, n, k, v) -> (m, k, v)>
#b = affine_map<(m, n, k, v) -> (k, n, v)>
#c = affine_map<(m, n, k, v) -> (m, n)>
module {
  // CHECK-LABEL: func @vnni
  // CHECK-DAG:     %[[A:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<4x3x2xbf16> into tensor<4x6xbf16>
  // CHECK-DAG:     %[[B:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2], [3]] output_shape [1, 3, 8, 2] : tensor<3x8x2xbf16> into tensor<1x3x8x2xbf16>
  // CHECK:         tpp.gemm ins(%[[A]], %[[B]] : tensor<4x6xbf16>, tensor<1x3x8x2xbf16>) outs(%{{.*}} : tensor<4x8xf32>)
  // CHECK-SAME:      a_map = affine_map<(d0, d1, d2) -> (d0, d2)>
  // CHECK-SAME:      b_map = affine_map<(d0, d1, d2) -> (d2, d1)>
  // CHECK-SAME:      panel = 8 : i64, vnni = 2 : i64
  func.func @vnni(%a: tensor<4x3x2xbf16>, %b: tensor<3x8x2xbf16>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%a, %b : tensor<4x3x2xbf16>, tensor<3x8x2xbf16>) outs(%c : tensor<4x8xf32>) {
    ^bb0(%x: bf16, %y: bf16, %acc: f32):
      %xw = arith.extf %x : bf16 to f32
      %yw = arith.extf %y : bf16 to f32
      %p = arith.mulf %xw, %yw : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }

  // CHECK-LABEL: func @no_pairs_of_f32
  // CHECK:         tpp.brgemm ins({{.*}} : tensor<4x3x2xf32>, tensor<3x8x2xf32>)
  // CHECK-NOT:     panel
  // CHECK:         return
  func.func @no_pairs_of_f32(%a: tensor<4x3x2xf32>, %b: tensor<3x8x2xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%a, %b : tensor<4x3x2xf32>, tensor<3x8x2xf32>) outs(%c : tensor<4x8xf32>) {
    ^bb0(%x: f32, %y: f32, %acc: f32):
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

// -----

// What stays: mixed types, a sum in bf16, buffers. The number of rows may be known at run time.
// CHECK-LABEL: func @kept
// CHECK-NOT:     tpp.
// CHECK:         linalg.matmul {{.*}} tensor<4x8xf64>
// CHECK:         linalg.matmul {{.*}} tensor<4x8xbf16>
// CHECK:         tpp.gemm {{.*}} tensor<?x8xf32>
// CHECK:         linalg.matmul {{.*}} memref<4x8xf32>
// CHECK-NOT:     tpp.
func.func @kept(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c64: tensor<4x8xf64>,
                %ah: tensor<4x6xbf16>, %bh: tensor<6x8xbf16>, %ch: tensor<4x8xbf16>, %ad: tensor<?x6xf32>, %cd: tensor<?x8xf32>,
                %am: memref<4x6xf32>, %bm: memref<6x8xf32>, %cm: memref<4x8xf32>)
    -> (tensor<4x8xf64>, tensor<4x8xbf16>, tensor<?x8xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c64 : tensor<4x8xf64>) -> tensor<4x8xf64>
  %1 = linalg.matmul ins(%ah, %bh : tensor<4x6xbf16>, tensor<6x8xbf16>) outs(%ch : tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %2 = linalg.matmul ins(%ad, %b : tensor<?x6xf32>, tensor<6x8xf32>) outs(%cd : tensor<?x8xf32>) -> tensor<?x8xf32>
  linalg.matmul ins(%am, %bm : memref<4x6xf32>, memref<6x8xf32>) outs(%cm : memref<4x8xf32>)
  return %0, %1, %2 : tensor<4x8xf64>, tensor<4x8xbf16>, tensor<?x8xf32>
}

// -----

// Bodies that do not only multiply and add: a unary operation, a difference, a maximum.
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

// For a result that is indexed by (n, m), A is the operand that has its rows: the second one.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (n, m)>
// CHECK-LABEL: func @transposed_result
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x6xf32>, %[[Y:[a-z0-9]+]]: tensor<6x8xf32>
// CHECK:         tpp.gemm ins(%[[Y]], %[[X]] : tensor<6x8xf32>, tensor<4x6xf32>) outs({{.*}} : tensor<8x4xf32>)
// CHECK-SAME:      a_map = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-SAME:      b_map = affine_map<(d0, d1, d2) -> (d1, d2)>
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

// -----

// More than two reductions stay.
#a = affine_map<(m, n, q, r, k) -> (m, q, r, k)>
#b = affine_map<(m, n, q, r, k) -> (q, r, k, n)>
#c = affine_map<(m, n, q, r, k) -> (m, n)>
// CHECK-LABEL: func @three_reductions
// CHECK-NOT:     tpp.
// CHECK:         linalg.generic
func.func @three_reductions(%a: tensor<4x2x3x6xf32>, %b: tensor<2x3x6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : tensor<4x2x3x6xf32>, tensor<2x3x6x8xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// i8 is accumulated in i32; the extensions of the body tell whether an operand is signed.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: func @eight_bits
// CHECK:         tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<4x6xi8>, tensor<6x8xi8>) outs({{.*}} : tensor<4x8xi32>)
// CHECK-SAME:      a_unsigned
// CHECK-NOT:       b_unsigned
// CHECK-NEXT:    ^bb0(%{{.*}}: i32):
func.func @eight_bits(%a: tensor<4x6xi8>, %b: tensor<6x8xi8>, %c: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x6xi8>, tensor<6x8xi8>) outs(%c : tensor<4x8xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %acc, %p : i32
    linalg.yield %s : i32
  } -> tensor<4x8xi32>
  return %r : tensor<4x8xi32>
}

// -----

// Types may differ if both are accumulated in the same type.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: func @two_types
// CHECK:         tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<4x6xf32>, tensor<6x8xbf16>) outs({{.*}} : tensor<4x8xf32>)
func.func @two_types(%a: tensor<4x6xf32>, %b: tensor<6x8xbf16>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x6xf32>, tensor<6x8xbf16>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: bf16, %acc: f32):
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %x, %v : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// A convolution of [n, h, w * 3] with stride 2: rows of A are overlapping slices of a row of the image.
// CHECK-LABEL: func @window
// CHECK:         tpp.brgemm ins(%{{.*}}, %{{.*}} : tensor<2x9x27xf32>, tensor<3x9x8xf32>) outs(%{{.*}} : tensor<2x4x4x8xf32>) attributes
// CHECK-SAME:    a_map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 6 + d5)>
// CHECK-SAME:    b_map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d3)>
// CHECK-SAME:    reduction_sizes = array<i64: 3, 9>
#a = affine_map<(n, y, x, o, r, k) -> (n, y * 2 + r, x * 6 + k)>
#b = affine_map<(n, y, x, o, r, k) -> (r, k, o)>
#c = affine_map<(n, y, x, o, r, k) -> (n, y, x, o)>
func.func @window(%a: tensor<2x9x27xf32>, %b: tensor<3x9x8xf32>) -> tensor<2x4x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<2x9x27xf32>, tensor<3x9x8xf32>) outs(%z : tensor<2x4x4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<2x4x4x8xf32>
  return %r : tensor<2x4x4x8xf32>
}

// -----

// The same of bytes: of an unsigned image and a signed filter.
// CHECK-LABEL: func @window_of_bytes
// CHECK:         tpp.brgemm ins(%{{.*}}, %{{.*}} : tensor<2x9x27xi8>, tensor<3x9x8xi8>) outs(%{{.*}} : tensor<2x4x4x8xi32>) attributes
// CHECK-SAME:    a_unsigned
// CHECK-NOT:     b_unsigned
// CHECK-SAME:    reduction_sizes = array<i64: 3, 9>
#a = affine_map<(n, y, x, o, r, k) -> (n, y * 2 + r, x * 6 + k)>
#b = affine_map<(n, y, x, o, r, k) -> (r, k, o)>
#c = affine_map<(n, y, x, o, r, k) -> (n, y, x, o)>
func.func @window_of_bytes(%a: tensor<2x9x27xi8>, %b: tensor<3x9x8xi8>) -> tensor<2x4x4x8xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<2x4x4x8xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<2x4x4x8xi32>) -> tensor<2x4x4x8xi32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<2x9x27xi8>, tensor<3x9x8xi8>) outs(%z : tensor<2x4x4x8xi32>) {
  ^bb0(%p: i8, %q: i8, %o: i32):
    %x = arith.extui %p : i8 to i32
    %y = arith.extsi %q : i8 to i32
    %s = arith.muli %x, %y : i32
    %t = arith.addi %o, %s : i32
    linalg.yield %t : i32
  } -> tensor<2x4x4x8xi32>
  return %r : tensor<2x4x4x8xi32>
}

// -----

// A depthwise convolution is no contraction.
// CHECK-LABEL: func @depthwise
// CHECK-NOT:     tpp
// CHECK:         return
#a = affine_map<(y, x, c, r, s) -> (y + r, x + s, c)>
#b = affine_map<(y, x, c, r, s) -> (r, s, c)>
#c = affine_map<(y, x, c, r, s) -> (y, x, c)>
func.func @depthwise(%a: tensor<6x7x5xf32>, %b: tensor<3x3x5xf32>, %c: tensor<4x5x5xf32>) -> tensor<4x5x5xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<6x7x5xf32>, tensor<3x3x5xf32>) outs(%c : tensor<4x5x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x5x5xf32>
  return %r : tensor<4x5x5xf32>
}

// -----

// f16 is accumulated in f16 if the function allows it and the target's f16 arithmetic is cheaper.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {kgen.target = "x86-64-v4-fp16"} {
  // CHECK-LABEL: func.func @f16_accumulation
  // CHECK:         tpp.gemm {{.*}}f16_accumulate
  // STRICT-LABEL: func.func @f16_accumulation
  // STRICT-NOT:     , f16_accumulate
  // STRICT:         tpp.gemm
  // STRICT-NOT:     , f16_accumulate
  func.func @f16_accumulation(%a: tensor<4x6xf16>, %b: tensor<6x8xf16>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {kgen.f16_accumulate} {
    %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<4x6xf16>, tensor<6x8xf16>) outs(%c : tensor<4x8xf32>) {
    ^bb0(%x: f16, %y: f16, %acc: f32):
      %u = arith.extf %x : f16 to f32
      %v = arith.extf %y : f16 to f32
      %p = arith.mulf %u, %v : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<4x8xf32>
    return %r : tensor<4x8xf32>
  }

  // CHECK-LABEL: func.func @f32_accumulation
  // CHECK-NOT:     , f16_accumulate
  // CHECK:         tpp.gemm
  // CHECK-NOT:     , f16_accumulate
  func.func @f32_accumulation(%a: tensor<4x6xf16>, %b: tensor<6x8xf16>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<4x6xf16>, tensor<6x8xf16>) outs(%c : tensor<4x8xf32>) {
    ^bb0(%x: f16, %y: f16, %acc: f32):
      %u = arith.extf %x : f16 to f32
      %v = arith.extf %y : f16 to f32
      %p = arith.mulf %u, %v : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<4x8xf32>
    return %r : tensor<4x8xf32>
  }
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {kgen.target = "x86-64-v4"} {
  // CHECK-LABEL: func.func @without_arithmetic
  // CHECK-NOT:     , f16_accumulate
  // CHECK:         tpp.gemm
  // CHECK-NOT:     , f16_accumulate
  func.func @without_arithmetic(%a: tensor<4x6xf16>, %b: tensor<6x8xf16>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {kgen.f16_accumulate} {
    %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<4x6xf16>, tensor<6x8xf16>) outs(%c : tensor<4x8xf32>) {
    ^bb0(%x: f16, %y: f16, %acc: f32):
      %u = arith.extf %x : f16 to f32
      %v = arith.extf %y : f16 to f32
      %p = arith.mulf %u, %v : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<4x8xf32>
    return %r : tensor<4x8xf32>
  }
}

// -----

// Batches that share their B are rows where the number of rows is known at run time only. Not so the products of an attention, whose
// columns or terms are as many: its heads stay apart.
#q = affine_map<(b, h, m, n, k) -> (b, h, m, k)>
#k = affine_map<(b, h, m, n, k) -> (b, n, k)>
#w = affine_map<(b, h, m, n, k) -> (b, k, n)>
#r = affine_map<(b, h, m, n, k) -> (b, h, m, n)>
// CHECK-LABEL: func @rows_of_heads
// CHECK:         tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<2x?x8xf32>, tensor<2x8x16xf32>)
// CHECK:         tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<2x4x?x8xf32>, tensor<2x?x8xf32>)
// CHECK:         tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<2x4x?x?xf32>, tensor<2x?x16xf32>)
func.func @rows_of_heads(%q: tensor<2x4x?x8xf32>, %w: tensor<2x8x16xf32>, %k: tensor<2x?x8xf32>, %v: tensor<2x?x16xf32>,
                         %rows: tensor<2x4x?x16xf32>, %scores: tensor<2x4x?x?xf32>) -> (tensor<2x4x?x16xf32>, tensor<2x4x?x16xf32>) {
  %0 = linalg.generic {indexing_maps = [#q, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %w : tensor<2x4x?x8xf32>, tensor<2x8x16xf32>) outs(%rows : tensor<2x4x?x16xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x?x16xf32>
  %1 = linalg.generic {indexing_maps = [#q, #k, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x4x?x8xf32>, tensor<2x?x8xf32>) outs(%scores : tensor<2x4x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x?x?xf32>
  %2 = linalg.generic {indexing_maps = [#q, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%1, %v : tensor<2x4x?x?xf32>, tensor<2x?x16xf32>) outs(%rows : tensor<2x4x?x16xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x?x16xf32>
  return %0, %2 : tensor<2x4x?x16xf32>, tensor<2x4x?x16xf32>
}
