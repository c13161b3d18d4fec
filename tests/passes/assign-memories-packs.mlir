// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-assign-memories,canonicalize))" --split-input-file | FileCheck "%s"

// CHECK-LABEL: func.func @pack
// CHECK:       %[[S:.*]] = tensor.extract_slice %arg0
// CHECK:       %[[VIEW:.*]] = tensor.expand_shape %[[S]] {{\[}}[0, 1], [2, 3]{{\]}} output_shape [8, 4, 4, 8] : tensor<32x32xi32> into tensor<8x4x4x8xi32>
// CHECK-NEXT:  linalg.transpose ins(%[[VIEW]] : tensor<8x4x4x8xi32>) outs(%{{.*}} : tensor<4x8x4x8xi32>) permutation = [2, 0, 1, 3]
// CHECK-NOT:   linalg.pack
func.func @pack(%a: tensor<64x32xi32>, %out: tensor<8x8x4x8xi32>) -> tensor<8x8x4x8xi32> {
  %r = scf.forall (%i) in (2) shared_outs(%o = %out) -> (tensor<8x8x4x8xi32>) {
    %at = affine.apply affine_map<(d) -> (d * 32)>(%i)
    %to = affine.apply affine_map<(d) -> (d * 4)>(%i)
    %s = tensor.extract_slice %a[%at, 0] [32, 32] [1, 1] : tensor<64x32xi32> to tensor<32x32xi32>
    %l1 = bufferization.alloc_tensor() {memory_space = 2 : i64} : tensor<4x8x4x8xi32>
    %p = linalg.pack %s outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %l1 : tensor<32x32xi32> -> tensor<4x8x4x8xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%to, 0, 0, 0] [4, 8, 4, 8] [1, 1, 1, 1] : tensor<4x8x4x8xi32> into tensor<8x8x4x8xi32>
    }
  } {mapping = [#gpu.thread<x>]}
  return %r : tensor<8x8x4x8xi32>
}

// -----

// An unpack overwrites all of its destination: a fill in front of it goes.
// CHECK-LABEL: func.func @unpack
// CHECK:       %[[OUT:.*]] = tensor.extract_slice
// CHECK-NOT:   linalg.fill
// CHECK:       %[[VIEW:.*]] = tensor.expand_shape %[[OUT]] {{\[}}[0, 1], [2, 3]{{\]}} output_shape [8, 4, 2, 8]
// CHECK-NEXT:  %[[T:.*]] = linalg.transpose ins(%{{.*}} : tensor<2x8x4x8xi32>) outs(%[[VIEW]] : tensor<8x4x2x8xi32>) permutation = [1, 2, 0, 3]
// CHECK-NEXT:  tensor.collapse_shape %[[T]] {{\[}}[0, 1], [2, 3]{{\]}} : tensor<8x4x2x8xi32> into tensor<32x16xi32>
func.func @unpack(%p: tensor<2x8x4x8xi32>, %out: tensor<32x32xi32>) -> tensor<32x32xi32> {
  %zero = arith.constant 0 : i32
  %r = scf.forall (%i) in (2) shared_outs(%o = %out) -> (tensor<32x32xi32>) {
    %at = affine.apply affine_map<(d) -> (d * 16)>(%i)
    %s = tensor.extract_slice %o[0, %at] [32, 16] [1, 1] : tensor<32x32xi32> to tensor<32x16xi32>
    %f = linalg.fill ins(%zero : i32) outs(%s : tensor<32x16xi32>) -> tensor<32x16xi32>
    %u = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %f : tensor<2x8x4x8xi32> -> tensor<32x16xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %o[0, %at] [32, 16] [1, 1] : tensor<32x16xi32> into tensor<32x32xi32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<32x32xi32>
}

// -----

// Only one dimension has tiles.
// CHECK-LABEL: func.func @columns
// CHECK:       tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2]{{\]}} output_shape [3, 4, 8] : tensor<3x32xf32> into tensor<3x4x8xf32>
// CHECK-NEXT:  linalg.transpose {{.*}} outs(%{{.*}} : tensor<4x3x8xf32>) permutation = [1, 0, 2]
func.func @columns(%a: tensor<3x32xf32>, %out: tensor<1x4x3x8xf32>) -> tensor<1x4x3x8xf32> {
  %r = scf.forall (%i) in (1) shared_outs(%o = %out) -> (tensor<1x4x3x8xf32>) {
    %l1 = bufferization.alloc_tensor() {memory_space = 2 : i64} : tensor<4x3x8xf32>
    %p = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [8] into %l1 : tensor<3x32xf32> -> tensor<4x3x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i, 0, 0, 0] [1, 4, 3, 8] [1, 1, 1, 1] : tensor<4x3x8xf32> into tensor<1x4x3x8xf32>
    }
  } {mapping = [#gpu.thread<x>]}
  return %r : tensor<1x4x3x8xf32>
}

// -----

// A pack of no schedule is kgen-lower-packs' work, whatever its tiles.
// CHECK-LABEL: func.func @elsewhere
// CHECK:       linalg.pack
func.func @elsewhere(%a: tensor<6x32xf32>, %e: tensor<6x2x16xf32>) -> tensor<6x2x16xf32> {
  %p = linalg.pack %a inner_dims_pos = [1] inner_tiles = [16] into %e : tensor<6x32xf32> -> tensor<6x2x16xf32>
  return %p : tensor<6x2x16xf32>
}
