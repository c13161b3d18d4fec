// Sizes smaller than a tile: one step of each loop.
// RUN: kgen simulate "%s" --machine array-2x2 --data | FileCheck "%s"
// CHECK: Results, against reference
// CHECK: {{^}}  {{ *}}2  i32[7, 5] {{ *}}[[#]]      0  -
// CHECK: {{^}}all results agree
// CHECK-NOT: fault
#map = affine_map<(d0) -> (d0 * 32)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>
module {
  func.func @f(%arg0: memref<7x3xi32>, %arg1: memref<3x5xi32>, %arg2: memref<7x5xi32>) {
    %c0_i32 = arith.constant 0 : i32
    scf.forall (%arg3, %arg4) in (1, 1) {
      %alloc = memref.alloc() : memref<64x32xi32, 1>
      linalg.fill ins(%c0_i32 : i32) outs(%alloc : memref<64x32xi32, 1>)
      %subview = memref.subview %alloc[0, 0] [7, 3] [1, 1] : memref<64x32xi32, 1> to memref<7x3xi32, strided<[32, 1]>, 1>
      linalg.copy ins(%arg0 : memref<7x3xi32>) outs(%subview : memref<7x3xi32, strided<[32, 1]>, 1>)
      %alloc_0 = memref.alloc() : memref<32x64xi32, 1>
      linalg.fill ins(%c0_i32 : i32) outs(%alloc_0 : memref<32x64xi32, 1>)
      %subview_1 = memref.subview %alloc_0[0, 0] [3, 5] [1, 1] : memref<32x64xi32, 1> to memref<3x5xi32, strided<[64, 1]>, 1>
      linalg.copy ins(%arg1 : memref<3x5xi32>) outs(%subview_1 : memref<3x5xi32, strided<[64, 1]>, 1>)
      %alloc_2 = memref.alloc() : memref<64x64xi32, 1>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %0 = affine.apply #map(%arg5)
        %1 = affine.apply #map(%arg6)
        %subview_4 = memref.subview %alloc[%0, 0] [32, 32] [1, 1] : memref<64x32xi32, 1> to memref<32x32xi32, strided<[32, 1], offset: ?>, 1>
        %subview_5 = memref.subview %alloc_0[0, %1] [32, 32] [1, 1] : memref<32x64xi32, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
        %subview_6 = memref.subview %alloc_2[%0, %1] [32, 32] [1, 1] : memref<64x64xi32, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
        %alloc_7 = memref.alloc() : memref<4x8x4x8xi32, 2>
        %expand_shape = memref.expand_shape %subview_4 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[32, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[128, 32, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%expand_shape : memref<8x4x4x8xi32, strided<[128, 32, 8, 1], offset: ?>, 1>) outs(%alloc_7 : memref<4x8x4x8xi32, 2>) permutation = [2, 0, 1, 3] 
        %alloc_8 = memref.alloc() : memref<4x4x8x8xi32, 2>
        %expand_shape_9 = memref.expand_shape %subview_5 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[512, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%expand_shape_9 : memref<4x8x4x8xi32, strided<[512, 64, 8, 1], offset: ?>, 1>) outs(%alloc_8 : memref<4x4x8x8xi32, 2>) permutation = [2, 0, 1, 3] 
        %alloc_10 = memref.alloc() : memref<4x8x4x8xi32, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%alloc_10 : memref<4x8x4x8xi32, 2>)
        linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_7, %alloc_8 : memref<4x8x4x8xi32, 2>, memref<4x4x8x8xi32, 2>) outs(%alloc_10 : memref<4x8x4x8xi32, 2>) {
        ^bb0(%in: i32, %in_12: i32, %out: i32):
          %2 = arith.muli %in, %in_12 : i32
          %3 = arith.addi %out, %2 : i32
          linalg.yield %3 : i32
        }
        %expand_shape_11 = memref.expand_shape %subview_6 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_10 : memref<4x8x4x8xi32, 2>) outs(%expand_shape_11 : memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_3 = memref.subview %alloc_2[0, 0] [7, 5] [1, 1] : memref<64x64xi32, 1> to memref<7x5xi32, strided<[64, 1]>, 1>
      memref.copy %subview_3, %arg2 : memref<7x5xi32, strided<[64, 1]>, 1> to memref<7x5xi32>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    return
  }
  func.func @reference(%arg0: memref<7x3xi32>, %arg1: memref<3x5xi32>, %arg2: memref<7x5xi32>) {
    %c0_i32 = arith.constant 0 : i32
    linalg.fill ins(%c0_i32 : i32) outs(%arg2 : memref<7x5xi32>)
    linalg.matmul ins(%arg0, %arg1 : memref<7x3xi32>, memref<3x5xi32>) outs(%arg2 : memref<7x5xi32>)
    return
  }
}
// REQUIRES: machines
