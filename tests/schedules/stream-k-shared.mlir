// The same blocks and cores, but cores share what is in L2: K of 256 is outside of the loop over cores. Half the traffic of L3.
// RUN: kgen simulate "%s" --machine array-2x2 | FileCheck "%s"
// CHECK: {{^}}f on array-2x2, 2x2 cores: 15466496 cycles{{$}}
// CHECK: {{^}}  L3    L2  134217728 {{ *}}2048 {{ *}}4194304{{$}}
// CHECK: {{^}}  L2    L3    2097152 {{ *}}128 {{ *}}65536{{$}}
// CHECK: {{^}}  L2    L1  268435456 {{ *}}65536 {{ *}}16777216{{$}}
// CHECK: {{^}}  L1    L2    2097152 {{ *}}512 {{ *}}131072{{$}}
// CHECK: {{^}}  L2       131072  524288
// CHECK: {{^}}  L1        12288   65536
// CHECK-NOT: fault
#map = affine_map<(d0) -> (d0 * 64)>
#map1 = affine_map<(d0) -> (d0 * 4)>
#map2 = affine_map<(d0) -> (d0 * 8)>
#map3 = affine_map<(d0) -> (d0 * 32)>
#map4 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>
#map5 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>
#map6 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>
module {
  func.func @f(%arg0: memref<1024x2048xi32>, %arg1: memref<2048x512xi32>, %arg2: memref<1024x512xi32>) {
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    scf.forall (%arg3, %arg4) in (16, 8) {
      %0 = affine.apply #map(%arg3)
      %1 = affine.apply #map(%arg4)
      %alloc = memref.alloc() : memref<8x16x4x8xi32, 2>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %2 = affine.apply #map1(%arg5)
        %3 = affine.apply #map2(%arg6)
        %subview_1 = memref.subview %alloc[%2, %3, 0, 0] [4, 8, 4, 8] [1, 1, 1, 1] : memref<8x16x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%subview_1 : memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>)
      } {mapping = [#gpu.thread<x>, #gpu.thread<y>]}
      scf.for %arg5 = %c0 to %c256 step %c32 {
        %2 = affine.apply #map2(%arg5)
        %subview_1 = memref.subview %arg0[%0, %2] [64, 256] [1, 1] : memref<1024x2048xi32> to memref<64x256xi32, strided<[2048, 1], offset: ?>>
        %alloc_2 = memref.alloc() : memref<64x256xi32, 1>
        linalg.copy ins(%subview_1 : memref<64x256xi32, strided<[2048, 1], offset: ?>>) outs(%alloc_2 : memref<64x256xi32, 1>)
        %subview_3 = memref.subview %arg1[%2, %1] [256, 64] [1, 1] : memref<2048x512xi32> to memref<256x64xi32, strided<[512, 1], offset: ?>>
        %alloc_4 = memref.alloc() : memref<256x64xi32, 1>
        linalg.copy ins(%subview_3 : memref<256x64xi32, strided<[512, 1], offset: ?>>) outs(%alloc_4 : memref<256x64xi32, 1>)
        scf.forall (%arg6, %arg7) in (2, 2) {
          %3 = affine.apply #map2(%arg6)
          %4 = affine.apply #map1(%arg7)
          %subview_5 = memref.subview %alloc[%4, %3, 0, 0] [4, 8, 4, 8] [1, 1, 1, 1] : memref<8x16x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>
          scf.for %arg8 = %c0 to %c32 step %c4 {
            %5 = affine.apply #map3(%arg6)
            %6 = affine.apply #map2(%arg8)
            %subview_6 = memref.subview %alloc_2[%5, %6] [32, 32] [1, 1] : memref<64x256xi32, 1> to memref<32x32xi32, strided<[256, 1], offset: ?>, 1>
            %alloc_7 = memref.alloc() : memref<4x8x4x8xi32, 2>
            %expand_shape = memref.expand_shape %subview_6 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%alloc_7 : memref<4x8x4x8xi32, 2>) permutation = [2, 0, 1, 3] 
            %7 = affine.apply #map3(%arg7)
            %subview_8 = memref.subview %alloc_4[%6, %7] [32, 32] [1, 1] : memref<256x64xi32, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
            %alloc_9 = memref.alloc() : memref<4x4x8x8xi32, 2>
            %expand_shape_10 = memref.expand_shape %subview_8 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[512, 64, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_10 : memref<4x8x4x8xi32, strided<[512, 64, 8, 1], offset: ?>, 1>) outs(%alloc_9 : memref<4x4x8x8xi32, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_7, %alloc_9 : memref<4x8x4x8xi32, 2>, memref<4x4x8x8xi32, 2>) outs(%subview_5 : memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>) {
            ^bb0(%in: i32, %in_11: i32, %out: i32):
              %8 = arith.muli %in, %in_11 : i32
              %9 = arith.addi %out, %8 : i32
              linalg.yield %9 : i32
            }
          }
        } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      }
      %alloc_0 = memref.alloc() : memref<64x64xi32, 1>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %2 = affine.apply #map3(%arg5)
        %3 = affine.apply #map3(%arg6)
        %4 = affine.apply #map2(%arg5)
        %5 = affine.apply #map1(%arg6)
        %subview_1 = memref.subview %alloc[%5, %4, 0, 0] [4, 8, 4, 8] [1, 1, 1, 1] : memref<8x16x4x8xi32, 2> to memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>
        %subview_2 = memref.subview %alloc_0[%2, %3] [32, 32] [1, 1] : memref<64x64xi32, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
        %expand_shape = memref.expand_shape %subview_2 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%subview_1 : memref<4x8x4x8xi32, strided<[512, 32, 8, 1], offset: ?>, 2>) outs(%expand_shape : memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview = memref.subview %arg2[%0, %1] [64, 64] [1, 1] : memref<1024x512xi32> to memref<64x64xi32, strided<[512, 1], offset: ?>>
      memref.copy %alloc_0, %subview : memref<64x64xi32, 1> to memref<64x64xi32, strided<[512, 1], offset: ?>>
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
