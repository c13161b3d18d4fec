// large-blocks.mlir with two buffers each: products take all but 2 % of the time.
// RUN: kgen simulate "%s" --machine array-2x2 | FileCheck "%s"
// CHECK: {{^}}f on array-2x2, 2x2 cores: 8540160 cycles{{$}}
// CHECK: {{^}}  L3    L2   50331648
// CHECK: {{^}}  L2    L1  100663296
// CHECK: {{^}}  L2       327680  524288
// CHECK: {{^}}  L1        57344   65536
// CHECK: products alone would take 8388608 cycles, 98.2 % of the time
// CHECK-NOT: fault
#map = affine_map<(d0) -> (d0 * 256)>
#map1 = affine_map<(d0) -> (d0 * 128)>
#map2 = affine_map<(d0) -> (d0 * 8)>
#map3 = affine_map<(d0) -> (d0 * 32)>
#map4 = affine_map<(d0) -> ((d0 floordiv 8) mod 2)>
#map5 = affine_map<(d0) -> (d0 * 64)>
#map6 = affine_map<(d0) -> ((d0 floordiv 2) mod 2)>
#map7 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>
#map8 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>
#map9 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>
module {
  func.func @f(%arg0: memref<1024x2048xi32>, %arg1: memref<2048x512xi32>, %arg2: memref<1024x512xi32>) {
    %c6 = arith.constant 6 : index
    %c248 = arith.constant 248 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    scf.forall (%arg3, %arg4) in (4, 4) {
      %0 = affine.apply #map(%arg3)
      %1 = affine.apply #map1(%arg4)
      %alloc = memref.alloc() : memref<16x64x4x8xi32, 2>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %3 = affine.apply #map2(%arg5)
        %4 = affine.apply #map3(%arg6)
        %subview_8 = memref.subview %alloc[%3, %4, 0, 0] [8, 32, 4, 8] [1, 1, 1, 1] : memref<16x64x4x8xi32, 2> to memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%subview_8 : memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>)
      } {mapping = [#gpu.thread<x>, #gpu.thread<y>]}
      %alloc_0 = memref.alloc() : memref<2x256x64xi32, 1>
      %alloc_1 = memref.alloc() : memref<2x64x128xi32, 1>
      %subview = memref.subview %alloc_1[0, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xi32, 1> to memref<64x128xi32, strided<[128, 1]>, 1>
      %cast = memref.cast %subview : memref<64x128xi32, strided<[128, 1]>, 1> to memref<64x128xi32, strided<[128, 1], offset: ?>, 1>
      %subview_2 = memref.subview %alloc_0[0, 0, 0] [1, 256, 64] [1, 1, 1] : memref<2x256x64xi32, 1> to memref<256x64xi32, strided<[64, 1]>, 1>
      %cast_3 = memref.cast %subview_2 : memref<256x64xi32, strided<[64, 1]>, 1> to memref<256x64xi32, strided<[64, 1], offset: ?>, 1>
      %subview_4 = memref.subview %arg0[%0, 0] [256, 64] [1, 1] : memref<1024x2048xi32> to memref<256x64xi32, strided<[2048, 1], offset: ?>>
      linalg.copy ins(%subview_4 : memref<256x64xi32, strided<[2048, 1], offset: ?>>) outs(%subview_2 : memref<256x64xi32, strided<[64, 1]>, 1>)
      %subview_5 = memref.subview %arg1[0, %1] [64, 128] [1, 1] : memref<2048x512xi32> to memref<64x128xi32, strided<[512, 1], offset: ?>>
      linalg.copy ins(%subview_5 : memref<64x128xi32, strided<[512, 1], offset: ?>>) outs(%subview : memref<64x128xi32, strided<[128, 1]>, 1>)
      %2:2 = scf.for %arg5 = %c0 to %c248 step %c8 iter_args(%arg6 = %cast_3, %arg7 = %cast) -> (memref<256x64xi32, strided<[64, 1], offset: ?>, 1>, memref<64x128xi32, strided<[128, 1], offset: ?>, 1>) {
        %3 = arith.addi %arg5, %c8 : index
        %4 = affine.apply #map4(%3)
        %subview_8 = memref.subview %alloc_1[%4, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xi32, 1> to memref<64x128xi32, strided<[128, 1], offset: ?>, 1>
        %subview_9 = memref.subview %alloc_0[%4, 0, 0] [1, 256, 64] [1, 1, 1] : memref<2x256x64xi32, 1> to memref<256x64xi32, strided<[64, 1], offset: ?>, 1>
        %5 = affine.apply #map2(%3)
        %subview_10 = memref.subview %arg0[%0, %5] [256, 64] [1, 1] : memref<1024x2048xi32> to memref<256x64xi32, strided<[2048, 1], offset: ?>>
        linalg.copy ins(%subview_10 : memref<256x64xi32, strided<[2048, 1], offset: ?>>) outs(%subview_9 : memref<256x64xi32, strided<[64, 1], offset: ?>, 1>)
        %subview_11 = memref.subview %arg1[%5, %1] [64, 128] [1, 1] : memref<2048x512xi32> to memref<64x128xi32, strided<[512, 1], offset: ?>>
        linalg.copy ins(%subview_11 : memref<64x128xi32, strided<[512, 1], offset: ?>>) outs(%subview_8 : memref<64x128xi32, strided<[128, 1], offset: ?>, 1>)
        scf.forall (%arg8, %arg9) in (2, 2) {
          %6 = affine.apply #map3(%arg8)
          %7 = affine.apply #map2(%arg9)
          %subview_12 = memref.subview %alloc[%7, %6, 0, 0] [8, 32, 4, 8] [1, 1, 1, 1] : memref<16x64x4x8xi32, 2> to memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>
          %alloc_13 = memref.alloc() : memref<2x2x32x4x8xi32, 2>
          %alloc_14 = memref.alloc() : memref<2x8x2x8x8xi32, 2>
          %subview_15 = memref.subview %alloc_14[0, 0, 0, 0, 0] [1, 8, 2, 8, 8] [1, 1, 1, 1, 1] : memref<2x8x2x8x8xi32, 2> to memref<8x2x8x8xi32, strided<[128, 64, 8, 1]>, 2>
          %cast_16 = memref.cast %subview_15 : memref<8x2x8x8xi32, strided<[128, 64, 8, 1]>, 2> to memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>
          %subview_17 = memref.subview %alloc_13[0, 0, 0, 0, 0] [1, 2, 32, 4, 8] [1, 1, 1, 1, 1] : memref<2x2x32x4x8xi32, 2> to memref<2x32x4x8xi32, strided<[1024, 32, 8, 1]>, 2>
          %cast_18 = memref.cast %subview_17 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1]>, 2> to memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>
          %8 = affine.apply #map1(%arg8)
          %subview_19 = memref.subview %arg6[%8, 0] [128, 16] [1, 1] : memref<256x64xi32, strided<[64, 1], offset: ?>, 1> to memref<128x16xi32, strided<[64, 1], offset: ?>, 1>
          %expand_shape = memref.expand_shape %subview_19 [[0, 1], [2, 3]] output_shape [32, 4, 2, 8] : memref<128x16xi32, strided<[64, 1], offset: ?>, 1> into memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape : memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) outs(%cast_18 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          %9 = affine.apply #map5(%arg9)
          %subview_20 = memref.subview %arg7[0, %9] [16, 64] [1, 1] : memref<64x128xi32, strided<[128, 1], offset: ?>, 1> to memref<16x64xi32, strided<[128, 1], offset: ?>, 1>
          %expand_shape_21 = memref.expand_shape %subview_20 [[0, 1], [2, 3]] output_shape [2, 8, 8, 8] : memref<16x64xi32, strided<[128, 1], offset: ?>, 1> into memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_21 : memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>) outs(%cast_16 : memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          %10:2 = scf.for %arg10 = %c0 to %c6 step %c2 iter_args(%arg11 = %cast_18, %arg12 = %cast_16) -> (memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) {
            %11 = arith.addi %arg10, %c2 : index
            %12 = affine.apply #map6(%11)
            %subview_22 = memref.subview %alloc_14[%12, 0, 0, 0, 0] [1, 8, 2, 8, 8] [1, 1, 1, 1, 1] : memref<2x8x2x8x8xi32, 2> to memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>
            %subview_23 = memref.subview %alloc_13[%12, 0, 0, 0, 0] [1, 2, 32, 4, 8] [1, 1, 1, 1, 1] : memref<2x2x32x4x8xi32, 2> to memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>
            %13 = affine.apply #map2(%11)
            %subview_24 = memref.subview %arg6[%8, %13] [128, 16] [1, 1] : memref<256x64xi32, strided<[64, 1], offset: ?>, 1> to memref<128x16xi32, strided<[64, 1], offset: ?>, 1>
            %expand_shape_25 = memref.expand_shape %subview_24 [[0, 1], [2, 3]] output_shape [32, 4, 2, 8] : memref<128x16xi32, strided<[64, 1], offset: ?>, 1> into memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_25 : memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) outs(%subview_23 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
            %subview_26 = memref.subview %arg7[%13, %9] [16, 64] [1, 1] : memref<64x128xi32, strided<[128, 1], offset: ?>, 1> to memref<16x64xi32, strided<[128, 1], offset: ?>, 1>
            %expand_shape_27 = memref.expand_shape %subview_26 [[0, 1], [2, 3]] output_shape [2, 8, 8, 8] : memref<16x64xi32, strided<[128, 1], offset: ?>, 1> into memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_27 : memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>) outs(%subview_22 : memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%arg11, %arg12 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) outs(%subview_12 : memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>) {
            ^bb0(%in: i32, %in_28: i32, %out: i32):
              %14 = arith.muli %in, %in_28 : i32
              %15 = arith.addi %out, %14 : i32
              linalg.yield %15 : i32
            }
            scf.yield %subview_23, %subview_22 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>
          }
          linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%10#0, %10#1 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) outs(%subview_12 : memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>) {
          ^bb0(%in: i32, %in_22: i32, %out: i32):
            %11 = arith.muli %in, %in_22 : i32
            %12 = arith.addi %out, %11 : i32
            linalg.yield %12 : i32
          }
        } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
        scf.yield %subview_9, %subview_8 : memref<256x64xi32, strided<[64, 1], offset: ?>, 1>, memref<64x128xi32, strided<[128, 1], offset: ?>, 1>
      }
      scf.forall (%arg5, %arg6) in (2, 2) {
        %3 = affine.apply #map3(%arg5)
        %4 = affine.apply #map2(%arg6)
        %subview_8 = memref.subview %alloc[%4, %3, 0, 0] [8, 32, 4, 8] [1, 1, 1, 1] : memref<16x64x4x8xi32, 2> to memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>
        %alloc_9 = memref.alloc() : memref<2x2x32x4x8xi32, 2>
        %alloc_10 = memref.alloc() : memref<2x8x2x8x8xi32, 2>
        %subview_11 = memref.subview %alloc_10[0, 0, 0, 0, 0] [1, 8, 2, 8, 8] [1, 1, 1, 1, 1] : memref<2x8x2x8x8xi32, 2> to memref<8x2x8x8xi32, strided<[128, 64, 8, 1]>, 2>
        %cast_12 = memref.cast %subview_11 : memref<8x2x8x8xi32, strided<[128, 64, 8, 1]>, 2> to memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>
        %subview_13 = memref.subview %alloc_9[0, 0, 0, 0, 0] [1, 2, 32, 4, 8] [1, 1, 1, 1, 1] : memref<2x2x32x4x8xi32, 2> to memref<2x32x4x8xi32, strided<[1024, 32, 8, 1]>, 2>
        %cast_14 = memref.cast %subview_13 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1]>, 2> to memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>
        %5 = affine.apply #map1(%arg5)
        %subview_15 = memref.subview %2#0[%5, 0] [128, 16] [1, 1] : memref<256x64xi32, strided<[64, 1], offset: ?>, 1> to memref<128x16xi32, strided<[64, 1], offset: ?>, 1>
        %expand_shape = memref.expand_shape %subview_15 [[0, 1], [2, 3]] output_shape [32, 4, 2, 8] : memref<128x16xi32, strided<[64, 1], offset: ?>, 1> into memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%expand_shape : memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) outs(%cast_14 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
        %6 = affine.apply #map5(%arg6)
        %subview_16 = memref.subview %2#1[0, %6] [16, 64] [1, 1] : memref<64x128xi32, strided<[128, 1], offset: ?>, 1> to memref<16x64xi32, strided<[128, 1], offset: ?>, 1>
        %expand_shape_17 = memref.expand_shape %subview_16 [[0, 1], [2, 3]] output_shape [2, 8, 8, 8] : memref<16x64xi32, strided<[128, 1], offset: ?>, 1> into memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%expand_shape_17 : memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>) outs(%cast_12 : memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
        %7:2 = scf.for %arg7 = %c0 to %c6 step %c2 iter_args(%arg8 = %cast_14, %arg9 = %cast_12) -> (memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) {
          %8 = arith.addi %arg7, %c2 : index
          %9 = affine.apply #map6(%8)
          %subview_18 = memref.subview %alloc_10[%9, 0, 0, 0, 0] [1, 8, 2, 8, 8] [1, 1, 1, 1, 1] : memref<2x8x2x8x8xi32, 2> to memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>
          %subview_19 = memref.subview %alloc_9[%9, 0, 0, 0, 0] [1, 2, 32, 4, 8] [1, 1, 1, 1, 1] : memref<2x2x32x4x8xi32, 2> to memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>
          %10 = affine.apply #map2(%8)
          %subview_20 = memref.subview %2#0[%5, %10] [128, 16] [1, 1] : memref<256x64xi32, strided<[64, 1], offset: ?>, 1> to memref<128x16xi32, strided<[64, 1], offset: ?>, 1>
          %expand_shape_21 = memref.expand_shape %subview_20 [[0, 1], [2, 3]] output_shape [32, 4, 2, 8] : memref<128x16xi32, strided<[64, 1], offset: ?>, 1> into memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_21 : memref<32x4x2x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) outs(%subview_19 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          %subview_22 = memref.subview %2#1[%10, %6] [16, 64] [1, 1] : memref<64x128xi32, strided<[128, 1], offset: ?>, 1> to memref<16x64xi32, strided<[128, 1], offset: ?>, 1>
          %expand_shape_23 = memref.expand_shape %subview_22 [[0, 1], [2, 3]] output_shape [2, 8, 8, 8] : memref<16x64xi32, strided<[128, 1], offset: ?>, 1> into memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_23 : memref<2x8x8x8xi32, strided<[1024, 128, 8, 1], offset: ?>, 1>) outs(%subview_18 : memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%arg8, %arg9 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) outs(%subview_8 : memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>) {
          ^bb0(%in: i32, %in_24: i32, %out: i32):
            %11 = arith.muli %in, %in_24 : i32
            %12 = arith.addi %out, %11 : i32
            linalg.yield %12 : i32
          }
          scf.yield %subview_19, %subview_18 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>
        }
        linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%7#0, %7#1 : memref<2x32x4x8xi32, strided<[1024, 32, 8, 1], offset: ?>, 2>, memref<8x2x8x8xi32, strided<[128, 64, 8, 1], offset: ?>, 2>) outs(%subview_8 : memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>) {
        ^bb0(%in: i32, %in_18: i32, %out: i32):
          %8 = arith.muli %in, %in_18 : i32
          %9 = arith.addi %out, %8 : i32
          linalg.yield %9 : i32
        }
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %alloc_6 = memref.alloc() : memref<256x128xi32, 1>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %3 = affine.apply #map1(%arg5)
        %4 = affine.apply #map5(%arg6)
        %5 = affine.apply #map3(%arg5)
        %6 = affine.apply #map2(%arg6)
        %subview_8 = memref.subview %alloc[%6, %5, 0, 0] [8, 32, 4, 8] [1, 1, 1, 1] : memref<16x64x4x8xi32, 2> to memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>
        %subview_9 = memref.subview %alloc_6[%3, %4] [128, 64] [1, 1] : memref<256x128xi32, 1> to memref<128x64xi32, strided<[128, 1], offset: ?>, 1>
        %expand_shape = memref.expand_shape %subview_9 [[0, 1], [2, 3]] output_shape [32, 4, 8, 8] : memref<128x64xi32, strided<[128, 1], offset: ?>, 1> into memref<32x4x8x8xi32, strided<[512, 128, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%subview_8 : memref<8x32x4x8xi32, strided<[2048, 32, 8, 1], offset: ?>, 2>) outs(%expand_shape : memref<32x4x8x8xi32, strided<[512, 128, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_7 = memref.subview %arg2[%0, %1] [256, 128] [1, 1] : memref<1024x512xi32> to memref<256x128xi32, strided<[512, 1], offset: ?>>
      memref.copy %alloc_6, %subview_7 : memref<256x128xi32, 1> to memref<256x128xi32, strided<[512, 1], offset: ?>>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    return
  }
  func.func @reference(%arg0: memref<1024x2048xi32>, %arg1: memref<2048x512xi32>, %arg2: memref<1024x512xi32>) {
    %c0_i32 = arith.constant 0 : i32
    linalg.fill ins(%c0_i32 : i32) outs(%arg2 : memref<1024x512xi32>)
    linalg.matmul ins(%arg0, %arg1 : memref<1024x2048xi32>, memref<2048x512xi32>) outs(%arg2 : memref<1024x512xi32>)
    return
  }
}
// REQUIRES: machines
