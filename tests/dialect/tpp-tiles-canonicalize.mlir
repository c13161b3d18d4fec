// RUN: kgen-opt "%s" --canonicalize | FileCheck "%s"

// A broadcast is read through; maps that are the identity vanish.
// CHECK-LABEL: func.func @broadcast
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK-NEXT:    %[[S:.*]] = tpp.add ins(%[[X]], %[[B]] : tensor<4x8xf32>, tensor<8xf32>) outs(%[[X]] {{.*}} {maps =
// CHECK-NEXT:    %[[R:.*]] = tpp.sub ins(%[[S]], %[[X]] : tensor<4x8xf32>, tensor<4x8xf32>) outs(%[[X]] : tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:    return %[[R]]
func.func @broadcast(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %t = tpp.identity ins(%b : tensor<8xf32>) outs(%e : tensor<4x8xf32>) {maps = [affine_map<(i, j) -> (j)>]} -> tensor<4x8xf32>
  %s = tpp.add ins(%x, %t : tensor<4x8xf32>, tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = tpp.sub ins(%s, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%x : tensor<4x8xf32>)
      {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>]} -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @repeated
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT:    %[[R:.*]] = tpp.relu ins(%[[X]]
// CHECK-NEXT:    return %[[R]]
func.func @repeated(%x: tensor<4x8xf32>, %t: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %c = tpp.identity ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  %n = tpp.neg ins(%c : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  %m = tpp.neg ins(%n : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = tpp.transpose ins(%m : tensor<4x8xf32>) outs(%t : tensor<8x4xf32>) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
  %q = tpp.transpose ins(%p : tensor<8x4xf32>) outs(%x : tensor<4x8xf32>) {permutation = array<i64: 1, 0>} -> tensor<4x8xf32>
  %r = tpp.relu ins(%q : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = tpp.relu ins(%r : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

// Conversions are no copies, and a copy to another buffer is needed.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT:    tpp.identity
// CHECK-NEXT:    tpp.identity
// CHECK-NEXT:    return
func.func @kept(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: tensor<4xf32>, %w: tensor<4xbf16>) -> tensor<4xbf16> {
  tpp.identity ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  tpp.identity ins(%x : memref<4x8xf32>) outs(%x : memref<4x8xf32>)
  %r = tpp.identity ins(%z : tensor<4xf32>) outs(%w : tensor<4xbf16>) -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}
