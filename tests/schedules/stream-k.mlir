// A product of 1024x2048 and 2048x512 in blocks of 64x64, cores of 32x32; each core streams its own operands: 256 of K into L2, 32 into L1.
// Bytes by formula: L3 to L2 1024/64 * 512/64 * 4 cores * 2048/256 * 2 * 32*256*4, and L2 to L1 the same.
// RUN: kgen simulate "%s" --machine array-2x2 | FileCheck "%s"
// CHECK: {{^}}f on array-2x2, 2x2 cores: 13115392 cycles{{$}}
// CHECK: {{^}}  L3    L2  268435456 {{ *}}8192 {{ *}}8388608{{$}}
// CHECK: {{^}}  L2    L3    2097152 {{ *}}128 {{ *}}65536{{$}}
// CHECK: {{^}}  L2    L1  268435456 {{ *}}65536 {{ *}}16777216{{$}}
// CHECK: {{^}}  L1    L2    2097152 {{ *}}512 {{ *}}131072{{$}}
// CHECK: {{^}}  L2  {{ *}}270532608        -       8320        -  19372660  13.96
// CHECK: {{^}}  L1 of all cores {{ *}}270532608        -      66048        -  67108864   4.03
// CHECK: {{^}}  L2       278528  524288
// CHECK: {{^}}  L1        12288   65536
// CHECK: {{^}}  core 1,1 {{ *}}8392704  64.0 %{{$}}
// CHECK: 1073741824 products, 0 other elements; products alone would take 8388608 cycles
// CHECK-NOT: fault
#map = affine_map<(d0) -> (d0 * 64)>
#map1 = affine_map<(d0) -> (d0 * 32)>
#map2 = affine_map<(d0, d1) -> (d0 * 32 + d1 * 64)>
#map3 = affine_map<(d0) -> (d0 * 8)>
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
      %alloc = memref.alloc() : memref<64x64xi32, 1>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %2 = affine.apply #map1(%arg5)
        %3 = affine.apply #map1(%arg6)
        %subview_0 = memref.subview %alloc[%2, %3] [32, 32] [1, 1] : memref<64x64xi32, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
        %alloc_1 = memref.alloc() : memref<4x8x4x8xi32, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%alloc_1 : memref<4x8x4x8xi32, 2>)
        scf.for %arg7 = %c0 to %c256 step %c32 {
          %4 = affine.apply #map2(%arg5, %arg3)
          %5 = affine.apply #map3(%arg7)
          %subview_2 = memref.subview %arg0[%4, %5] [32, 256] [1, 1] : memref<1024x2048xi32> to memref<32x256xi32, strided<[2048, 1], offset: ?>>
          %alloc_3 = memref.alloc() : memref<32x256xi32, 1>
          linalg.copy ins(%subview_2 : memref<32x256xi32, strided<[2048, 1], offset: ?>>) outs(%alloc_3 : memref<32x256xi32, 1>)
          %6 = affine.apply #map2(%arg6, %arg4)
          %subview_4 = memref.subview %arg1[%5, %6] [256, 32] [1, 1] : memref<2048x512xi32> to memref<256x32xi32, strided<[512, 1], offset: ?>>
          %alloc_5 = memref.alloc() : memref<256x32xi32, 1>
          linalg.copy ins(%subview_4 : memref<256x32xi32, strided<[512, 1], offset: ?>>) outs(%alloc_5 : memref<256x32xi32, 1>)
          scf.for %arg8 = %c0 to %c32 step %c4 {
            %7 = affine.apply #map3(%arg8)
            %subview_6 = memref.subview %alloc_3[0, %7] [32, 32] [1, 1] : memref<32x256xi32, 1> to memref<32x32xi32, strided<[256, 1], offset: ?>, 1>
            %alloc_7 = memref.alloc() : memref<4x8x4x8xi32, 2>
            %expand_shape_8 = memref.expand_shape %subview_6 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_8 : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%alloc_7 : memref<4x8x4x8xi32, 2>) permutation = [2, 0, 1, 3] 
            %subview_9 = memref.subview %alloc_5[%7, 0] [32, 32] [1, 1] : memref<256x32xi32, 1> to memref<32x32xi32, strided<[32, 1], offset: ?>, 1>
            %alloc_10 = memref.alloc() : memref<4x4x8x8xi32, 2>
            %expand_shape_11 = memref.expand_shape %subview_9 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_11 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%alloc_10 : memref<4x4x8x8xi32, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_7, %alloc_10 : memref<4x8x4x8xi32, 2>, memref<4x4x8x8xi32, 2>) outs(%alloc_1 : memref<4x8x4x8xi32, 2>) {
            ^bb0(%in: i32, %in_12: i32, %out: i32):
              %8 = arith.muli %in, %in_12 : i32
              %9 = arith.addi %out, %8 : i32
              linalg.yield %9 : i32
            }
          }
        }
        %expand_shape = memref.expand_shape %subview_0 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_1 : memref<4x8x4x8xi32, 2>) outs(%expand_shape : memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview = memref.subview %arg2[%0, %1] [64, 64] [1, 1] : memref<1024x512xi32> to memref<64x64xi32, strided<[512, 1], offset: ?>>
      memref.copy %alloc, %subview : memref<64x64xi32, 1> to memref<64x64xi32, strided<[512, 1], offset: ?>>
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
