// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-unfold-unpacks))" | FileCheck "%s"

// 71 rows of 72 that are in tiles of 4, 29 columns of 32 in tiles of 8.
// CHECK-LABEL: func.func @part
// CHECK:       %[[EMPTY:.*]] = tensor.empty() : tensor<72x32xi32>
// CHECK:       %[[ALL:.*]] = linalg.unpack %arg0 outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %[[EMPTY]] {kgen.memory = 1 : i64} : tensor<4x18x4x8xi32> -> tensor<72x32xi32>
// CHECK:       %[[PART:.*]] = tensor.extract_slice %[[ALL]][0, 0] [71, 29] [1, 1]
// CHECK:       return %[[PART]]
func.func @part(%tiles: tensor<4x18x4x8xi32>, %dest: tensor<71x29xi32>) -> tensor<71x29xi32> {
  %u = linalg.unpack %tiles outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %dest {kgen.memory = 1 : i64}
    : tensor<4x18x4x8xi32> -> tensor<71x29xi32>
  return %u : tensor<71x29xi32>
}

// CHECK-LABEL: func.func @whole
// CHECK-NEXT:  linalg.unpack %arg0 {{.*}} into %arg1
func.func @whole(%tiles: tensor<4x18x4x8xi32>, %dest: tensor<72x32xi32>) -> tensor<72x32xi32> {
  %u = linalg.unpack %tiles outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %dest
    : tensor<4x18x4x8xi32> -> tensor<72x32xi32>
  return %u : tensor<72x32xi32>
}

// CHECK-LABEL: func.func @unknown
// CHECK-NEXT:  linalg.unpack %arg0 {{.*}} into %arg1
func.func @unknown(%tiles: tensor<4x?x4x8xi32>, %dest: tensor<?x29xi32>) -> tensor<?x29xi32> {
  %u = linalg.unpack %tiles outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %dest
    : tensor<4x?x4x8xi32> -> tensor<?x29xi32>
  return %u : tensor<?x29xi32>
}
