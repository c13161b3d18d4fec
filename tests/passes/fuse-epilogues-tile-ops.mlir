// RUN: kgen-opt "%s" --kgen-fuse-epilogues --split-input-file --verify-diagnostics | FileCheck "%s"

// Operations on the other operand are in the epilogue, too.
// CHECK-LABEL: func.func @activated_operand
// CHECK-NOT:     linalg.generic
// CHECK:         tpp.gemm {{.*}} epilogue_ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8xf32>)
// CHECK:           math.exp
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK:           tpp.yield
// CHECK-NOT:     linalg.generic
// CHECK-NOT:     tpp.group
func.func @activated_operand(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %x: tensor<4x8xf32>, %bias: tensor<8xf32>) -> tensor<4x8xf32> {
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

// Without a contraction: one generic.
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

// No contraction takes an epilogue operand whose columns are not contiguous: contraction and generic stay.
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

// -----

// A chain of tile operations is the epilogue.
// CHECK-LABEL: func.func @layer
// CHECK:         %[[R:.*]] = tpp.gemm ins(%arg0, %arg1 {{.*}} epilogue_ins(%arg2 : tensor<8xf32>)
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK:           %[[S:.*]] = arith.addf %[[BIAS]], %[[ACC]]
// CHECK:           arith.cmpf ogt, %{{.*}}, %[[S]]
// CHECK-NEXT:      arith.select
// CHECK:           tpp.yield
// CHECK-NOT:     linalg.generic
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

// A value with two users is computed once, and so is a broadcast one: neither is fused.
// CHECK-LABEL: func.func @kept
// CHECK:         tpp.exp
// CHECK:         tpp.exp
// CHECK:         tpp.add
// CHECK-NOT:     linalg.generic
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

// Two contractions: the first operand's takes the epilogue, the other one is an operand of it.
// CHECK-LABEL: func.func @two_contractions
// CHECK:         %[[H:.*]] = tpp.gemm
// CHECK:         tpp.gemm {{.*}} epilogue_ins(%[[H]] : tensor<4x8xf32>)
// CHECK:           arith.mulf
// CHECK-NOT:     linalg.generic
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

// -----

// A group of the input.
// CHECK-LABEL: func.func @group
// CHECK-NOT:     tpp.
// CHECK:         linalg.generic
// CHECK:           arith.addf
// CHECK:           arith.select
// CHECK-NOT:     tpp.
// CHECK:         return
func.func @group(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = tpp.group ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: tensor<4x8xf32>, %q: tensor<4x8xf32>, %o: tensor<4x8xf32>):
    %t = tensor.empty() : tensor<4x8xf32>
    %s = tpp.add ins(%p, %q : tensor<4x8xf32>, tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) -> tensor<4x8xf32>
    %u = tpp.relu ins(%s : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) -> tensor<4x8xf32>
    tpp.yield %u : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
