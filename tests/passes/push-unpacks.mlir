// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-push-unpacks))" | FileCheck "%s"

// A bias and a limit work on packed tiles: the bias is packed, their result unpacked once.
#rows = affine_map<(m, n) -> (m, n)>
#columns = affine_map<(m, n) -> (n)>
// CHECK-LABEL: func.func @bias
// CHECK-NOT:   linalg.unpack
// CHECK:       %[[BIAS:.*]] = linalg.pack %arg1 {{.*}} inner_tiles = [8] into %{{.*}} : tensor<32xf32> -> tensor<4x8xf32>
// CHECK:       %[[TILES:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %[[BIAS]] : tensor<4x8x4x8xf32>, tensor<4x8xf32>)
// CHECK:         arith.addf
// CHECK:         arith.maximumf
// CHECK:       linalg.unpack %[[TILES]] outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 8]
// CHECK-NOT:   linalg.unpack
func.func @bias(%p: tensor<4x8x4x8xf32>, %b: tensor<32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %u = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %e : tensor<4x8x4x8xf32> -> tensor<32x32xf32>
  %d = tensor.empty() : tensor<32x32xf32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%u, %b : tensor<32x32xf32>, tensor<32xf32>) outs(%d : tensor<32x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

// Without an elementwise operation after it, an unpack stays.
// CHECK-LABEL: func.func @alone
// CHECK:       %[[U:.*]] = linalg.unpack %arg0
// CHECK:       return %[[U]]
func.func @alone(%p: tensor<8x4x4x8xf32>) -> tensor<32x32xf32> {
  %e = tensor.empty() : tensor<32x32xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %e : tensor<8x4x4x8xf32> -> tensor<32x32xf32>
  return %u : tensor<32x32xf32>
}
