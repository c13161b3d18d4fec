// RUN: kgen-opt "%s" --kgen-tpp-to-ukernel | FileCheck "%s"

// CHECK:      ukernel.map @uk_map_f32_4x8_1e attributes {in_cols = array<i64: 0, 1>, in_rows = array<i64: 1, 16>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:   %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK-NEXT:   ukernel.yield %[[S]] : f32

// CHECK-LABEL: func.func @tiles
// CHECK-SAME:    %[[COL:[a-z0-9]+]]: memref<4xf32>, %[[X:[a-z0-9]+]]: memref<4x8xf32, strided<[16, 1], offset: ?>>, %[[Y:[a-z0-9]+]]: memref<4x8xf32>
// CHECK-NEXT:    %[[TILE:.*]] = memref.reinterpret_cast %[[COL]] to offset: [0], sizes: [4, 8], strides: [1, 0] : memref<4xf32> to memref<4x8xf32, strided<[1, 0]>>
// CHECK-NEXT:    ukernel.call @uk_map_f32_4x8_1e(%[[TILE]], %[[X]], %[[Y]])
// CHECK-NEXT:    %[[TILE1:.*]] = memref.reinterpret_cast %[[COL]]
// CHECK-NEXT:    ukernel.call @uk_map_f32_4x8_1e(%[[TILE1]], %[[X]], %[[Y]])
// CHECK-NEXT:    ukernel.call @uk_map_f32_4x8_3e(%[[Y]], %[[Y]])
// CHECK-NEXT:    ukernel.call @uk_map_f32_4x8_1e_1(%[[Y]])
// CHECK-NEXT:    return
func.func @tiles(%col: memref<4xf32>, %x: memref<4x8xf32, strided<[16, 1], offset: ?>>, %y: memref<4x8xf32>) {
  tpp.add ins(%col, %x : memref<4xf32>, memref<4x8xf32, strided<[16, 1], offset: ?>>) outs(%y : memref<4x8xf32>)
      {maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>]}
  tpp.add ins(%col, %x : memref<4xf32>, memref<4x8xf32, strided<[16, 1], offset: ?>>) outs(%y : memref<4x8xf32>)
      {maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>]}
  tpp.relu ins(%y : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  tpp.zero outs(%y : memref<4x8xf32>)
  return
}

// Refused: no matrix, columns with gaps, unknown strides, and tensors.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT:    tpp.relu
// CHECK-NEXT:    tpp.relu
// CHECK-NEXT:    tpp.relu
// CHECK-NEXT:    tpp.relu
func.func @kept(%x: memref<2x4x8xf32>, %y: memref<4x8xf32, strided<[16, 2]>>, %z: memref<4x8xf32, strided<[?, 1]>>, %t: tensor<4x8xf32>) -> tensor<4x8xf32> {
  tpp.relu ins(%x : memref<2x4x8xf32>) outs(%x : memref<2x4x8xf32>)
  tpp.relu ins(%y : memref<4x8xf32, strided<[16, 2]>>) outs(%y : memref<4x8xf32, strided<[16, 2]>>)
  tpp.relu ins(%z : memref<4x8xf32, strided<[?, 1]>>) outs(%z : memref<4x8xf32, strided<[?, 1]>>)
  %r = tpp.relu ins(%t : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
