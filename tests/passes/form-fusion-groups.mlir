// RUN: kgen-opt "%s" --kgen-form-fusion-groups --split-input-file | FileCheck "%s"

// One group of everything; the destinations between are inside.
// CHECK-LABEL: func.func @layer
// CHECK-SAME:    %[[A:.*]]: tensor<4x6xf32>, %[[B:.*]]: tensor<6x8xf32>, %[[BIAS:.*]]: tensor<8xf32>
// CHECK-NEXT:    %[[E:.*]] = tensor.empty()
// CHECK-NEXT:    %[[R:.*]] = tpp.group ins(%[[A]], %[[B]], %[[BIAS]] : tensor<4x6xf32>, tensor<6x8xf32>, tensor<8xf32>) outs(%[[E]] : tensor<4x8xf32>) {
// CHECK-NEXT:    ^bb0(%[[A1:.*]]: tensor<4x6xf32>, %[[B1:.*]]: tensor<6x8xf32>, %[[BIAS1:.*]]: tensor<8xf32>, %[[E1:.*]]: tensor<4x8xf32>):
// CHECK-NEXT:      %[[T:.*]] = tensor.empty()
// CHECK-NEXT:      %[[G:.*]] = tpp.gemm ins(%[[A1]], %[[B1]] {{.*}} outs(%[[T]]
// CHECK:           %[[S:.*]] = tpp.add ins(%[[BIAS1]], %[[G]] {{.*}} outs(%[[T]]
// CHECK-NEXT:      %[[U:.*]] = tpp.relu ins(%[[S]] {{.*}} outs(%[[E1]]
// CHECK-NEXT:      tpp.yield %[[U]]
// CHECK:         return %[[R]]
func.func @layer(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %bias: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  %s = tpp.add ins(%bias, %g : tensor<8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
      {maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>]} -> tensor<4x8xf32>
  %r = tpp.relu ins(%s : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// A value with two users is computed once, outside; a broadcast one would be computed once for each element.
// CHECK-LABEL: func.func @kept
// CHECK-NOT:     tpp.group
// CHECK:         tpp.add
// CHECK-NOT:     tpp.group
func.func @kept(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %s = tpp.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %n = tpp.exp ins(%y : tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  %r = tpp.add ins(%s, %n : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>)
      {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>]} -> tensor<4x8xf32>
  return %r, %s : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Two contractions: the first one found is in the group, the other one is an input.
// CHECK-LABEL: func.func @two_contractions
// CHECK:         %[[H:.*]] = tpp.gemm
// CHECK:         tpp.group ins({{.*}}%[[H]]
// CHECK:           tpp.gemm
// CHECK:           tpp.mul
func.func @two_contractions(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  %h = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  %r = tpp.mul ins(%g, %h : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
