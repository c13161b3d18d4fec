// Two products and the softmax between them: the scores of 8 queries stay in L1, keys and values are streamed.
// RUN: kgen simulate "%s" --machine array-2x2 --data | FileCheck "%s"
// CHECK: {{^}}f on array-2x2, 2x2 cores: 280929 cycles{{$}}
// CHECK: Results, against reference
// CHECK: {{^}}  {{ *}}3  f32[128, 64] {{ *}}8192      0
// CHECK: {{^}}all results agree
// CHECK-NOT: fault
#map = affine_map<()[s0, s1] -> (s0 + s1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @f(%arg0: memref<128x64xf32>, %arg1: memref<64x1024xf32>, %arg2: memref<1024x64xf32>, %arg3: memref<128x64xf32>) {
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0xFFC00000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    scf.forall (%arg4) = (0) to (128) step (32) {
      %subview = memref.subview %arg3[%arg4, 0] [32, 64] [1, 1] : memref<128x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
      scf.forall (%arg5) = (0) to (32) step (8) {
        %0 = affine.apply #map()[%arg5, %arg4]
        %subview_1 = memref.subview %arg0[%0, 0] [8, 64] [1, 1] : memref<128x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
        %alloc = memref.alloc() : memref<8x1024xf32, 2>
        linalg.fill ins(%cst_0 : f32) outs(%alloc : memref<8x1024xf32, 2>)
        %alloc_2 = memref.alloc() : memref<8x64xf32, 2>
        linalg.copy ins(%subview_1 : memref<8x64xf32, strided<[64, 1], offset: ?>>) outs(%alloc_2 : memref<8x64xf32, 2>)
        scf.for %arg6 = %c0 to %c1024 step %c64 {
          %subview_7 = memref.subview %arg1[0, %arg6] [64, 64] [1, 1] : memref<64x1024xf32> to memref<64x64xf32, strided<[1024, 1], offset: ?>>
          %subview_8 = memref.subview %alloc[0, %arg6] [8, 64] [1, 1] : memref<8x1024xf32, 2> to memref<8x64xf32, strided<[1024, 1], offset: ?>, 2>
          %alloc_9 = memref.alloc() : memref<64x64xf32, 2>
          linalg.copy ins(%subview_7 : memref<64x64xf32, strided<[1024, 1], offset: ?>>) outs(%alloc_9 : memref<64x64xf32, 2>)
          linalg.matmul ins(%alloc_2, %alloc_9 : memref<8x64xf32, 2>, memref<64x64xf32, 2>) outs(%subview_8 : memref<8x64xf32, strided<[1024, 1], offset: ?>, 2>)
        }
        %alloc_3 = memref.alloc() : memref<8xf32, 2>
        linalg.fill ins(%cst : f32) outs(%alloc_3 : memref<8xf32, 2>)
        linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%alloc : memref<8x1024xf32, 2>) outs(%alloc_3 : memref<8xf32, 2>) {
        ^bb0(%in: f32, %out: f32):
          %1 = arith.maxnumf %in, %out : f32
          linalg.yield %1 : f32
        }
        linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc, %alloc_3 : memref<8x1024xf32, 2>, memref<8xf32, 2>) outs(%alloc : memref<8x1024xf32, 2>) {
        ^bb0(%in: f32, %in_7: f32, %out: f32):
          %1 = arith.subf %in, %in_7 : f32
          %2 = math.exp %1 : f32
          linalg.yield %2 : f32
        }
        %alloc_4 = memref.alloc() : memref<8xf32, 2>
        linalg.fill ins(%cst_0 : f32) outs(%alloc_4 : memref<8xf32, 2>)
        linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%alloc : memref<8x1024xf32, 2>) outs(%alloc_4 : memref<8xf32, 2>) {
        ^bb0(%in: f32, %out: f32):
          %1 = arith.addf %in, %out : f32
          linalg.yield %1 : f32
        }
        linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc, %alloc_4 : memref<8x1024xf32, 2>, memref<8xf32, 2>) outs(%alloc : memref<8x1024xf32, 2>) {
        ^bb0(%in: f32, %in_7: f32, %out: f32):
          %1 = arith.divf %in, %in_7 : f32
          linalg.yield %1 : f32
        }
        %alloc_5 = memref.alloc() : memref<8x64xf32, 2>
        linalg.fill ins(%cst_0 : f32) outs(%alloc_5 : memref<8x64xf32, 2>)
        scf.for %arg6 = %c0 to %c1024 step %c64 {
          %subview_7 = memref.subview %alloc[0, %arg6] [8, 64] [1, 1] : memref<8x1024xf32, 2> to memref<8x64xf32, strided<[1024, 1], offset: ?>, 2>
          %subview_8 = memref.subview %arg2[%arg6, 0] [64, 64] [1, 1] : memref<1024x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
          %alloc_9 = memref.alloc() : memref<64x64xf32, 2>
          linalg.copy ins(%subview_8 : memref<64x64xf32, strided<[64, 1], offset: ?>>) outs(%alloc_9 : memref<64x64xf32, 2>)
          linalg.matmul ins(%subview_7, %alloc_9 : memref<8x64xf32, strided<[1024, 1], offset: ?>, 2>, memref<64x64xf32, 2>) outs(%alloc_5 : memref<8x64xf32, 2>)
        }
        %subview_6 = memref.subview %subview[%arg5, 0] [8, 64] [1, 1] : memref<32x64xf32, strided<[64, 1], offset: ?>> to memref<8x64xf32, strided<[64, 1], offset: ?>>
        memref.copy %alloc_5, %subview_6 : memref<8x64xf32, 2> to memref<8x64xf32, strided<[64, 1], offset: ?>>
      } {mapping = [#gpu.thread<x>]}
    } {mapping = [#gpu.block<x>]}
    return
  }
  func.func @reference(%arg0: memref<128x64xf32>, %arg1: memref<64x1024xf32>, %arg2: memref<1024x64xf32>, %arg3: memref<128x64xf32>) {
    %cst = arith.constant 0xFFC00000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %alloc = memref.alloc() : memref<128x1024xf32>
    linalg.fill ins(%cst_0 : f32) outs(%alloc : memref<128x1024xf32>)
    linalg.matmul ins(%arg0, %arg1 : memref<128x64xf32>, memref<64x1024xf32>) outs(%alloc : memref<128x1024xf32>)
    %alloc_1 = memref.alloc() : memref<128xf32>
    linalg.fill ins(%cst : f32) outs(%alloc_1 : memref<128xf32>)
    linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%alloc : memref<128x1024xf32>) outs(%alloc_1 : memref<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.maxnumf %in, %out : f32
      linalg.yield %0 : f32
    }
    linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc, %alloc_1 : memref<128x1024xf32>, memref<128xf32>) outs(%alloc : memref<128x1024xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %0 = arith.subf %in, %in_2 : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    }
    linalg.fill ins(%cst_0 : f32) outs(%alloc_1 : memref<128xf32>)
    linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%alloc : memref<128x1024xf32>) outs(%alloc_1 : memref<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    }
    linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc, %alloc_1 : memref<128x1024xf32>, memref<128xf32>) outs(%alloc : memref<128x1024xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %0 = arith.divf %in, %in_2 : f32
      linalg.yield %0 : f32
    }
    linalg.fill ins(%cst_0 : f32) outs(%arg3 : memref<128x64xf32>)
    linalg.matmul ins(%alloc, %arg2 : memref<128x1024xf32>, memref<1024x64xf32>) outs(%arg3 : memref<128x64xf32>)
    return
  }
}
// REQUIRES: machines
