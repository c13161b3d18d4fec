// RUN: kgen-opt "%s" --kgen-form-fusion-groups --kgen-lower-fusion-groups --split-input-file --verify-diagnostics | FileCheck "%s"

// An activation of the bias as well: everything is in the epilogue.
// CHECK-LABEL: func.func @layer
// CHECK-NOT:     linalg.generic
// CHECK:         tpp.gemm {{.*}} epilogue_ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8xf32>)
// CHECK:           math.exp
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK:           tpp.yield
// CHECK-NOT:     linalg.generic
// CHECK-NOT:     tpp.group
func.func @layer(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %x: tensor<4x8xf32>, %bias: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  %t = tpp.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %m = tpp.mul ins(%t, %g : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = tpp.add ins(%m, %bias : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>)
      {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>]} -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @elementwise
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:           arith.mulf
// CHECK:           linalg.yield
// CHECK-NOT:     linalg.generic
func.func @elementwise(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = tpp.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = tpp.mul ins(%s, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// An extra that no contraction takes: its columns are not neighbours.
// CHECK-LABEL: func.func @split
// CHECK:         tpp.gemm
// CHECK:         linalg.generic
func.func @split(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark@+1 {{group is split: what follows the contraction cannot be its epilogue}}
  %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4x8xf32>
  %r = tpp.add ins(%g, %x : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x8xf32>)
      {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>]} -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
