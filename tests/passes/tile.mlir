// Contractions of linalg and tpp in tiles of given sizes: nested loops over slices, or one parallel loop.
// RUN: kgen-opt "%s" --split-input-file --kgen-tile="sizes=2,3,4" --cse | FileCheck "%s"
// RUN: kgen-opt "%s" --split-input-file --kgen-tile="sizes=2,3,0 parallel=true" --cse | FileCheck "%s" --check-prefix=PARALLEL

// CHECK-LABEL: func @matmul
// CHECK-SAME: %[[A:.*]]: tensor<16x1024xf32>, %[[B:.*]]: tensor<1024x33xf32>, %[[C:.*]]: tensor<16x33xf32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[C]])
// CHECK: scf.for %[[J:.*]] = %{{.*}} iter_args
// CHECK: scf.for %[[K:.*]] = %{{.*}} iter_args(%[[T:.*]] =
// CHECK: tensor.extract_slice %[[A]][%[[I]], %[[K]]] [2, 4] [1, 1] : tensor<16x1024xf32> to tensor<2x4xf32>
// CHECK: tensor.extract_slice %[[B]][%[[K]], %[[J]]] [4, 3] [1, 1] : tensor<1024x33xf32> to tensor<4x3xf32>
// CHECK: tensor.extract_slice %[[T]][%[[I]], %[[J]]] [2, 3] [1, 1] : tensor<16x33xf32> to tensor<2x3xf32>
// CHECK: %[[R:.*]] = linalg.matmul ins({{.*}} : tensor<2x4xf32>, tensor<4x3xf32>) outs({{.*}} : tensor<2x3xf32>)
// CHECK: tensor.insert_slice %[[R]] into %[[T]][%[[I]], %[[J]]] [2, 3] [1, 1]
// PARALLEL-LABEL: func @matmul
// PARALLEL: scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (16, 33) step (2, 3) shared_outs
// PARALLEL: linalg.matmul ins({{.*}} : tensor<2x1024xf32>, tensor<1024x3xf32>)
// PARALLEL: tensor.parallel_insert_slice
func.func @matmul(%a: tensor<16x1024xf32>, %b: tensor<1024x33xf32>, %c: tensor<16x33xf32>) -> tensor<16x33xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<16x1024xf32>, tensor<1024x33xf32>) outs(%c : tensor<16x33xf32>) -> tensor<16x33xf32>
  return %r : tensor<16x33xf32>
}

// -----

// A tile operation that adds to C is cut along k, too.
// CHECK-LABEL: func @gemm
// CHECK-COUNT-3: scf.for
// CHECK: tpp.gemm ins({{.*}} : tensor<2x4xf32>, tensor<4x3xf32>) outs({{.*}} : tensor<2x3xf32>) attributes {{.*}}accumulate
// PARALLEL-LABEL: func @gemm
// PARALLEL: tpp.gemm ins({{.*}} : tensor<2x8xf32>, tensor<8x3xf32>) outs({{.*}} : tensor<2x3xf32>)
func.func @gemm(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = tpp.gemm ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], accumulate} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
