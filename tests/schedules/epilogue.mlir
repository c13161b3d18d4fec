// A bias and a relu on packed accumulators in L1.
// RUN: kgen simulate "%s" --machine array-2x2 --data | FileCheck "%s"
// CHECK: {{^}}  25165824 products, 49152 other elements
// CHECK: Results, against reference
// CHECK: {{^}}  {{ *}}3  i32[256, 192] {{ *}}[[#]]      0  -
// CHECK: {{^}}all results agree
// CHECK-NOT: fault
#map = affine_map<(d0) -> (d0 * 64)>
#map1 = affine_map<(d0) -> (d0 * 32)>
#map2 = affine_map<(d0, d1) -> (d0 * 32 + d1 * 64)>
#map3 = affine_map<(d0) -> (d0 * 8)>
#map4 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>
#map5 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>
#map6 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
#map9 = affine_map<(d0, d1) -> (d0, d1)>
#map10 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @f(%arg0: memref<256x512xi32>, %arg1: memref<512x192xi32>, %arg2: memref<192xi32>, %arg3: memref<256x192xi32>) {
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    scf.forall (%arg4, %arg5) in (4, 3) {
      %0 = affine.apply #map(%arg4)
      %1 = affine.apply #map(%arg5)
      %alloc = memref.alloc() : memref<64x64xi32, 1>
      scf.forall (%arg6, %arg7) in (2, 2) {
        %2 = affine.apply #map1(%arg6)
        %3 = affine.apply #map1(%arg7)
        %alloc_0 = memref.alloc() : memref<4x8x4x8xi32, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%alloc_0 : memref<4x8x4x8xi32, 2>)
        scf.for %arg8 = %c0 to %c64 step %c32 {
          %5 = affine.apply #map2(%arg6, %arg4)
          %6 = affine.apply #map3(%arg8)
          %subview_5 = memref.subview %arg0[%5, %6] [32, 256] [1, 1] : memref<256x512xi32> to memref<32x256xi32, strided<[512, 1], offset: ?>>
          %alloc_6 = memref.alloc() : memref<32x256xi32, 1>
          linalg.copy ins(%subview_5 : memref<32x256xi32, strided<[512, 1], offset: ?>>) outs(%alloc_6 : memref<32x256xi32, 1>)
          %7 = affine.apply #map2(%arg7, %arg5)
          %subview_7 = memref.subview %arg1[%6, %7] [256, 32] [1, 1] : memref<512x192xi32> to memref<256x32xi32, strided<[192, 1], offset: ?>>
          %alloc_8 = memref.alloc() : memref<256x32xi32, 1>
          linalg.copy ins(%subview_7 : memref<256x32xi32, strided<[192, 1], offset: ?>>) outs(%alloc_8 : memref<256x32xi32, 1>)
          scf.for %arg9 = %c0 to %c32 step %c4 {
            %8 = affine.apply #map3(%arg9)
            %subview_9 = memref.subview %alloc_6[0, %8] [32, 32] [1, 1] : memref<32x256xi32, 1> to memref<32x32xi32, strided<[256, 1], offset: ?>, 1>
            %alloc_10 = memref.alloc() : memref<4x8x4x8xi32, 2>
            %expand_shape_11 = memref.expand_shape %subview_9 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_11 : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%alloc_10 : memref<4x8x4x8xi32, 2>) permutation = [2, 0, 1, 3] 
            %subview_12 = memref.subview %alloc_8[%8, 0] [32, 32] [1, 1] : memref<256x32xi32, 1> to memref<32x32xi32, strided<[32, 1], offset: ?>, 1>
            %alloc_13 = memref.alloc() : memref<4x4x8x8xi32, 2>
            %expand_shape_14 = memref.expand_shape %subview_12 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_14 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%alloc_13 : memref<4x4x8x8xi32, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_10, %alloc_13 : memref<4x8x4x8xi32, 2>, memref<4x4x8x8xi32, 2>) outs(%alloc_0 : memref<4x8x4x8xi32, 2>) {
            ^bb0(%in: i32, %in_15: i32, %out: i32):
              %9 = arith.muli %in, %in_15 : i32
              %10 = arith.addi %out, %9 : i32
              linalg.yield %10 : i32
            }
          }
        }
        %4 = affine.apply #map2(%arg7, %arg5)
        %subview_1 = memref.subview %arg2[%4] [32] [1] : memref<192xi32> to memref<32xi32, strided<[1], offset: ?>>
        %subview_2 = memref.subview %alloc[%2, %3] [32, 32] [1, 1] : memref<64x64xi32, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
        %alloc_3 = memref.alloc() : memref<32xi32, 2>
        linalg.copy ins(%subview_1 : memref<32xi32, strided<[1], offset: ?>>) outs(%alloc_3 : memref<32xi32, 2>)
        %expand_shape = memref.expand_shape %alloc_3 [[0, 1]] output_shape [4, 8] : memref<32xi32, 2> into memref<4x8xi32, 2>
        linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%alloc_0, %expand_shape : memref<4x8x4x8xi32, 2>, memref<4x8xi32, 2>) outs(%alloc_0 : memref<4x8x4x8xi32, 2>) {
        ^bb0(%in: i32, %in_5: i32, %out: i32):
          %5 = arith.addi %in, %in_5 : i32
          %6 = arith.maxsi %5, %c0_i32 : i32
          linalg.yield %6 : i32
        }
        %expand_shape_4 = memref.expand_shape %subview_2 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_0 : memref<4x8x4x8xi32, 2>) outs(%expand_shape_4 : memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview = memref.subview %arg3[%0, %1] [64, 64] [1, 1] : memref<256x192xi32> to memref<64x64xi32, strided<[192, 1], offset: ?>>
      memref.copy %alloc, %subview : memref<64x64xi32, 1> to memref<64x64xi32, strided<[192, 1], offset: ?>>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    return
  }
  func.func @reference(%arg0: memref<256x512xi32>, %arg1: memref<512x192xi32>, %arg2: memref<192xi32>, %arg3: memref<256x192xi32>) {
    %c0_i32 = arith.constant 0 : i32
    linalg.fill ins(%c0_i32 : i32) outs(%arg3 : memref<256x192xi32>)
    linalg.matmul ins(%arg0, %arg1 : memref<256x512xi32>, memref<512x192xi32>) outs(%arg3 : memref<256x192xi32>)
    linalg.generic {indexing_maps = [#map9, #map10, #map9], iterator_types = ["parallel", "parallel"]} ins(%arg3, %arg2 : memref<256x192xi32>, memref<192xi32>) outs(%arg3 : memref<256x192xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out: i32):
      %0 = arith.addi %in, %in_0 : i32
      %1 = arith.maxsi %0, %c0_i32 : i32
      linalg.yield %1 : i32
    }
    return
  }
}
// REQUIRES: machines
