// two-level.mlir with two buffers: each core has its own in L2, where they do not fit (planted-faults.test); its results are right.
// RUN: sh -c 'kgen simulate "%s" --machine array-2x2 --data 2>&1; test $? -eq 1' | FileCheck "%s"
// CHECK: {{^}}  L2       540672  524288  103.1 %
// CHECK: {{^}}all results agree
// CHECK: does not fit: L2 would hold 540672 bytes of 524288
#map = affine_map<(d0) -> (d0 * 64)>
#map1 = affine_map<(d0) -> (d0 * 32)>
#map2 = affine_map<(d0, d1) -> (d0 * 32 + d1 * 64)>
#map3 = affine_map<(d0) -> ((d0 floordiv 4) mod 2)>
#map4 = affine_map<(d0) -> (d0 * 8)>
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
      %alloc = memref.alloc() : memref<64x64xi32, 1>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %2 = affine.apply #map1(%arg5)
        %3 = affine.apply #map1(%arg6)
        %subview_0 = memref.subview %alloc[%2, %3] [32, 32] [1, 1] : memref<64x64xi32, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
        %alloc_1 = memref.alloc() : memref<4x8x4x8xi32, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%alloc_1 : memref<4x8x4x8xi32, 2>)
        %alloc_2 = memref.alloc() : memref<2x32x256xi32, 1>
        %alloc_3 = memref.alloc() : memref<2x256x32xi32, 1>
        %alloc_4 = memref.alloc() : memref<2x4x8x4x8xi32, 2>
        %alloc_5 = memref.alloc() : memref<2x4x4x8x8xi32, 2>
        %subview_6 = memref.subview %alloc_3[0, 0, 0] [1, 256, 32] [1, 1, 1] : memref<2x256x32xi32, 1> to memref<256x32xi32, strided<[32, 1]>, 1>
        %subview_7 = memref.subview %alloc_2[0, 0, 0] [1, 32, 256] [1, 1, 1] : memref<2x32x256xi32, 1> to memref<32x256xi32, strided<[256, 1]>, 1>
        %4 = affine.apply #map2(%arg5, %arg3)
        %subview_8 = memref.subview %arg0[%4, 0] [32, 256] [1, 1] : memref<128x512xi32> to memref<32x256xi32, strided<[512, 1], offset: ?>>
        linalg.copy ins(%subview_8 : memref<32x256xi32, strided<[512, 1], offset: ?>>) outs(%subview_7 : memref<32x256xi32, strided<[256, 1]>, 1>)
        %5 = affine.apply #map2(%arg6, %arg4)
        %subview_9 = memref.subview %arg1[0, %5] [256, 32] [1, 1] : memref<512x128xi32> to memref<256x32xi32, strided<[128, 1], offset: ?>>
        linalg.copy ins(%subview_9 : memref<256x32xi32, strided<[128, 1], offset: ?>>) outs(%subview_6 : memref<256x32xi32, strided<[32, 1]>, 1>)
        %subview_10 = memref.subview %alloc_3[1, 0, 0] [1, 256, 32] [1, 1, 1] : memref<2x256x32xi32, 1> to memref<256x32xi32, strided<[32, 1], offset: 8192>, 1>
        %subview_11 = memref.subview %alloc_2[1, 0, 0] [1, 32, 256] [1, 1, 1] : memref<2x32x256xi32, 1> to memref<32x256xi32, strided<[256, 1], offset: 8192>, 1>
        %subview_12 = memref.subview %arg0[%4, 256] [32, 256] [1, 1] : memref<128x512xi32> to memref<32x256xi32, strided<[512, 1], offset: ?>>
        linalg.copy ins(%subview_12 : memref<32x256xi32, strided<[512, 1], offset: ?>>) outs(%subview_11 : memref<32x256xi32, strided<[256, 1], offset: 8192>, 1>)
        %subview_13 = memref.subview %arg1[256, %5] [256, 32] [1, 1] : memref<512x128xi32> to memref<256x32xi32, strided<[128, 1], offset: ?>>
        linalg.copy ins(%subview_13 : memref<256x32xi32, strided<[128, 1], offset: ?>>) outs(%subview_10 : memref<256x32xi32, strided<[32, 1], offset: 8192>, 1>)
        %subview_14 = memref.subview %alloc_5[0, 0, 0, 0, 0] [1, 4, 4, 8, 8] [1, 1, 1, 1, 1] : memref<2x4x4x8x8xi32, 2> to memref<4x4x8x8xi32, strided<[256, 64, 8, 1]>, 2>
        %cast = memref.cast %subview_14 : memref<4x4x8x8xi32, strided<[256, 64, 8, 1]>, 2> to memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>
        %subview_15 = memref.subview %alloc_4[0, 0, 0, 0, 0] [1, 4, 8, 4, 8] [1, 1, 1, 1, 1] : memref<2x4x8x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1]>, 2>
        %cast_16 = memref.cast %subview_15 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1]>, 2> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>
        %subview_17 = memref.subview %subview_7[0, 0] [32, 32] [1, 1] : memref<32x256xi32, strided<[256, 1]>, 1> to memref<32x32xi32, strided<[256, 1]>, 1>
        %expand_shape = memref.expand_shape %subview_17 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1]>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1]>, 1>
        %cast_18 = memref.cast %expand_shape : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1]>, 1> to memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%cast_18 : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%cast_16 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
        %subview_19 = memref.subview %subview_6[0, 0] [32, 32] [1, 1] : memref<256x32xi32, strided<[32, 1]>, 1> to memref<32x32xi32, strided<[32, 1]>, 1>
        %expand_shape_20 = memref.expand_shape %subview_19 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[32, 1]>, 1> into memref<4x8x4x8xi32, strided<[256, 32, 8, 1]>, 1>
        %cast_21 = memref.cast %expand_shape_20 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1]>, 1> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%cast_21 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%cast : memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
        %6:2 = scf.for %arg7 = %c0 to %c28 step %c4 iter_args(%arg8 = %cast_16, %arg9 = %cast) -> (memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) {
          %8 = arith.addi %arg7, %c4 : index
          %9 = affine.apply #map3(%8)
          %subview_33 = memref.subview %alloc_5[%9, 0, 0, 0, 0] [1, 4, 4, 8, 8] [1, 1, 1, 1, 1] : memref<2x4x4x8x8xi32, 2> to memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>
          %subview_34 = memref.subview %alloc_4[%9, 0, 0, 0, 0] [1, 4, 8, 4, 8] [1, 1, 1, 1, 1] : memref<2x4x8x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>
          %10 = affine.apply #map4(%8)
          %subview_35 = memref.subview %subview_7[0, %10] [32, 32] [1, 1] : memref<32x256xi32, strided<[256, 1]>, 1> to memref<32x32xi32, strided<[256, 1], offset: ?>, 1>
          %expand_shape_36 = memref.expand_shape %subview_35 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_36 : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%subview_34 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          %subview_37 = memref.subview %subview_6[%10, 0] [32, 32] [1, 1] : memref<256x32xi32, strided<[32, 1]>, 1> to memref<32x32xi32, strided<[32, 1], offset: ?>, 1>
          %expand_shape_38 = memref.expand_shape %subview_37 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_38 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%subview_33 : memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%arg8, %arg9 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) outs(%alloc_1 : memref<4x8x4x8xi32, 2>) {
          ^bb0(%in: i32, %in_39: i32, %out: i32):
            %11 = arith.muli %in, %in_39 : i32
            %12 = arith.addi %out, %11 : i32
            linalg.yield %12 : i32
          }
          scf.yield %subview_34, %subview_33 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>
        }
        linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%6#0, %6#1 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) outs(%alloc_1 : memref<4x8x4x8xi32, 2>) {
        ^bb0(%in: i32, %in_33: i32, %out: i32):
          %8 = arith.muli %in, %in_33 : i32
          %9 = arith.addi %out, %8 : i32
          linalg.yield %9 : i32
        }
        %subview_22 = memref.subview %alloc_5[0, 0, 0, 0, 0] [1, 4, 4, 8, 8] [1, 1, 1, 1, 1] : memref<2x4x4x8x8xi32, 2> to memref<4x4x8x8xi32, strided<[256, 64, 8, 1]>, 2>
        %cast_23 = memref.cast %subview_22 : memref<4x4x8x8xi32, strided<[256, 64, 8, 1]>, 2> to memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>
        %subview_24 = memref.subview %alloc_4[0, 0, 0, 0, 0] [1, 4, 8, 4, 8] [1, 1, 1, 1, 1] : memref<2x4x8x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1]>, 2>
        %cast_25 = memref.cast %subview_24 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1]>, 2> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>
        %subview_26 = memref.subview %subview_11[0, 0] [32, 32] [1, 1] : memref<32x256xi32, strided<[256, 1], offset: 8192>, 1> to memref<32x32xi32, strided<[256, 1], offset: 8192>, 1>
        %expand_shape_27 = memref.expand_shape %subview_26 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: 8192>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: 8192>, 1>
        %cast_28 = memref.cast %expand_shape_27 : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: 8192>, 1> to memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%cast_28 : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%cast_25 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
        %subview_29 = memref.subview %subview_10[0, 0] [32, 32] [1, 1] : memref<256x32xi32, strided<[32, 1], offset: 8192>, 1> to memref<32x32xi32, strided<[32, 1], offset: 8192>, 1>
        %expand_shape_30 = memref.expand_shape %subview_29 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[32, 1], offset: 8192>, 1> into memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: 8192>, 1>
        %cast_31 = memref.cast %expand_shape_30 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: 8192>, 1> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%cast_31 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%cast_23 : memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
        %7:2 = scf.for %arg7 = %c0 to %c28 step %c4 iter_args(%arg8 = %cast_25, %arg9 = %cast_23) -> (memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) {
          %8 = arith.addi %arg7, %c4 : index
          %9 = affine.apply #map3(%8)
          %subview_33 = memref.subview %alloc_5[%9, 0, 0, 0, 0] [1, 4, 4, 8, 8] [1, 1, 1, 1, 1] : memref<2x4x4x8x8xi32, 2> to memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>
          %subview_34 = memref.subview %alloc_4[%9, 0, 0, 0, 0] [1, 4, 8, 4, 8] [1, 1, 1, 1, 1] : memref<2x4x8x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>
          %10 = affine.apply #map4(%8)
          %subview_35 = memref.subview %subview_11[0, %10] [32, 32] [1, 1] : memref<32x256xi32, strided<[256, 1], offset: 8192>, 1> to memref<32x32xi32, strided<[256, 1], offset: ?>, 1>
          %expand_shape_36 = memref.expand_shape %subview_35 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_36 : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%subview_34 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          %subview_37 = memref.subview %subview_10[%10, 0] [32, 32] [1, 1] : memref<256x32xi32, strided<[32, 1], offset: 8192>, 1> to memref<32x32xi32, strided<[32, 1], offset: ?>, 1>
          %expand_shape_38 = memref.expand_shape %subview_37 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>
          linalg.transpose ins(%expand_shape_38 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%subview_33 : memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) permutation = [2, 0, 1, 3] 
          linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%arg8, %arg9 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) outs(%alloc_1 : memref<4x8x4x8xi32, 2>) {
          ^bb0(%in: i32, %in_39: i32, %out: i32):
            %11 = arith.muli %in, %in_39 : i32
            %12 = arith.addi %out, %11 : i32
            linalg.yield %12 : i32
          }
          scf.yield %subview_34, %subview_33 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>
        }
        linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%7#0, %7#1 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 2>, memref<4x4x8x8xi32, strided<[256, 64, 8, 1], offset: ?>, 2>) outs(%alloc_1 : memref<4x8x4x8xi32, 2>) {
        ^bb0(%in: i32, %in_33: i32, %out: i32):
          %8 = arith.muli %in, %in_33 : i32
          %9 = arith.addi %out, %8 : i32
          linalg.yield %9 : i32
        }
        %expand_shape_32 = memref.expand_shape %subview_0 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_1 : memref<4x8x4x8xi32, 2>) outs(%expand_shape_32 : memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview = memref.subview %arg2[%0, %1] [64, 64] [1, 1] : memref<128x128xi32> to memref<64x64xi32, strided<[128, 1], offset: ?>>
      memref.copy %alloc, %subview : memref<64x64xi32, 1> to memref<64x64xi32, strided<[128, 1], offset: ?>>
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
