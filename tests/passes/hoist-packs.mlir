// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-hoist-packs,canonicalize,kgen-hoist-packs,canonicalize))" --split-input-file | FileCheck "%s"

// Accumulators that are packed and unpacked in each step: each run of the pass leaves one loop; in the end the pack is before both loops, the unpack after both.
// CHECK-LABEL: func.func @nested
// CHECK:       %[[PACK:.*]] = linalg.pack %arg1 inner_dims_pos = [0, 1] inner_tiles = [4, 8]
// CHECK-NEXT:  %[[OUTER:.*]] = scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %[[PACK]]) -> (tensor<2x2x4x8xf32>)
// CHECK-NEXT:    %[[INNER:.*]] = scf.for {{.*}} iter_args(%[[TILES:.*]] = %[[CARRIED]]) -> (tensor<2x2x4x8xf32>)
// CHECK-NOT:       pack
// CHECK:           %[[SUM:.*]] = linalg.add ins(%arg0, %[[TILES]] :
// CHECK:           scf.yield %[[SUM]]
// CHECK:         scf.yield %[[INNER]]
// CHECK:       linalg.unpack %[[OUTER]] {{.*}} into %arg1 : tensor<2x2x4x8xf32> -> tensor<8x16xf32>
func.func @nested(%x: tensor<2x2x4x8xf32>, %init: tensor<8x16xf32>, %n: index) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> (tensor<8x16xf32>) {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (tensor<8x16xf32>) {
      %e = tensor.empty() : tensor<2x2x4x8xf32>
      %p = linalg.pack %b inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %e : tensor<8x16xf32> -> tensor<2x2x4x8xf32>
      %t = linalg.add ins(%x, %p : tensor<2x2x4x8xf32>, tensor<2x2x4x8xf32>) outs(%e : tensor<2x2x4x8xf32>) -> tensor<2x2x4x8xf32>
      %u = linalg.unpack %t inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %b : tensor<2x2x4x8xf32> -> tensor<8x16xf32>
      scf.yield %u : tensor<8x16xf32>
    }
    scf.yield %s : tensor<8x16xf32>
  }
  return %r : tensor<8x16xf32>
}

// -----

// Another reader of the plain value, or another layout of the unpack: nothing moves.
// CHECK-LABEL: func.func @read
// CHECK:       scf.for
// CHECK:         linalg.pack
// CHECK:         linalg.unpack
// CHECK:       scf.for
// CHECK:         linalg.pack
// CHECK:         linalg.unpack
func.func @read(%x: tensor<2x2x4x8xf32>, %init: tensor<8x16xf32>, %n: index) -> (tensor<8x16xf32>, f32, tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%b = %init, %l = %zero) -> (tensor<8x16xf32>, f32) {
    %e = tensor.empty() : tensor<2x2x4x8xf32>
    %first = tensor.extract %b[%c0, %c0] : tensor<8x16xf32>
    %p = linalg.pack %b inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %e : tensor<8x16xf32> -> tensor<2x2x4x8xf32>
    %t = linalg.add ins(%x, %p : tensor<2x2x4x8xf32>, tensor<2x2x4x8xf32>) outs(%e : tensor<2x2x4x8xf32>) -> tensor<2x2x4x8xf32>
    %u = linalg.unpack %t inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %b : tensor<2x2x4x8xf32> -> tensor<8x16xf32>
    scf.yield %u, %first : tensor<8x16xf32>, f32
  }
  %square = tensor.empty() : tensor<8x8xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%b = %square) -> (tensor<8x8xf32>) {
    %e = tensor.empty() : tensor<2x2x4x4xf32>
    %p = linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<8x8xf32> -> tensor<2x2x4x4xf32>
    %t = linalg.exp ins(%p : tensor<2x2x4x4xf32>) outs(%e : tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %u = linalg.unpack %t inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %b : tensor<2x2x4x4xf32> -> tensor<8x8xf32>
    scf.yield %u : tensor<8x8xf32>
  }
  return %r#0, %r#1, %s : tensor<8x16xf32>, f32, tensor<8x8xf32>
}
