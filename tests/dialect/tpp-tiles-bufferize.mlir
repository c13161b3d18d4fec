// RUN: kgen-opt "%s" --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --split-input-file | FileCheck "%s"

// An elementwise operation may write onto what it reads at the same element: no copy.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME:    %[[X:.*]]: memref<4x8xf32>, %[[Y:.*]]: memref<4x8xf32>
// CHECK-NEXT:    tpp.add ins(%[[X]], %[[Y]] : memref<4x8xf32>, memref<4x8xf32>) outs(%[[X]] : memref<4x8xf32>)
// CHECK-NEXT:    return %[[X]]
func.func @in_place(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tpp.add ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// An input that is read elsewhere, too, must not be overwritten.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME:    %[[X:.*]]: memref<4x4xf32>
// CHECK:         %[[NEW:.*]] = memref.alloc()
// CHECK:         tpp.add ins(%[[X]], %[[X]] {{.*}} outs(%[[NEW]] :
func.func @transposed(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = tpp.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>)
      {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>]} -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// A reduction reads its destination, a transposition does not.
// CHECK-LABEL: func.func @reads_destination
// CHECK:         memref.copy
// CHECK:         tpp.reduce max ins(%{{.*}} : memref<4x8xf32>) outs(%{{.*}} : memref<4xf32>) {dimensions = array<i64: 1>}
func.func @reads_destination(%x: tensor<4x8xf32>, %y: tensor<4xf32> {bufferization.writable = false}) -> tensor<4xf32> {
  %r = tpp.reduce max ins(%x : tensor<4x8xf32>) outs(%y : tensor<4xf32>) {dimensions = array<i64: 1>} -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @overwrites_destination
// CHECK-NOT:     memref.copy
// CHECK:         tpp.transpose
// CHECK:         tpp.vnni_pack
func.func @overwrites_destination(%x: tensor<4x8xf32>, %y: tensor<8x4xf32> {bufferization.writable = false}, %z: tensor<4x4x2xf32> {bufferization.writable = false}) -> tensor<4x4x2xf32> {
  %r = tpp.transpose ins(%x : tensor<4x8xf32>) outs(%y : tensor<8x4xf32>) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
  %p = tpp.vnni_pack ins(%r : tensor<8x4xf32>) outs(%z : tensor<4x4x2xf32>) {factor = 2 : i64} -> tensor<4x4x2xf32>
  return %p : tensor<4x4x2xf32>
}
