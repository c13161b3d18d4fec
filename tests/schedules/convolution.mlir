// A convolution of 3x3: rows of images with their borders in L2, channels streamed into L1.
// RUN: kgen simulate "%s" --machine array-2x2 --data | FileCheck "%s"
// CHECK: {{^}}  L3    L2  4143104
// CHECK: {{^}}  L2    L1  9117696
// CHECK: Results, against reference
// CHECK: {{^}}  {{ *}}2  i32[1, 56, 56, 128] {{ *}}[[#]]      0  -
// CHECK: {{^}}all results agree
// CHECK-NOT: fault
#map = affine_map<(d0) -> (d0 * 8)>
#map1 = affine_map<(d0) -> (d0 * 64)>
#map2 = affine_map<(d0) -> (d0 * 4)>
#map3 = affine_map<(d0) -> (d0 * 32)>
#map4 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d6, d1 + d4, d2 + d5, d8)>
#map5 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d3, d6, d4, d5, d8, d7)>
#map6 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d3, d1, d2, d7)>
module {
  func.func @f(%arg0: memref<1x58x58x64xi32>, %arg1: memref<3x3x64x128xi32>, %arg2: memref<1x56x56x128xi32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    scf.forall (%arg3, %arg4) in (7, 2) {
      %0 = affine.apply #map(%arg3)
      %1 = affine.apply #map1(%arg4)
      %subview = memref.subview %arg0[0, %0, 0, 0] [1, 10, 58, 64] [1, 1, 1, 1] : memref<1x58x58x64xi32> to memref<1x10x58x64xi32, strided<[215296, 3712, 64, 1], offset: ?>>
      %subview_0 = memref.subview %arg1[0, 0, 0, %1] [3, 3, 64, 64] [1, 1, 1, 1] : memref<3x3x64x128xi32> to memref<3x3x64x64xi32, strided<[24576, 8192, 128, 1], offset: ?>>
      %alloc = memref.alloc() : memref<1x10x58x64xi32, 1>
      linalg.copy ins(%subview : memref<1x10x58x64xi32, strided<[215296, 3712, 64, 1], offset: ?>>) outs(%alloc : memref<1x10x58x64xi32, 1>)
      %alloc_1 = memref.alloc() : memref<3x3x64x64xi32, 1>
      linalg.copy ins(%subview_0 : memref<3x3x64x64xi32, strided<[24576, 8192, 128, 1], offset: ?>>) outs(%alloc_1 : memref<3x3x64x64xi32, 1>)
      %alloc_2 = memref.alloc() : memref<1x8x56x64xi32, 1>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %2 = affine.apply #map2(%arg5)
        %3 = affine.apply #map3(%arg6)
        %subview_4 = memref.subview %alloc_2[0, %2, 0, %3] [1, 4, 56, 32] [1, 1, 1, 1] : memref<1x8x56x64xi32, 1> to memref<1x4x56x32xi32, strided<[28672, 3584, 64, 1], offset: ?>, 1>
        %alloc_5 = memref.alloc() : memref<1x4x4x56x8xi32, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%alloc_5 : memref<1x4x4x56x8xi32, 2>)
        scf.for %arg7 = %c0 to %c8 step %c1 {
          %4 = affine.apply #map(%arg7)
          %subview_6 = memref.subview %alloc[0, %2, 0, %4] [1, 6, 58, 8] [1, 1, 1, 1] : memref<1x10x58x64xi32, 1> to memref<1x6x58x8xi32, strided<[37120, 3712, 64, 1], offset: ?>, 1>
          %alloc_7 = memref.alloc() : memref<1x1x6x58x8xi32, 2>
          %expand_shape_8 = memref.expand_shape %subview_6 [[0], [1], [2], [3, 4]] output_shape [1, 6, 58, 1, 8] : memref<1x6x58x8xi32, strided<[37120, 3712, 64, 1], offset: ?>, 1> into memref<1x6x58x1x8xi32, strided<[37120, 3712, 64, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_8 : memref<1x6x58x1x8xi32, strided<[37120, 3712, 64, 8, 1], offset: ?>, 1>) outs(%alloc_7 : memref<1x1x6x58x8xi32, 2>) permutation = [0, 3, 1, 2, 4] 
          %subview_9 = memref.subview %alloc_1[0, 0, %4, %3] [3, 3, 8, 32] [1, 1, 1, 1] : memref<3x3x64x64xi32, 1> to memref<3x3x8x32xi32, strided<[12288, 4096, 64, 1], offset: ?>, 1>
          %alloc_10 = memref.alloc() : memref<4x1x3x3x8x8xi32, 2>
          %expand_shape_11 = memref.expand_shape %subview_9 [[0], [1], [2, 3], [4, 5]] output_shape [3, 3, 1, 8, 4, 8] : memref<3x3x8x32xi32, strided<[12288, 4096, 64, 1], offset: ?>, 1> into memref<3x3x1x8x4x8xi32, strided<[12288, 4096, 512, 64, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_11 : memref<3x3x1x8x4x8xi32, strided<[12288, 4096, 512, 64, 8, 1], offset: ?>, 1>) outs(%alloc_10 : memref<4x1x3x3x8x8xi32, 2>) permutation = [4, 2, 0, 1, 3, 5] 
          linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "parallel", "reduction"]} ins(%alloc_7, %alloc_10 : memref<1x1x6x58x8xi32, 2>, memref<4x1x3x3x8x8xi32, 2>) outs(%alloc_5 : memref<1x4x4x56x8xi32, 2>) {
          ^bb0(%in: i32, %in_12: i32, %out: i32):
            %5 = arith.muli %in, %in_12 : i32
            %6 = arith.addi %out, %5 : i32
            linalg.yield %6 : i32
          }
        }
        %expand_shape = memref.expand_shape %subview_4 [[0], [1], [2], [3, 4]] output_shape [1, 4, 56, 4, 8] : memref<1x4x56x32xi32, strided<[28672, 3584, 64, 1], offset: ?>, 1> into memref<1x4x56x4x8xi32, strided<[28672, 3584, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_5 : memref<1x4x4x56x8xi32, 2>) outs(%expand_shape : memref<1x4x56x4x8xi32, strided<[28672, 3584, 64, 8, 1], offset: ?>, 1>) permutation = [0, 2, 3, 1, 4] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_3 = memref.subview %arg2[0, %0, 0, %1] [1, 8, 56, 64] [1, 1, 1, 1] : memref<1x56x56x128xi32> to memref<1x8x56x64xi32, strided<[401408, 7168, 128, 1], offset: ?>>
      memref.copy %alloc_2, %subview_3 : memref<1x8x56x64xi32, 1> to memref<1x8x56x64xi32, strided<[401408, 7168, 128, 1], offset: ?>>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    return
  }
  func.func @reference(%arg0: memref<1x58x58x64xi32>, %arg1: memref<3x3x64x128xi32>, %arg2: memref<1x56x56x128xi32>) {
    %c0_i32 = arith.constant 0 : i32
    linalg.fill ins(%c0_i32 : i32) outs(%arg2 : memref<1x56x56x128xi32>)
    linalg.conv_2d_nhwc_hwcf ins(%arg0, %arg1 : memref<1x58x58x64xi32>, memref<3x3x64x128xi32>) outs(%arg2 : memref<1x56x56x128xi32>)
    return
  }
}
// REQUIRES: machines
