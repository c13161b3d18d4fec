// The same size in large blocks with two buffers.
// RUN: kgen simulate "%s" --machine array-2x2 --data | FileCheck "%s"
// CHECK: Results, against reference
// CHECK: {{^}}  {{ *}}2  i32[130, 70] {{ *}}[[#]]      0  -
// CHECK: {{^}}all results agree
// CHECK-NOT: fault
#map = affine_map<(d0) -> (d0 * 8)>
#map1 = affine_map<(d0) -> (d0 * 32)>
#map2 = affine_map<(d0) -> ((d0 floordiv 8) mod 2)>
#map3 = affine_map<(d0) -> (d0 * -8 + 300, 64)>
#map4 = affine_map<(d0) -> (d0 * 128)>
#map5 = affine_map<(d0) -> (d0 * 64)>
#map6 = affine_map<(d0) -> ((d0 floordiv 2) mod 2)>
#map7 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>
#map8 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>
#map9 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>
module {
  func.func @f(%arg0: memref<130x300xi32>, %arg1: memref<300x70xi32>, %arg2: memref<130x70xi32>) {
    %c6 = arith.constant 6 : index
    %c32 = arith.constant 32 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    scf.forall (%arg3, %arg4) in (1, 1) {
      %alloc = memref.alloc() : memref<16x64x4x8xi32, 2>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %1 = affine.apply #map(%arg5)
        %2 = affine.apply #map1(%arg6)
        %subview_10 = memref.subview %alloc[%1, %2, 0, 0] [8, 32, 4, 8] [1, 1, 1, 1] : memref<16x64x4x8xi32, 2> to memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%subview_10 : memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>)
      } {mapping = [#gpu.thread<x>, #gpu.thread<y>]}
      %alloc_0 = memref.alloc() : memref<2x256x64xi32, 1>
      %alloc_1 = memref.alloc() : memref<2x64x128xi32, 1>
      %subview = memref.subview %alloc_1[0, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xi32, 1> to memref<64x128xi32, strided<[128, 1]>, 1>
      %cast = memref.cast %subview : memref<64x128xi32, strided<[128, 1]>, 1> to memref<64x128xi32, strided<[128, 1], offset: ?>, 1>
      %subview_2 = memref.subview %alloc_0[0, 0, 0] [1, 256, 64] [1, 1, 1] : memref<2x256x64xi32, 1> to memref<256x64xi32, strided<[64, 1]>, 1>
      %cast_3 = memref.cast %subview_2 : memref<256x64xi32, strided<[64, 1]>, 1> to memref<256x64xi32, strided<[64, 1], offset: ?>, 1>
      %subview_4 = memref.subview %arg0[0, 0] [130, 64] [1, 1] : memref<130x300xi32> to memref<130x64xi32, strided<[300, 1]>>
      linalg.fill ins(%c0_i32 : i32) outs(%subview_2 : memref<256x64xi32, strided<[64, 1]>, 1>)
      %subview_5 = memref.subview %subview_2[0, 0] [130, 64] [1, 1] : memref<256x64xi32, strided<[64, 1]>, 1> to memref<130x64xi32, strided<[64, 1]>, 1>
      linalg.copy ins(%subview_4 : memref<130x64xi32, strided<[300, 1]>>) outs(%subview_5 : memref<130x64xi32, strided<[64, 1]>, 1>)
      %subview_6 = memref.subview %arg1[0, 0] [64, 70] [1, 1] : memref<300x70xi32> to memref<64x70xi32, strided<[70, 1]>>
      linalg.fill ins(%c0_i32 : i32) outs(%subview : memref<64x128xi32, strided<[128, 1]>, 1>)
      %subview_7 = memref.subview %subview[0, 0] [64, 70] [1, 1] : memref<64x128xi32, strided<[128, 1]>, 1> to memref<64x70xi32, strided<[128, 1]>, 1>
      linalg.copy ins(%subview_6 : memref<64x70xi32, strided<[70, 1]>>) outs(%subview_7 : memref<64x70xi32, strided<[128, 1]>, 1>)
      %0:2 = scf.for %arg5 = %c0 to %c32 step %c8 iter_args(%arg6 = %cast_3, %arg7 = %cast) -> (memref<256x64xi32, strided<[64, 1], offset: ?>, 1>, memref<64x128xi32, strided<[128, 1], offset: ?>, 1>) {
        %1 = arith.addi %arg5, %c8 : index
        %2 = affine.apply #map2(%1)
        %subview_10 = memref.subview %alloc_1[%2, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xi32, 1> to memref<64x128xi32, strided<[128, 1], offset: ?>, 1>
        %subview_11 = memref.subview %alloc_0[%2, 0, 0] [1, 256, 64] [1, 1, 1] : memref<2x256x64xi32, 1> to memref<256x64xi32, strided<[64, 1], offset: ?>, 1>
        %3 = affine.apply #map(%1)
        %4 = affine.min #map3(%1)
        %subview_12 = memref.subview %arg0[0, %3] [130, %4] [1, 1] : memref<130x300xi32> to memref<130x?xi32, strided<[300, 1], offset: ?>>
        linalg.fill ins(%c0_i32 : i32) outs(%subview_11 : memref<256x64xi32, strided<[64, 1], offset: ?>, 1>)
        %subview_13 = memref.subview %subview_11[0, 0] [130, %4] [1, 1] : memref<256x64xi32, strided<[64, 1], offset: ?>, 1> to memref<130x?xi32, strided<[64, 1], offset: ?>, 1>
        linalg.copy ins(%subview_12 : memref<130x?xi32, strided<[300, 1], offset: ?>>) outs(%subview_13 : memref<130x?xi32, strided<[64, 1], offset: ?>, 1>)
        %subview_14 = memref.subview %arg1[%3, 0] [%4, 70] [1, 1] : memref<300x70xi32> to memref<?x70xi32, strided<[70, 1], offset: ?>>
        linalg.fill ins(%c0_i32 : i32) outs(%subview_10 : memref<64x128xi32, strided<[128, 1], offset: ?>, 1>)
        %subview_15 = memref.subview %subview_10[0, 0] [%4, 70] [1, 1] : memref<64x128xi32, strided<[128, 1], offset: ?>, 1> to memref<?x70xi32, strided<[128, 1], offset: ?>, 1>
        linalg.copy ins(%subview_14 : memref<?x70xi32, strided<[70, 1], offset: ?>>) outs(%subview_15 : memref<?x70xi32, strided<[128, 1], offset: ?>, 1>)
        scf.forall (%arg8, %arg9) in (2, 2) {
          %5 = affine.apply #map1(%arg8)
          %6 = affine.apply #map(%arg9)
          %subview_16 = memref.subview %alloc[%6, %5, 0, 0] [8, 32, 4, 8] [1, 1, 1, 1] : memref<16x64x4x8xi32, 2> to memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>
          %alloc_17 = memref.alloc() : memref<2x2x32x4x8xi32, 2>
          %alloc_18 = memref.alloc() : memref<2x8x2x8x8xi32, 2>
          %subview_19 = memref.subview %alloc_18[0, 0, 0, 0, 0] [1, 8, 2, 8, 8] [1, 1, 1, 1, 1] : memref<2x8x2x8x8xi32, 2> to memref<8x2x8x8xi32, strided<[128, 64, 8, 1]>, 2>
          %cast_20 = memref.cast %subview_19 : memref<8x2x8x8xi32, strided<[128, 64, 8, 1]>, 2> to memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>
          %subview_21 = memref.subview %alloc_17[0, 0, 0, 0, 0] [1, 2, 32, 4, 8] [1, 1, 1, 1, 1] : memref<2x2x32x4x8xi32, 2> to memref<2x32x4x8xi32, strided<[1024, 32, 8, 1]>, 2>
          %cast_22 = memref.cast %subview_21 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1]>, 2> to memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>
          %7 = affine.apply #map4(%arg8)
          %subview_23 = memref.subview %arg6[%7, 0] [128, 16] [1, 1] : memref<256x64xi32, strided<[64, 1], offset: ?>, 1> to memref<128x16xi32, strided<[64, 1], offset: ?>, 1>
          %expand_shape = memref.expand_shape %subview_23 [[0, 1], [2, 3]] output_shape [32, 4, 2, 8] : memref<128x16xi32, strided<[64, 1], offset: ?>, 1> into memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape : memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) outs(%cast_22 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          %8 = affine.apply #map5(%arg9)
          %subview_24 = memref.subview %arg7[0, %8] [16, 64] [1, 1] : memref<64x128xi32, strided<[128, 1], offset: ?>, 1> to memref<16x64xi32, strided<[128, 1], offset: ?>, 1>
          %expand_shape_25 = memref.expand_shape %subview_24 [[0, 1], [2, 3]] output_shape [2, 8, 8, 8] : memref<16x64xi32, strided<[128, 1], offset: ?>, 1> into memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_25 : memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>) outs(%cast_20 : memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          %9:2 = scf.for %arg10 = %c0 to %c6 step %c2 iter_args(%arg11 = %cast_22, %arg12 = %cast_20) -> (memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) {
            %10 = arith.addi %arg10, %c2 : index
            %11 = affine.apply #map6(%10)
            %subview_26 = memref.subview %alloc_18[%11, 0, 0, 0, 0] [1, 8, 2, 8, 8] [1, 1, 1, 1, 1] : memref<2x8x2x8x8xi32, 2> to memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>
            %subview_27 = memref.subview %alloc_17[%11, 0, 0, 0, 0] [1, 2, 32, 4, 8] [1, 1, 1, 1, 1] : memref<2x2x32x4x8xi32, 2> to memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>
            %12 = affine.apply #map(%10)
            %subview_28 = memref.subview %arg6[%7, %12] [128, 16] [1, 1] : memref<256x64xi32, strided<[64, 1], offset: ?>, 1> to memref<128x16xi32, strided<[64, 1], offset: ?>, 1>
            %expand_shape_29 = memref.expand_shape %subview_28 [[0, 1], [2, 3]] output_shape [32, 4, 2, 8] : memref<128x16xi32, strided<[64, 1], offset: ?>, 1> into memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_29 : memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) outs(%subview_27 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
            %subview_30 = memref.subview %arg7[%12, %8] [16, 64] [1, 1] : memref<64x128xi32, strided<[128, 1], offset: ?>, 1> to memref<16x64xi32, strided<[128, 1], offset: ?>, 1>
            %expand_shape_31 = memref.expand_shape %subview_30 [[0, 1], [2, 3]] output_shape [2, 8, 8, 8] : memref<16x64xi32, strided<[128, 1], offset: ?>, 1> into memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_31 : memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>) outs(%subview_26 : memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%arg11, %arg12 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) outs(%subview_16 : memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>) {
            ^bb0(%in: i32, %in_32: i32, %out: i32):
              %13 = arith.muli %in, %in_32 : i32
              %14 = arith.addi %out, %13 : i32
              linalg.yield %14 : i32
            }
            scf.yield %subview_27, %subview_26 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>
          }
          linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%9#0, %9#1 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) outs(%subview_16 : memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>) {
          ^bb0(%in: i32, %in_26: i32, %out: i32):
            %10 = arith.muli %in, %in_26 : i32
            %11 = arith.addi %out, %10 : i32
            linalg.yield %11 : i32
          }
        } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
        scf.yield %subview_11, %subview_10 : memref<256x64xi32, strided<[64, 1], offset: ?>, 1>, memref<64x128xi32, strided<[128, 1], offset: ?>, 1>
      }
      scf.forall (%arg5, %arg6) in (2, 2) {
        %1 = affine.apply #map1(%arg5)
        %2 = affine.apply #map(%arg6)
        %subview_10 = memref.subview %alloc[%2, %1, 0, 0] [8, 32, 4, 8] [1, 1, 1, 1] : memref<16x64x4x8xi32, 2> to memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>
        %alloc_11 = memref.alloc() : memref<2x2x32x4x8xi32, 2>
        %alloc_12 = memref.alloc() : memref<2x8x2x8x8xi32, 2>
        %subview_13 = memref.subview %alloc_12[0, 0, 0, 0, 0] [1, 8, 2, 8, 8] [1, 1, 1, 1, 1] : memref<2x8x2x8x8xi32, 2> to memref<8x2x8x8xi32, strided<[128, 64, 8, 1]>, 2>
        %cast_14 = memref.cast %subview_13 : memref<8x2x8x8xi32, strided<[128, 64, 8, 1]>, 2> to memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>
        %subview_15 = memref.subview %alloc_11[0, 0, 0, 0, 0] [1, 2, 32, 4, 8] [1, 1, 1, 1, 1] : memref<2x2x32x4x8xi32, 2> to memref<2x32x4x8xi32, strided<[1024, 32, 8, 1]>, 2>
        %cast_16 = memref.cast %subview_15 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1]>, 2> to memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>
        %3 = affine.apply #map4(%arg5)
        %subview_17 = memref.subview %0#0[%3, 0] [128, 16] [1, 1] : memref<256x64xi32, strided<[64, 1], offset: ?>, 1> to memref<128x16xi32, strided<[64, 1], offset: ?>, 1>
        %expand_shape = memref.expand_shape %subview_17 [[0, 1], [2, 3]] output_shape [32, 4, 2, 8] : memref<128x16xi32, strided<[64, 1], offset: ?>, 1> into memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%expand_shape : memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) outs(%cast_16 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
        %4 = affine.apply #map5(%arg6)
        %subview_18 = memref.subview %0#1[0, %4] [16, 64] [1, 1] : memref<64x128xi32, strided<[128, 1], offset: ?>, 1> to memref<16x64xi32, strided<[128, 1], offset: ?>, 1>
        %expand_shape_19 = memref.expand_shape %subview_18 [[0, 1], [2, 3]] output_shape [2, 8, 8, 8] : memref<16x64xi32, strided<[128, 1], offset: ?>, 1> into memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%expand_shape_19 : memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>) outs(%cast_14 : memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
        %5:2 = scf.for %arg7 = %c0 to %c6 step %c2 iter_args(%arg8 = %cast_16, %arg9 = %cast_14) -> (memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) {
          %6 = arith.addi %arg7, %c2 : index
          %7 = affine.apply #map6(%6)
          %subview_20 = memref.subview %alloc_12[%7, 0, 0, 0, 0] [1, 8, 2, 8, 8] [1, 1, 1, 1, 1] : memref<2x8x2x8x8xi32, 2> to memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>
          %subview_21 = memref.subview %alloc_11[%7, 0, 0, 0, 0] [1, 2, 32, 4, 8] [1, 1, 1, 1, 1] : memref<2x2x32x4x8xi32, 2> to memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>
          %8 = affine.apply #map(%6)
          %subview_22 = memref.subview %0#0[%3, %8] [128, 16] [1, 1] : memref<256x64xi32, strided<[64, 1], offset: ?>, 1> to memref<128x16xi32, strided<[64, 1], offset: ?>, 1>
          %expand_shape_23 = memref.expand_shape %subview_22 [[0, 1], [2, 3]] output_shape [32, 4, 2, 8] : memref<128x16xi32, strided<[64, 1], offset: ?>, 1> into memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_23 : memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) outs(%subview_21 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          %subview_24 = memref.subview %0#1[%8, %4] [16, 64] [1, 1] : memref<64x128xi32, strided<[128, 1], offset: ?>, 1> to memref<16x64xi32, strided<[128, 1], offset: ?>, 1>
          %expand_shape_25 = memref.expand_shape %subview_24 [[0, 1], [2, 3]] output_shape [2, 8, 8, 8] : memref<16x64xi32, strided<[128, 1], offset: ?>, 1> into memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_25 : memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>) outs(%subview_20 : memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%arg8, %arg9 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) outs(%subview_10 : memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>) {
          ^bb0(%in: i32, %in_26: i32, %out: i32):
            %9 = arith.muli %in, %in_26 : i32
            %10 = arith.addi %out, %9 : i32
            linalg.yield %10 : i32
          }
          scf.yield %subview_21, %subview_20 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>
        }
        linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%5#0, %5#1 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) outs(%subview_10 : memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>) {
        ^bb0(%in: i32, %in_20: i32, %out: i32):
          %6 = arith.muli %in, %in_20 : i32
          %7 = arith.addi %out, %6 : i32
          linalg.yield %7 : i32
        }
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %alloc_8 = memref.alloc() : memref<256x128xi32, 1>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %1 = affine.apply #map4(%arg5)
        %2 = affine.apply #map5(%arg6)
        %3 = affine.apply #map1(%arg5)
        %4 = affine.apply #map(%arg6)
        %subview_10 = memref.subview %alloc[%4, %3, 0, 0] [8, 32, 4, 8] [1, 1, 1, 1] : memref<16x64x4x8xi32, 2> to memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>
        %subview_11 = memref.subview %alloc_8[%1, %2] [128, 64] [1, 1] : memref<256x128xi32, 1> to memref<128x64xi32, strided<[128, 1], offset: ?>, 1>
        %expand_shape = memref.expand_shape %subview_11 [[0, 1], [2, 3]] output_shape [32, 4, 8, 8] : memref<128x64xi32, strided<[128, 1], offset: ?>, 1> into memref<32x4x8x8xi32, strided<[512, 128, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%subview_10 : memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>) outs(%expand_shape : memref<32x4x8x8xi32, strided<[512, 128, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_9 = memref.subview %alloc_8[0, 0] [130, 70] [1, 1] : memref<256x128xi32, 1> to memref<130x70xi32, strided<[128, 1]>, 1>
      memref.copy %subview_9, %arg2 : memref<130x70xi32, strided<[128, 1]>, 1> to memref<130x70xi32>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    return
  }
  func.func @reference(%arg0: memref<130x300xi32>, %arg1: memref<300x70xi32>, %arg2: memref<130x70xi32>) {
    %c0_i32 = arith.constant 0 : i32
    linalg.fill ins(%c0_i32 : i32) outs(%arg2 : memref<130x70xi32>)
    linalg.matmul ins(%arg0, %arg1 : memref<130x300xi32>, memref<300x70xi32>) outs(%arg2 : memref<130x70xi32>)
    return
  }
}
// REQUIRES: machines
