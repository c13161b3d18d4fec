// 130x300 and 300x70, of which no size is a multiple of the tiles: border tiles are filled with zeros first.
// RUN: kgen simulate "%s" --machine array-2x2 --data | FileCheck "%s"
// CHECK: Results, against reference
// CHECK: {{^}}  {{ *}}2  i32[130, 70] {{ *}}[[#]]      0  -
// CHECK: {{^}}all results agree
// CHECK-NOT: fault
#map = affine_map<(d0) -> (d0 * 64)>
#map1 = affine_map<(d0) -> (d0 * -64 + 130, 64)>
#map2 = affine_map<(d0) -> (d0 * -64 + 70, 64)>
#map3 = affine_map<(d0) -> (d0 * 32)>
#map4 = affine_map<(d0, d1) -> (d1 * -64 + 130, 64, d0 * 32)>
#map5 = affine_map<(d0, d1) -> (32, d0 - d1)>
#map6 = affine_map<(d0) -> (-d0 + 32)>
#map7 = affine_map<(d0) -> (d0 * 8)>
#map8 = affine_map<(d0) -> (d0 * -8 + 300, 256)>
#map9 = affine_map<(d0) -> (-d0 + 256)>
#map10 = affine_map<(d0)[s0] -> (d0 * 64 + s0)>
#map11 = affine_map<(d0, d1) -> (d1 * -64 + 70, 64, d0 * 32)>
#map12 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>
#map13 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>
#map14 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>
module {
  func.func @f(%arg0: memref<130x300xi32>, %arg1: memref<300x70xi32>, %arg2: memref<130x70xi32>) {
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    scf.forall (%arg3, %arg4) in (3, 2) {
      %0 = affine.apply #map(%arg3)
      %1 = affine.apply #map(%arg4)
      %2 = affine.min #map1(%arg3)
      %3 = affine.min #map2(%arg4)
      %alloc = memref.alloc() : memref<64x64xi32, 1>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %4 = affine.apply #map3(%arg5)
        %5 = affine.apply #map3(%arg6)
        %subview_1 = memref.subview %alloc[%4, %5] [32, 32] [1, 1] : memref<64x64xi32, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
        %alloc_2 = memref.alloc() : memref<4x8x4x8xi32, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%alloc_2 : memref<4x8x4x8xi32, 2>)
        scf.for %arg7 = %c0 to %c64 step %c32 {
          %6 = affine.min #map4(%arg5, %arg3)
          %7 = affine.min #map5(%2, %6)
          %8 = affine.apply #map6(%7)
          %9 = affine.apply #map7(%arg7)
          %10 = affine.min #map8(%arg7)
          %11 = affine.apply #map9(%10)
          %12 = affine.apply #map10(%arg3)[%6]
          %subview_3 = memref.subview %arg0[%12, %9] [%7, %10] [1, 1] : memref<130x300xi32> to memref<?x?xi32, strided<[300, 1], offset: ?>>
          %alloc_4 = memref.alloc() : memref<32x256xi32, 1>
          %13 = arith.cmpi ne, %8, %c0 : index
          %14 = arith.cmpi ne, %11, %c0 : index
          %15 = arith.ori %13, %14 : i1
          scf.if %15 {
            linalg.fill ins(%c0_i32 : i32) outs(%alloc_4 : memref<32x256xi32, 1>)
          }
          %subview_5 = memref.subview %alloc_4[0, 0] [%7, %10] [1, 1] : memref<32x256xi32, 1> to memref<?x?xi32, strided<[256, 1]>, 1>
          linalg.copy ins(%subview_3 : memref<?x?xi32, strided<[300, 1], offset: ?>>) outs(%subview_5 : memref<?x?xi32, strided<[256, 1]>, 1>)
          %16 = affine.min #map11(%arg6, %arg4)
          %17 = affine.min #map5(%3, %16)
          %18 = affine.apply #map6(%17)
          %19 = affine.apply #map10(%arg4)[%16]
          %subview_6 = memref.subview %arg1[%9, %19] [%10, %17] [1, 1] : memref<300x70xi32> to memref<?x?xi32, strided<[70, 1], offset: ?>>
          %alloc_7 = memref.alloc() : memref<256x32xi32, 1>
          %20 = arith.cmpi ne, %18, %c0 : index
          %21 = arith.ori %14, %20 : i1
          scf.if %21 {
            linalg.fill ins(%c0_i32 : i32) outs(%alloc_7 : memref<256x32xi32, 1>)
          }
          %subview_8 = memref.subview %alloc_7[0, 0] [%10, %17] [1, 1] : memref<256x32xi32, 1> to memref<?x?xi32, strided<[32, 1]>, 1>
          linalg.copy ins(%subview_6 : memref<?x?xi32, strided<[70, 1], offset: ?>>) outs(%subview_8 : memref<?x?xi32, strided<[32, 1]>, 1>)
          scf.for %arg8 = %c0 to %c32 step %c4 {
            %22 = affine.apply #map7(%arg8)
            %subview_9 = memref.subview %alloc_4[0, %22] [32, 32] [1, 1] : memref<32x256xi32, 1> to memref<32x32xi32, strided<[256, 1], offset: ?>, 1>
            %alloc_10 = memref.alloc() : memref<4x8x4x8xi32, 2>
            %expand_shape_11 = memref.expand_shape %subview_9 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_11 : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%alloc_10 : memref<4x8x4x8xi32, 2>) permutation = [2, 0, 1, 3] 
            %subview_12 = memref.subview %alloc_7[%22, 0] [32, 32] [1, 1] : memref<256x32xi32, 1> to memref<32x32xi32, strided<[32, 1], offset: ?>, 1>
            %alloc_13 = memref.alloc() : memref<4x4x8x8xi32, 2>
            %expand_shape_14 = memref.expand_shape %subview_12 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_14 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%alloc_13 : memref<4x4x8x8xi32, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [#map12, #map13, #map14], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_10, %alloc_13 : memref<4x8x4x8xi32, 2>, memref<4x4x8x8xi32, 2>) outs(%alloc_2 : memref<4x8x4x8xi32, 2>) {
            ^bb0(%in: i32, %in_15: i32, %out: i32):
              %23 = arith.muli %in, %in_15 : i32
              %24 = arith.addi %out, %23 : i32
              linalg.yield %24 : i32
            }
          }
        }
        %expand_shape = memref.expand_shape %subview_1 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_2 : memref<4x8x4x8xi32, 2>) outs(%expand_shape : memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview = memref.subview %alloc[0, 0] [%2, %3] [1, 1] : memref<64x64xi32, 1> to memref<?x?xi32, strided<[64, 1]>, 1>
      %subview_0 = memref.subview %arg2[%0, %1] [%2, %3] [1, 1] : memref<130x70xi32> to memref<?x?xi32, strided<[70, 1], offset: ?>>
      memref.copy %subview, %subview_0 : memref<?x?xi32, strided<[64, 1]>, 1> to memref<?x?xi32, strided<[70, 1], offset: ?>>
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
