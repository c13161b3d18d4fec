// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-decompose-attention=task-work=1000 --canonicalize --mlir-print-local-scope | FileCheck "%s"

module attributes {kgen.decisions = []} {
// All keys are one block: Q times log2(e) is transposed; two gemms, the epilogue of the second divides by the sums. The last block of queries has 6.
// CHECK-LABEL: func.func @one_block
// CHECK-SAME:    {what = "blocks of queries x keys: {{.*}}"}, kind = "applied"
// CHECK:         scf.forall (%[[I:.*]]) in (2)
// CHECK:           tensor.extract_slice %{{.*}}[%[[I]], 0, 0] [1, 32, 8] [1, 1, 1] : tensor<2x38x8xf32> to tensor<32x8xf32>
// CHECK:           arith.mulf
// CHECK:           vector.shuffle
// CHECK:           tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<100x8xf32>, tensor<8x32xf32>) outs(%{{.*}} : tensor<100x32xf32>)
// CHECK-NEXT:      ^bb0(%[[EXPONENT:.*]]: f32):
// CHECK-NEXT:        tpp.yield %[[EXPONENT]] : f32
// CHECK:           arith.cmpf ogt
// CHECK:           kgen.exp2_or_zero
// CHECK:           arith.divf
// CHECK:           tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<100x32xf32>, tensor<100x6xf32>) epilogue_ins(%{{.*}} : tensor<32xf32>) outs(%{{.*}} : tensor<32x6xf32>)
// CHECK-SAME:        a_map = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK:           arith.mulf
// CHECK:           tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<100x8xf32>, tensor<8x8xf32>)
// CHECK:           tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<100x6xf32>, tensor<100x6xf32>)
// CHECK:           tensor.parallel_insert_slice
func.func @one_block(%q: tensor<2x38x8xf32>, %k: tensor<2x100x8xf32>, %v: tensor<2x100x6xf32>) -> tensor<2x38x6xf32> {
  %r = kgen.attention ins(%q, %k, %v : tensor<2x38x8xf32>, tensor<2x100x8xf32>, tensor<2x100x6xf32>)
      attributes {q_map = affine_map<(b, m, n, d, e) -> (b, m, d)>, k_map = affine_map<(b, m, n, d, e) -> (b, n, d)>, v_map = affine_map<(b, m, n, d, e) -> (b, n, e)>,
      epilogue_maps = [], result_map = affine_map<(b, m, n, d, e) -> (b, m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<2x38x6xf32>
  return %r : tensor<2x38x6xf32>
}

// Three blocks of 100 keys: earlier sums are rescaled by a factor for each query if scores exceed the running maximum.
// CHECK-LABEL: func.func @blocks
// CHECK:         scf.forall
// CHECK:           tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<100x8xf32>, tensor<8x32xf32>)
// CHECK:           %[[FIRST:.*]] = tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<100x32xf32>, tensor<100x6xf32>)
// CHECK:           scf.for %{{.*}} = %c1 to %c3 step %c1 iter_args(%[[SUMS:.*]] = %[[FIRST]], %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<32x6xf32>, tensor<32xf32>, tensor<32xf32>)
// CHECK:             tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<100x8xf32>, tensor<8x32xf32>)
// CHECK:             %[[ANY:.*]] = vector.reduction <or>, %{{.*}} : vector<8xi1> into i1
// CHECK:             %[[GROWN:.*]] = arith.index_castui %[[ANY]] : i1 to index
// CHECK:             %[[SCALED:.*]]:3 = scf.for %{{.*}} = %c0 to %[[GROWN]] step %c1 iter_args(%[[OLD:.*]] = %[[SUMS]],
// CHECK:               linalg.generic {{.*}} outs(%[[OLD]] : tensor<32x6xf32>)
// CHECK:             tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<100x32xf32>, tensor<100x6xf32>) outs(%[[SCALED]]#0 : tensor<32x6xf32>) attributes {a_map = affine_map<(d0, d1, d2) -> (d2, d0)>, accumulate
// CHECK:           arith.divf
// CHECK:           linalg.generic
func.func @blocks(%q: tensor<2x32x8xf32>, %k: tensor<2x300x8xf32>, %v: tensor<2x300x6xf32>) -> tensor<2x32x6xf32> {
  %r = kgen.attention ins(%q, %k, %v : tensor<2x32x8xf32>, tensor<2x300x8xf32>, tensor<2x300x6xf32>)
      attributes {q_map = affine_map<(b, m, n, d, e) -> (b, m, d)>, k_map = affine_map<(b, m, n, d, e) -> (b, n, d)>, v_map = affine_map<(b, m, n, d, e) -> (b, n, e)>,
      epilogue_maps = [], result_map = affine_map<(b, m, n, d, e) -> (b, m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<2x32x6xf32>
  return %r : tensor<2x32x6xf32>
}

// Masks are transposed, as scores are: once if several batch indices share them.
// CHECK-LABEL: func.func @masked
// CHECK:         %[[MASK:.*]] = scf.for {{.*}} -> (tensor<100x32xf32>)
// CHECK:         scf.forall
// CHECK:         tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<100x8xf32>, tensor<8x32xf32>) epilogue_ins(%{{.*}} : tensor<100x32xf32>)
// CHECK:           arith.addf
func.func @masked(%q: tensor<2x32x8xf32>, %k: tensor<2x100x8xf32>, %v: tensor<2x100x6xf32>, %mask: tensor<32x100xf32>) -> tensor<2x32x6xf32> {
  %r = kgen.attention ins(%q, %k, %v : tensor<2x32x8xf32>, tensor<2x100x8xf32>, tensor<2x100x6xf32>) epilogue_ins(%mask : tensor<32x100xf32>)
      attributes {q_map = affine_map<(b, m, n, d, e) -> (b, m, d)>, k_map = affine_map<(b, m, n, d, e) -> (b, n, d)>, v_map = affine_map<(b, m, n, d, e) -> (b, n, e)>,
      epilogue_maps = [affine_map<(b, m, n, d, e) -> (m, n)>], result_map = affine_map<(b, m, n, d, e) -> (b, m, e)>} {
  ^bb0(%p: f32, %x: f32):
    %s = arith.addf %p, %x : f32
    kgen.yield %s : f32
  } -> tensor<2x32x6xf32>
  return %r : tensor<2x32x6xf32>
}

// Where the sum of a query's probabilities is 0, so is the factor of its result.
// CHECK-LABEL: func.func @masked_to_zero
// CHECK:         %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[SUM:.*]] : vector<8xf32>
// CHECK:         %[[NONE:.*]] = arith.cmpf oeq, %[[SUM]], %[[ZERO:.*]] : vector<8xf32>
// CHECK:         arith.select %[[NONE]], %[[ZERO]], %[[INVERSE]]
func.func @masked_to_zero(%q: tensor<2x32x8xf32>, %k: tensor<2x100x8xf32>, %v: tensor<2x100x6xf32>, %mask: tensor<32x100xf32>) -> tensor<2x32x6xf32> {
  %r = kgen.attention ins(%q, %k, %v : tensor<2x32x8xf32>, tensor<2x100x8xf32>, tensor<2x100x6xf32>) epilogue_ins(%mask : tensor<32x100xf32>)
      attributes {q_map = affine_map<(b, m, n, d, e) -> (b, m, d)>, k_map = affine_map<(b, m, n, d, e) -> (b, n, d)>, v_map = affine_map<(b, m, n, d, e) -> (b, n, e)>,
      epilogue_maps = [affine_map<(b, m, n, d, e) -> (m, n)>], result_map = affine_map<(b, m, n, d, e) -> (b, m, e)>, masked_to_zero} {
  ^bb0(%p: f32, %x: f32):
    %s = arith.addf %p, %x : f32
    kgen.yield %s : f32
  } -> tensor<2x32x6xf32>
  return %r : tensor<2x32x6xf32>
}

// Where the factor of a query's result is NaN, the result is 0.
// CHECK-LABEL: func.func @nan_to_zero
// CHECK:         arith.cmpf oeq
// CHECK:         tpp.gemm {{.*}} epilogue_ins
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32, %[[INVERSE:.*]]: f32):
// CHECK:           %[[QUOTIENT:.*]] = arith.mulf %[[SUM]], %[[INVERSE]] : f32
// CHECK:           %[[NAN:.*]] = arith.cmpf uno, %[[INVERSE]], %[[INVERSE]] : f32
// CHECK:           %[[R:.*]] = arith.select %[[NAN]], %{{.*}}, %[[QUOTIENT]] : f32
// CHECK:           tpp.yield %[[R]]
func.func @nan_to_zero(%q: tensor<2x32x8xf32>, %k: tensor<2x100x8xf32>, %v: tensor<2x100x6xf32>, %mask: tensor<32x100xf32>) -> tensor<2x32x6xf32> {
  %r = kgen.attention ins(%q, %k, %v : tensor<2x32x8xf32>, tensor<2x100x8xf32>, tensor<2x100x6xf32>) epilogue_ins(%mask : tensor<32x100xf32>)
      attributes {q_map = affine_map<(b, m, n, d, e) -> (b, m, d)>, k_map = affine_map<(b, m, n, d, e) -> (b, n, d)>, v_map = affine_map<(b, m, n, d, e) -> (b, n, e)>,
      epilogue_maps = [affine_map<(b, m, n, d, e) -> (m, n)>], result_map = affine_map<(b, m, n, d, e) -> (b, m, e)>, nan_to_zero} {
  ^bb0(%p: f32, %x: f32):
    %s = arith.addf %p, %x : f32
    kgen.yield %s : f32
  } -> tensor<2x32x6xf32>
  return %r : tensor<2x32x6xf32>
}

// The first block of keys, those that all queries of a block see, those that some of them see; the others are skipped.
// CHECK-LABEL: func.func @causal
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]]) in (2, 2)
// CHECK:           %[[ROW:.*]] = arith.muli %[[J]], %c32
// CHECK:           arith.cmpi sle
// CHECK:           %[[ALL:.*]] = affine.min affine_map<(d0) -> ((d0 + 1) floordiv 100, 3)>(%[[ROW]])
// CHECK:           %[[FROM:.*]] = arith.maxsi %[[ALL]], %c1
// CHECK:           scf.for %{{.*}} = %c1 to %[[FROM]] step %c1
// CHECK-NOT:         arith.cmpi
// CHECK:           %[[SOME:.*]] = affine.min affine_map<(d0) -> ((d0 + 32) ceildiv 100, 3)>(%[[ROW]])
// CHECK:           scf.for %{{.*}} = %[[FROM]] to %[[SOME]] step %c1
// CHECK:             arith.cmpi sle
func.func @causal(%q: tensor<2x64x8xf32>, %k: tensor<2x300x8xf32>, %v: tensor<2x300x6xf32>) -> tensor<2x64x6xf32> {
  %r = kgen.attention ins(%q, %k, %v : tensor<2x64x8xf32>, tensor<2x300x8xf32>, tensor<2x300x6xf32>)
      attributes {q_map = affine_map<(b, m, n, d, e) -> (b, m, d)>, k_map = affine_map<(b, m, n, d, e) -> (b, n, d)>, v_map = affine_map<(b, m, n, d, e) -> (b, n, e)>,
      epilogue_maps = [], result_map = affine_map<(b, m, n, d, e) -> (b, m, e)>, causal = 0 : i64} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<2x64x6xf32>
  return %r : tensor<2x64x6xf32>
}
}
