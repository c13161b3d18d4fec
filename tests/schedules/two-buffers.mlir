// Two buffers at each level: the copies of the next step, then the products of this one.
// RUN: kgen simulate "%s" --machine array-2x2 --data | FileCheck "%s"
// CHECK: {{^}}f on array-2x2, 2x2 cores: 86016 cycles
// CHECK: Results, against reference
// CHECK: {{^}}  {{ *}}2  i32[128, 128] {{ *}}[[#]]      0  -
// CHECK: {{^}}all results agree
// CHECK-NOT: fault
#map = affine_map<(d0) -> (d0 * 64)>
#map1 = affine_map<(d0) -> (d0 * 4)>
#map2 = affine_map<(d0) -> (d0 * 8)>
#map3 = affine_map<(d0) -> (d0 * 32)>
#map4 = affine_map<(d0) -> ((d0 floordiv 4) mod 2)>
#map5 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>
#map6 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>
#map7 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>
module {
  func.func @f(%arg0: memref<128x512xi32>, %arg1: memref<512x128xi32>, %arg2: memref<128x128xi32>) {
    %c28 = arith.constant 28 : index
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    scf.forall (%arg3, %arg4) in (2, 2) {
      %0 = affine.apply #map(%arg3)
      %1 = affine.apply #map(%arg4)
      %alloc = memref.alloc() : memref<8x16x4x8xi32, 2>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %2 = affine.apply #map1(%arg5)
        %3 = affine.apply #map2(%arg6)
        %subview_11 = memref.subview %alloc[%2, %3, 0, 0] [4, 8, 4, 8] [1, 1, 1, 1] : memref<8x16x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%subview_11 : memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>)
      } {mapping = [#gpu.thread<x>, #gpu.thread<y>]}
      %alloc_0 = memref.alloc() : memref<2x64x256xi32, 1>
      %alloc_1 = memref.alloc() : memref<2x256x64xi32, 1>
      %subview = memref.subview %alloc_1[0, 0, 0] [1, 256, 64] [1, 1, 1] : memref<2x256x64xi32, 1> to memref<256x64xi32, strided<[64, 1]>, 1>
      %subview_2 = memref.subview %alloc_0[0, 0, 0] [1, 64, 256] [1, 1, 1] : memref<2x64x256xi32, 1> to memref<64x256xi32, strided<[256, 1]>, 1>
      %subview_3 = memref.subview %arg0[%0, 0] [64, 256] [1, 1] : memref<128x512xi32> to memref<64x256xi32, strided<[512, 1], offset: ?>>
      linalg.copy ins(%subview_3 : memref<64x256xi32, strided<[512, 1], offset: ?>>) outs(%subview_2 : memref<64x256xi32, strided<[256, 1]>, 1>)
      %subview_4 = memref.subview %arg1[0, %1] [256, 64] [1, 1] : memref<512x128xi32> to memref<256x64xi32, strided<[128, 1], offset: ?>>
      linalg.copy ins(%subview_4 : memref<256x64xi32, strided<[128, 1], offset: ?>>) outs(%subview : memref<256x64xi32, strided<[64, 1]>, 1>)
      %subview_5 = memref.subview %alloc_1[1, 0, 0] [1, 256, 64] [1, 1, 1] : memref<2x256x64xi32, 1> to memref<256x64xi32, strided<[64, 1], offset: 16384>, 1>
      %subview_6 = memref.subview %alloc_0[1, 0, 0] [1, 64, 256] [1, 1, 1] : memref<2x64x256xi32, 1> to memref<64x256xi32, strided<[256, 1], offset: 16384>, 1>
      %subview_7 = memref.subview %arg0[%0, 256] [64, 256] [1, 1] : memref<128x512xi32> to memref<64x256xi32, strided<[512, 1], offset: ?>>
      linalg.copy ins(%subview_7 : memref<64x256xi32, strided<[512, 1], offset: ?>>) outs(%subview_6 : memref<64x256xi32, strided<[256, 1], offset: 16384>, 1>)
      %subview_8 = memref.subview %arg1[256, %1] [256, 64] [1, 1] : memref<512x128xi32> to memref<256x64xi32, strided<[128, 1], offset: ?>>
      linalg.copy ins(%subview_8 : memref<256x64xi32, strided<[128, 1], offset: ?>>) outs(%subview_5 : memref<256x64xi32, strided<[64, 1], offset: 16384>, 1>)
      scf.forall (%arg5, %arg6) in (2, 2) {
        %2 = affine.apply #map2(%arg5)
        %3 = affine.apply #map1(%arg6)
        %subview_11 = memref.subview %alloc[%3, %2, 0, 0] [4, 8, 4, 8] [1, 1, 1, 1] : memref<8x16x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>
        %alloc_12 = memref.alloc() : memref<2x4x8x4x8xi32, 2>
        %alloc_13 = memref.alloc() : memref<2x4x4x8x8xi32, 2>
        %subview_14 = memref.subview %alloc_13[0, 0, 0, 0, 0] [1, 4, 4, 8, 8] [1, 1, 1, 1, 1] : memref<2x4x4x8x8xi32, 2> to memref<4x4x8x8xi32, strided<[256, 64, 8, 1]>, 2>
        %cast = memref.cast %subview_14 : memref<4x4x8x8xi32, strided<[256, 64, 8, 1]>, 2> to memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>
        %subview_15 = memref.subview %alloc_12[0, 0, 0, 0, 0] [1, 4, 8, 4, 8] [1, 1, 1, 1, 1] : memref<2x4x8x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1]>, 2>
        %cast_16 = memref.cast %subview_15 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1]>, 2> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>
        %4 = affine.apply #map3(%arg5)
        %subview_17 = memref.subview %subview_2[%4, 0] [32, 32] [1, 1] : memref<64x256xi32, strided<[256, 1]>, 1> to memref<32x32xi32, strided<[256, 1], offset: ?>, 1>
        %expand_shape = memref.expand_shape %subview_17 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%expand_shape : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%cast_16 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
        %5 = affine.apply #map3(%arg6)
        %subview_18 = memref.subview %subview[0, %5] [32, 32] [1, 1] : memref<256x64xi32, strided<[64, 1]>, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
        %expand_shape_19 = memref.expand_shape %subview_18 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[512, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%expand_shape_19 : memref<4x8x4x8xi32, strided<[512, 64, 8, 1], offset: ?>, 1>) outs(%cast : memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
        %6:2 = scf.for %arg7 = %c0 to %c28 step %c4 iter_args(%arg8 = %cast_16, %arg9 = %cast) -> (memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) {
          %7 = arith.addi %arg7, %c4 : index
          %8 = affine.apply #map4(%7)
          %subview_20 = memref.subview %alloc_13[%8, 0, 0, 0, 0] [1, 4, 4, 8, 8] [1, 1, 1, 1, 1] : memref<2x4x4x8x8xi32, 2> to memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>
          %subview_21 = memref.subview %alloc_12[%8, 0, 0, 0, 0] [1, 4, 8, 4, 8] [1, 1, 1, 1, 1] : memref<2x4x8x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>
          %9 = affine.apply #map2(%7)
          %subview_22 = memref.subview %subview_2[%4, %9] [32, 32] [1, 1] : memref<64x256xi32, strided<[256, 1]>, 1> to memref<32x32xi32, strided<[256, 1], offset: ?>, 1>
          %expand_shape_23 = memref.expand_shape %subview_22 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_23 : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%subview_21 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          %subview_24 = memref.subview %subview[%9, %5] [32, 32] [1, 1] : memref<256x64xi32, strided<[64, 1]>, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
          %expand_shape_25 = memref.expand_shape %subview_24 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[512, 64, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_25 : memref<4x8x4x8xi32, strided<[512, 64, 8, 1], offset: ?>, 1>) outs(%subview_20 : memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%arg8, %arg9 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) outs(%subview_11 : memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>) {
          ^bb0(%in: i32, %in_26: i32, %out: i32):
            %10 = arith.muli %in, %in_26 : i32
            %11 = arith.addi %out, %10 : i32
            linalg.yield %11 : i32
          }
          scf.yield %subview_21, %subview_20 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>
        }
        linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%6#0, %6#1 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) outs(%subview_11 : memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>) {
        ^bb0(%in: i32, %in_20: i32, %out: i32):
          %7 = arith.muli %in, %in_20 : i32
          %8 = arith.addi %out, %7 : i32
          linalg.yield %8 : i32
        }
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      scf.forall (%arg5, %arg6) in (2, 2) {
        %2 = affine.apply #map2(%arg5)
        %3 = affine.apply #map1(%arg6)
        %subview_11 = memref.subview %alloc[%3, %2, 0, 0] [4, 8, 4, 8] [1, 1, 1, 1] : memref<8x16x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>
        %alloc_12 = memref.alloc() : memref<2x4x8x4x8xi32, 2>
        %alloc_13 = memref.alloc() : memref<2x4x4x8x8xi32, 2>
        %subview_14 = memref.subview %alloc_13[0, 0, 0, 0, 0] [1, 4, 4, 8, 8] [1, 1, 1, 1, 1] : memref<2x4x4x8x8xi32, 2> to memref<4x4x8x8xi32, strided<[256, 64, 8, 1]>, 2>
        %cast = memref.cast %subview_14 : memref<4x4x8x8xi32, strided<[256, 64, 8, 1]>, 2> to memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>
        %subview_15 = memref.subview %alloc_12[0, 0, 0, 0, 0] [1, 4, 8, 4, 8] [1, 1, 1, 1, 1] : memref<2x4x8x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1]>, 2>
        %cast_16 = memref.cast %subview_15 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1]>, 2> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>
        %4 = affine.apply #map3(%arg5)
        %subview_17 = memref.subview %subview_6[%4, 0] [32, 32] [1, 1] : memref<64x256xi32, strided<[256, 1], offset: 16384>, 1> to memref<32x32xi32, strided<[256, 1], offset: ?>, 1>
        %expand_shape = memref.expand_shape %subview_17 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%expand_shape : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%cast_16 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
        %5 = affine.apply #map3(%arg6)
        %subview_18 = memref.subview %subview_5[0, %5] [32, 32] [1, 1] : memref<256x64xi32, strided<[64, 1], offset: 16384>, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
        %expand_shape_19 = memref.expand_shape %subview_18 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[512, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%expand_shape_19 : memref<4x8x4x8xi32, strided<[512, 64, 8, 1], offset: ?>, 1>) outs(%cast : memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
        %6:2 = scf.for %arg7 = %c0 to %c28 step %c4 iter_args(%arg8 = %cast_16, %arg9 = %cast) -> (memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) {
          %7 = arith.addi %arg7, %c4 : index
          %8 = affine.apply #map4(%7)
          %subview_20 = memref.subview %alloc_13[%8, 0, 0, 0, 0] [1, 4, 4, 8, 8] [1, 1, 1, 1, 1] : memref<2x4x4x8x8xi32, 2> to memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>
          %subview_21 = memref.subview %alloc_12[%8, 0, 0, 0, 0] [1, 4, 8, 4, 8] [1, 1, 1, 1, 1] : memref<2x4x8x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>
          %9 = affine.apply #map2(%7)
          %subview_22 = memref.subview %subview_6[%4, %9] [32, 32] [1, 1] : memref<64x256xi32, strided<[256, 1], offset: 16384>, 1> to memref<32x32xi32, strided<[256, 1], offset: ?>, 1>
          %expand_shape_23 = memref.expand_shape %subview_22 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_23 : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%subview_21 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          %subview_24 = memref.subview %subview_5[%9, %5] [32, 32] [1, 1] : memref<256x64xi32, strided<[64, 1], offset: 16384>, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
          %expand_shape_25 = memref.expand_shape %subview_24 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[512, 64, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_25 : memref<4x8x4x8xi32, strided<[512, 64, 8, 1], offset: ?>, 1>) outs(%subview_20 : memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%arg8, %arg9 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) outs(%subview_11 : memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>) {
          ^bb0(%in: i32, %in_26: i32, %out: i32):
            %10 = arith.muli %in, %in_26 : i32
            %11 = arith.addi %out, %10 : i32
            linalg.yield %11 : i32
          }
          scf.yield %subview_21, %subview_20 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>
        }
        linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%6#0, %6#1 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) outs(%subview_11 : memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>) {
        ^bb0(%in: i32, %in_20: i32, %out: i32):
          %7 = arith.muli %in, %in_20 : i32
          %8 = arith.addi %out, %7 : i32
          linalg.yield %8 : i32
        }
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %alloc_9 = memref.alloc() : memref<64x64xi32, 1>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %2 = affine.apply #map3(%arg5)
        %3 = affine.apply #map3(%arg6)
        %4 = affine.apply #map2(%arg5)
        %5 = affine.apply #map1(%arg6)
        %subview_11 = memref.subview %alloc[%5, %4, 0, 0] [4, 8, 4, 8] [1, 1, 1, 1] : memref<8x16x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>
        %subview_12 = memref.subview %alloc_9[%2, %3] [32, 32] [1, 1] : memref<64x64xi32, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
        %expand_shape = memref.expand_shape %subview_12 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%subview_11 : memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>) outs(%expand_shape : memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_10 = memref.subview %arg2[%0, %1] [64, 64] [1, 1] : memref<128x128xi32> to memref<64x64xi32, strided<[128, 1], offset: ?>>
      memref.copy %alloc_9, %subview_10 : memref<64x64xi32, 1> to memref<64x64xi32, strided<[128, 1], offset: ?>>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    return
  }
  func.func @reference(%arg0: memref<128x512xi32>, %arg1: memref<512x128xi32>, %arg2: memref<128x128xi32>) {
    %c0_i32 = arith.constant 0 : i32
    linalg.fill ins(%c0_i32 : i32) outs(%arg2 : memref<128x128xi32>)
    linalg.matmul ins(%arg0, %arg1 : memref<128x512xi32>, memref<512x128xi32>) outs(%arg2 : memref<128x128xi32>)
    return
  }
}
// REQUIRES: machines
