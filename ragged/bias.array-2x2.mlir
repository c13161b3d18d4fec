module {
  func.func @bias(%arg0: memref<1030x520xf32> {llvm.noalias, llvm.readonly}, %arg1: memref<520x500xf32> {llvm.noalias, llvm.readonly}, %arg2: memref<500xf32> {llvm.noalias, llvm.readonly}, %arg3: memref<1030x500xf32> {llvm.noalias}) {
    %c0 = arith.constant 0 : index
    %c96 = arith.constant 96 : index
    %c32 = arith.constant 32 : index
    %c4 = arith.constant 4 : index
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %subview = memref.subview %arg0[0, 0] [1024, 520] [1, 1] : memref<1030x520xf32> to memref<1024x520xf32, strided<[520, 1]>>
    %subview_1 = memref.subview %arg1[0, 0] [520, 448] [1, 1] : memref<520x500xf32> to memref<520x448xf32, strided<[500, 1]>>
    %subview_2 = memref.subview %arg2[0] [448] [1] : memref<500xf32> to memref<448xf32, strided<[1]>>
    %subview_3 = memref.subview %arg3[0, 0] [1024, 448] [1, 1] : memref<1030x500xf32> to memref<1024x448xf32, strided<[500, 1]>>
    scf.forall (%arg4, %arg5) in (16, 7) {
      %0 = affine.apply affine_map<(d0) -> (d0 * 64)>(%arg4)
      %1 = affine.apply affine_map<(d0) -> (d0 * 64)>(%arg5)
      %alloc = memref.alloc() {alignment = 64 : i64} : memref<64x64xf32, 1>
      scf.forall (%arg6, %arg7) in (2, 2) {
        %2 = affine.apply affine_map<(d0) -> (d0 * 32)>(%arg6)
        %3 = affine.apply affine_map<(d0) -> (d0 * 32)>(%arg7)
        %alloc_11 = memref.alloc() {alignment = 64 : i64} : memref<4x8x4x8xf32, 2>
        linalg.fill ins(%cst_0 : f32) outs(%alloc_11 : memref<4x8x4x8xf32, 2>)
        %alloc_12 = memref.alloc() {alignment = 64 : i64} : memref<32x256xf32, 1>
        %alloc_13 = memref.alloc() {alignment = 64 : i64} : memref<256x32xf32, 1>
        %alloc_14 = memref.alloc() {alignment = 64 : i64} : memref<4x8x4x8xf32, 2>
        %alloc_15 = memref.alloc() {alignment = 64 : i64} : memref<4x4x8x8xf32, 2>
        scf.for %arg8 = %c0 to %c96 step %c32 {
          %5 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg8)
          %6 = affine.min affine_map<(d0) -> (d0 * -8 + 520, 256)>(%arg8)
          %7 = affine.apply affine_map<(d0) -> (-d0 + 256)>(%6)
          %8 = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1 * 64)>(%arg6, %arg4)
          %subview_20 = memref.subview %subview[%8, %5] [32, %6] [1, 1] : memref<1024x520xf32, strided<[520, 1]>> to memref<32x?xf32, strided<[520, 1], offset: ?>>
          %9 = arith.cmpi ne, %7, %c0 : index
          scf.if %9 {
            linalg.fill ins(%cst_0 : f32) outs(%alloc_12 : memref<32x256xf32, 1>)
          }
          %subview_21 = memref.subview %alloc_12[0, 0] [32, %6] [1, 1] : memref<32x256xf32, 1> to memref<32x?xf32, strided<[256, 1]>, 1>
          linalg.copy ins(%subview_20 : memref<32x?xf32, strided<[520, 1], offset: ?>>) outs(%subview_21 : memref<32x?xf32, strided<[256, 1]>, 1>)
          %10 = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1 * 64)>(%arg7, %arg5)
          %subview_22 = memref.subview %subview_1[%5, %10] [%6, 32] [1, 1] : memref<520x448xf32, strided<[500, 1]>> to memref<?x32xf32, strided<[500, 1], offset: ?>>
          scf.if %9 {
            linalg.fill ins(%cst_0 : f32) outs(%alloc_13 : memref<256x32xf32, 1>)
          }
          %subview_23 = memref.subview %alloc_13[0, 0] [%6, 32] [1, 1] : memref<256x32xf32, 1> to memref<?x32xf32, strided<[32, 1]>, 1>
          linalg.copy ins(%subview_22 : memref<?x32xf32, strided<[500, 1], offset: ?>>) outs(%subview_23 : memref<?x32xf32, strided<[32, 1]>, 1>)
          scf.for %arg9 = %c0 to %c32 step %c4 {
            %11 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg9)
            %subview_24 = memref.subview %alloc_12[0, %11] [32, 32] [1, 1] : memref<32x256xf32, 1> to memref<32x32xf32, strided<[256, 1], offset: ?>, 1>
            %expand_shape_25 = memref.expand_shape %subview_24 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xf32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xf32, strided<[1024, 256, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_25 : memref<8x4x4x8xf32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%alloc_14 : memref<4x8x4x8xf32, 2>) permutation = [2, 0, 1, 3] 
            %subview_26 = memref.subview %alloc_13[%11, 0] [32, 32] [1, 1] : memref<256x32xf32, 1> to memref<32x32xf32, strided<[32, 1], offset: ?>, 1>
            %expand_shape_27 = memref.expand_shape %subview_26 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xf32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xf32, strided<[256, 32, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_27 : memref<4x8x4x8xf32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%alloc_15 : memref<4x4x8x8xf32, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_14, %alloc_15 : memref<4x8x4x8xf32, 2>, memref<4x4x8x8xf32, 2>) outs(%alloc_11 : memref<4x8x4x8xf32, 2>) {
            ^bb0(%in: f32, %in_28: f32, %out: f32):
              %12 = arith.mulf %in, %in_28 : f32
              %13 = arith.addf %out, %12 : f32
              linalg.yield %13 : f32
            }
          }
        }
        %4 = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1 * 64)>(%arg7, %arg5)
        %subview_16 = memref.subview %subview_2[%4] [32] [1] : memref<448xf32, strided<[1]>> to memref<32xf32, strided<[1], offset: ?>>
        %subview_17 = memref.subview %alloc[%2, %3] [32, 32] [1, 1] : memref<64x64xf32, 1> to memref<32x32xf32, strided<[64, 1], offset: ?>, 1>
        %alloc_18 = memref.alloc() {alignment = 64 : i64} : memref<32xf32, 2>
        linalg.copy ins(%subview_16 : memref<32xf32, strided<[1], offset: ?>>) outs(%alloc_18 : memref<32xf32, 2>)
        %expand_shape = memref.expand_shape %alloc_18 [[0, 1]] output_shape [4, 8] : memref<32xf32, 2> into memref<4x8xf32, 2>
        linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%alloc_11, %expand_shape : memref<4x8x4x8xf32, 2>, memref<4x8xf32, 2>) outs(%alloc_11 : memref<4x8x4x8xf32, 2>) {
        ^bb0(%in: f32, %in_20: f32, %out: f32):
          %5 = arith.addf %in, %in_20 : f32
          %6 = arith.cmpf ogt, %cst_0, %5 : f32
          %7 = arith.select %6, %cst_0, %5 : f32
          linalg.yield %7 : f32
        }
        %expand_shape_19 = memref.expand_shape %subview_17 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xf32, strided<[64, 1], offset: ?>, 1> into memref<8x4x4x8xf32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_11 : memref<4x8x4x8xf32, 2>) outs(%expand_shape_19 : memref<8x4x4x8xf32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_10 = memref.subview %subview_3[%0, %1] [64, 64] [1, 1] : memref<1024x448xf32, strided<[500, 1]>> to memref<64x64xf32, strided<[500, 1], offset: ?>>
      memref.copy %alloc, %subview_10 : memref<64x64xf32, 1> to memref<64x64xf32, strided<[500, 1], offset: ?>>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    %subview_4 = memref.subview %arg1[0, 448] [520, 52] [1, 1] : memref<520x500xf32> to memref<520x52xf32, strided<[500, 1], offset: 448>>
    %subview_5 = memref.subview %arg2[448] [52] [1] : memref<500xf32> to memref<52xf32, strided<[1], offset: 448>>
    %subview_6 = memref.subview %arg3[0, 448] [1024, 52] [1, 1] : memref<1030x500xf32> to memref<1024x52xf32, strided<[500, 1], offset: 448>>
    scf.forall (%arg4, %arg5) in (16, 1) {
      %0 = affine.apply affine_map<(d0) -> (d0 * 64)>(%arg4)
      %alloc = memref.alloc() {alignment = 64 : i64} : memref<64xf32, 1>
      linalg.fill ins(%cst : f32) outs(%alloc : memref<64xf32, 1>)
      %subview_10 = memref.subview %alloc[0] [52] [1] : memref<64xf32, 1> to memref<52xf32, strided<[1]>, 1>
      linalg.copy ins(%subview_5 : memref<52xf32, strided<[1], offset: 448>>) outs(%subview_10 : memref<52xf32, strided<[1]>, 1>)
      %alloc_11 = memref.alloc() {alignment = 64 : i64} : memref<64x64xf32, 1>
      scf.forall (%arg6, %arg7) in (2, 2) {
        %1 = affine.apply affine_map<(d0) -> (d0 * 32)>(%arg6)
        %2 = affine.apply affine_map<(d0) -> (d0 * 32)>(%arg7)
        %subview_14 = memref.subview %alloc_11[%1, %2] [32, 32] [1, 1] : memref<64x64xf32, 1> to memref<32x32xf32, strided<[64, 1], offset: ?>, 1>
        %alloc_15 = memref.alloc() {alignment = 64 : i64} : memref<4x8x4x8xf32, 2>
        linalg.fill ins(%cst_0 : f32) outs(%alloc_15 : memref<4x8x4x8xf32, 2>)
        %alloc_16 = memref.alloc() {alignment = 64 : i64} : memref<32x256xf32, 1>
        %alloc_17 = memref.alloc() {alignment = 64 : i64} : memref<256x32xf32, 1>
        %alloc_18 = memref.alloc() {alignment = 64 : i64} : memref<4x8x4x8xf32, 2>
        %alloc_19 = memref.alloc() {alignment = 64 : i64} : memref<4x4x8x8xf32, 2>
        scf.for %arg8 = %c0 to %c96 step %c32 {
          %3 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg8)
          %4 = affine.min affine_map<(d0) -> (d0 * -8 + 520, 256)>(%arg8)
          %5 = affine.apply affine_map<(d0) -> (-d0 + 256)>(%4)
          %6 = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1 * 64)>(%arg6, %arg4)
          %subview_23 = memref.subview %subview[%6, %3] [32, %4] [1, 1] : memref<1024x520xf32, strided<[520, 1]>> to memref<32x?xf32, strided<[520, 1], offset: ?>>
          %7 = arith.cmpi ne, %5, %c0 : index
          scf.if %7 {
            linalg.fill ins(%cst_0 : f32) outs(%alloc_16 : memref<32x256xf32, 1>)
          }
          %subview_24 = memref.subview %alloc_16[0, 0] [32, %4] [1, 1] : memref<32x256xf32, 1> to memref<32x?xf32, strided<[256, 1]>, 1>
          linalg.copy ins(%subview_23 : memref<32x?xf32, strided<[520, 1], offset: ?>>) outs(%subview_24 : memref<32x?xf32, strided<[256, 1]>, 1>)
          %8 = affine.min affine_map<(d0) -> (d0 * -32 + 52, 32)>(%arg7)
          %9 = affine.apply affine_map<(d0) -> (-d0 + 32)>(%8)
          %subview_25 = memref.subview %subview_4[%3, %2] [%4, %8] [1, 1] : memref<520x52xf32, strided<[500, 1], offset: 448>> to memref<?x?xf32, strided<[500, 1], offset: ?>>
          %10 = arith.cmpi ne, %9, %c0 : index
          %11 = arith.ori %7, %10 : i1
          scf.if %11 {
            linalg.fill ins(%cst_0 : f32) outs(%alloc_17 : memref<256x32xf32, 1>)
          }
          %subview_26 = memref.subview %alloc_17[0, 0] [%4, %8] [1, 1] : memref<256x32xf32, 1> to memref<?x?xf32, strided<[32, 1]>, 1>
          linalg.copy ins(%subview_25 : memref<?x?xf32, strided<[500, 1], offset: ?>>) outs(%subview_26 : memref<?x?xf32, strided<[32, 1]>, 1>)
          scf.for %arg9 = %c0 to %c32 step %c4 {
            %12 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg9)
            %subview_27 = memref.subview %alloc_16[0, %12] [32, 32] [1, 1] : memref<32x256xf32, 1> to memref<32x32xf32, strided<[256, 1], offset: ?>, 1>
            %expand_shape_28 = memref.expand_shape %subview_27 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xf32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xf32, strided<[1024, 256, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_28 : memref<8x4x4x8xf32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%alloc_18 : memref<4x8x4x8xf32, 2>) permutation = [2, 0, 1, 3] 
            %subview_29 = memref.subview %alloc_17[%12, 0] [32, 32] [1, 1] : memref<256x32xf32, 1> to memref<32x32xf32, strided<[32, 1], offset: ?>, 1>
            %expand_shape_30 = memref.expand_shape %subview_29 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xf32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xf32, strided<[256, 32, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_30 : memref<4x8x4x8xf32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%alloc_19 : memref<4x4x8x8xf32, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_18, %alloc_19 : memref<4x8x4x8xf32, 2>, memref<4x4x8x8xf32, 2>) outs(%alloc_15 : memref<4x8x4x8xf32, 2>) {
            ^bb0(%in: f32, %in_31: f32, %out: f32):
              %13 = arith.mulf %in, %in_31 : f32
              %14 = arith.addf %out, %13 : f32
              linalg.yield %14 : f32
            }
          }
        }
        %subview_20 = memref.subview %alloc[%2] [32] [1] : memref<64xf32, 1> to memref<32xf32, strided<[1], offset: ?>, 1>
        %alloc_21 = memref.alloc() {alignment = 64 : i64} : memref<32xf32, 2>
        linalg.copy ins(%subview_20 : memref<32xf32, strided<[1], offset: ?>, 1>) outs(%alloc_21 : memref<32xf32, 2>)
        %expand_shape = memref.expand_shape %alloc_21 [[0, 1]] output_shape [4, 8] : memref<32xf32, 2> into memref<4x8xf32, 2>
        linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%alloc_15, %expand_shape : memref<4x8x4x8xf32, 2>, memref<4x8xf32, 2>) outs(%alloc_15 : memref<4x8x4x8xf32, 2>) {
        ^bb0(%in: f32, %in_23: f32, %out: f32):
          %3 = arith.addf %in, %in_23 : f32
          %4 = arith.cmpf ogt, %cst_0, %3 : f32
          %5 = arith.select %4, %cst_0, %3 : f32
          linalg.yield %5 : f32
        }
        %expand_shape_22 = memref.expand_shape %subview_14 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xf32, strided<[64, 1], offset: ?>, 1> into memref<8x4x4x8xf32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_15 : memref<4x8x4x8xf32, 2>) outs(%expand_shape_22 : memref<8x4x4x8xf32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_12 = memref.subview %alloc_11[0, 0] [64, 52] [1, 1] : memref<64x64xf32, 1> to memref<64x52xf32, strided<[64, 1]>, 1>
      %subview_13 = memref.subview %subview_6[%0, 0] [64, 52] [1, 1] : memref<1024x52xf32, strided<[500, 1], offset: 448>> to memref<64x52xf32, strided<[500, 1], offset: ?>>
      memref.copy %subview_12, %subview_13 : memref<64x52xf32, strided<[64, 1]>, 1> to memref<64x52xf32, strided<[500, 1], offset: ?>>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    %subview_7 = memref.subview %arg0[1024, 0] [6, 520] [1, 1] : memref<1030x520xf32> to memref<6x520xf32, strided<[520, 1], offset: 532480>>
    %subview_8 = memref.subview %arg3[1024, 0] [6, 448] [1, 1] : memref<1030x500xf32> to memref<6x448xf32, strided<[500, 1], offset: 512000>>
    scf.forall (%arg4, %arg5) in (1, 7) {
      %0 = affine.apply affine_map<(d0) -> (d0 * 64)>(%arg5)
      %alloc = memref.alloc() {alignment = 64 : i64} : memref<8x64xf32, 1>
      scf.forall (%arg6, %arg7) in (1, 2) {
        %1 = affine.apply affine_map<(d0) -> (d0 * 32)>(%arg7)
        %subview_12 = memref.subview %alloc[0, %1] [8, 32] [1, 1] : memref<8x64xf32, 1> to memref<8x32xf32, strided<[64, 1], offset: ?>, 1>
        %alloc_13 = memref.alloc() {alignment = 64 : i64} : memref<4x2x4x8xf32, 2>
        linalg.fill ins(%cst_0 : f32) outs(%alloc_13 : memref<4x2x4x8xf32, 2>)
        %alloc_14 = memref.alloc() {alignment = 64 : i64} : memref<8x256xf32, 1>
        %alloc_15 = memref.alloc() {alignment = 64 : i64} : memref<256x32xf32, 1>
        %alloc_16 = memref.alloc() {alignment = 64 : i64} : memref<4x2x4x8xf32, 2>
        %alloc_17 = memref.alloc() {alignment = 64 : i64} : memref<4x4x8x8xf32, 2>
        scf.for %arg8 = %c0 to %c96 step %c32 {
          %3 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg8)
          %4 = affine.min affine_map<(d0) -> (d0 * -8 + 520, 256)>(%arg8)
          %5 = affine.apply affine_map<(d0) -> (-d0 + 256)>(%4)
          %subview_21 = memref.subview %subview_7[0, %3] [6, %4] [1, 1] : memref<6x520xf32, strided<[520, 1], offset: 532480>> to memref<6x?xf32, strided<[520, 1], offset: ?>>
          linalg.fill ins(%cst_0 : f32) outs(%alloc_14 : memref<8x256xf32, 1>)
          %subview_22 = memref.subview %alloc_14[0, 0] [6, %4] [1, 1] : memref<8x256xf32, 1> to memref<6x?xf32, strided<[256, 1]>, 1>
          linalg.copy ins(%subview_21 : memref<6x?xf32, strided<[520, 1], offset: ?>>) outs(%subview_22 : memref<6x?xf32, strided<[256, 1]>, 1>)
          %6 = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1 * 64)>(%arg7, %arg5)
          %subview_23 = memref.subview %subview_1[%3, %6] [%4, 32] [1, 1] : memref<520x448xf32, strided<[500, 1]>> to memref<?x32xf32, strided<[500, 1], offset: ?>>
          %7 = arith.cmpi ne, %5, %c0 : index
          scf.if %7 {
            linalg.fill ins(%cst_0 : f32) outs(%alloc_15 : memref<256x32xf32, 1>)
          }
          %subview_24 = memref.subview %alloc_15[0, 0] [%4, 32] [1, 1] : memref<256x32xf32, 1> to memref<?x32xf32, strided<[32, 1]>, 1>
          linalg.copy ins(%subview_23 : memref<?x32xf32, strided<[500, 1], offset: ?>>) outs(%subview_24 : memref<?x32xf32, strided<[32, 1]>, 1>)
          scf.for %arg9 = %c0 to %c32 step %c4 {
            %8 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg9)
            %subview_25 = memref.subview %alloc_14[0, %8] [8, 32] [1, 1] : memref<8x256xf32, 1> to memref<8x32xf32, strided<[256, 1], offset: ?>, 1>
            %expand_shape_26 = memref.expand_shape %subview_25 [[0, 1], [2, 3]] output_shape [2, 4, 4, 8] : memref<8x32xf32, strided<[256, 1], offset: ?>, 1> into memref<2x4x4x8xf32, strided<[1024, 256, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_26 : memref<2x4x4x8xf32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%alloc_16 : memref<4x2x4x8xf32, 2>) permutation = [2, 0, 1, 3] 
            %subview_27 = memref.subview %alloc_15[%8, 0] [32, 32] [1, 1] : memref<256x32xf32, 1> to memref<32x32xf32, strided<[32, 1], offset: ?>, 1>
            %expand_shape_28 = memref.expand_shape %subview_27 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xf32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xf32, strided<[256, 32, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_28 : memref<4x8x4x8xf32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%alloc_17 : memref<4x4x8x8xf32, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_16, %alloc_17 : memref<4x2x4x8xf32, 2>, memref<4x4x8x8xf32, 2>) outs(%alloc_13 : memref<4x2x4x8xf32, 2>) {
            ^bb0(%in: f32, %in_29: f32, %out: f32):
              %9 = arith.mulf %in, %in_29 : f32
              %10 = arith.addf %out, %9 : f32
              linalg.yield %10 : f32
            }
          }
        }
        %2 = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1 * 64)>(%arg7, %arg5)
        %subview_18 = memref.subview %subview_2[%2] [32] [1] : memref<448xf32, strided<[1]>> to memref<32xf32, strided<[1], offset: ?>>
        %alloc_19 = memref.alloc() {alignment = 64 : i64} : memref<32xf32, 2>
        linalg.copy ins(%subview_18 : memref<32xf32, strided<[1], offset: ?>>) outs(%alloc_19 : memref<32xf32, 2>)
        %expand_shape = memref.expand_shape %alloc_19 [[0, 1]] output_shape [4, 8] : memref<32xf32, 2> into memref<4x8xf32, 2>
        linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%alloc_13, %expand_shape : memref<4x2x4x8xf32, 2>, memref<4x8xf32, 2>) outs(%alloc_13 : memref<4x2x4x8xf32, 2>) {
        ^bb0(%in: f32, %in_21: f32, %out: f32):
          %3 = arith.addf %in, %in_21 : f32
          %4 = arith.cmpf ogt, %cst_0, %3 : f32
          %5 = arith.select %4, %cst_0, %3 : f32
          linalg.yield %5 : f32
        }
        %expand_shape_20 = memref.expand_shape %subview_12 [[0, 1], [2, 3]] output_shape [2, 4, 4, 8] : memref<8x32xf32, strided<[64, 1], offset: ?>, 1> into memref<2x4x4x8xf32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_13 : memref<4x2x4x8xf32, 2>) outs(%expand_shape_20 : memref<2x4x4x8xf32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_10 = memref.subview %alloc[0, 0] [6, 64] [1, 1] : memref<8x64xf32, 1> to memref<6x64xf32, strided<[64, 1]>, 1>
      %subview_11 = memref.subview %subview_8[0, %0] [6, 64] [1, 1] : memref<6x448xf32, strided<[500, 1], offset: 512000>> to memref<6x64xf32, strided<[500, 1], offset: ?>>
      memref.copy %subview_10, %subview_11 : memref<6x64xf32, strided<[64, 1]>, 1> to memref<6x64xf32, strided<[500, 1], offset: ?>>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    %subview_9 = memref.subview %arg3[1024, 448] [6, 52] [1, 1] : memref<1030x500xf32> to memref<6x52xf32, strided<[500, 1], offset: 512448>>
    scf.forall (%arg4, %arg5) in (1, 1) {
      %alloc = memref.alloc() {alignment = 64 : i64} : memref<64xf32, 1>
      linalg.fill ins(%cst : f32) outs(%alloc : memref<64xf32, 1>)
      %subview_10 = memref.subview %alloc[0] [52] [1] : memref<64xf32, 1> to memref<52xf32, strided<[1]>, 1>
      linalg.copy ins(%subview_5 : memref<52xf32, strided<[1], offset: 448>>) outs(%subview_10 : memref<52xf32, strided<[1]>, 1>)
      %alloc_11 = memref.alloc() {alignment = 64 : i64} : memref<8x64xf32, 1>
      scf.forall (%arg6, %arg7) in (1, 2) {
        %0 = affine.apply affine_map<(d0) -> (d0 * 32)>(%arg7)
        %subview_13 = memref.subview %alloc_11[0, %0] [8, 32] [1, 1] : memref<8x64xf32, 1> to memref<8x32xf32, strided<[64, 1], offset: ?>, 1>
        %alloc_14 = memref.alloc() {alignment = 64 : i64} : memref<4x2x4x8xf32, 2>
        linalg.fill ins(%cst_0 : f32) outs(%alloc_14 : memref<4x2x4x8xf32, 2>)
        %alloc_15 = memref.alloc() {alignment = 64 : i64} : memref<8x256xf32, 1>
        %alloc_16 = memref.alloc() {alignment = 64 : i64} : memref<256x32xf32, 1>
        %alloc_17 = memref.alloc() {alignment = 64 : i64} : memref<4x2x4x8xf32, 2>
        %alloc_18 = memref.alloc() {alignment = 64 : i64} : memref<4x4x8x8xf32, 2>
        scf.for %arg8 = %c0 to %c96 step %c32 {
          %1 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg8)
          %2 = affine.min affine_map<(d0) -> (d0 * -8 + 520, 256)>(%arg8)
          %3 = affine.apply affine_map<(d0) -> (-d0 + 256)>(%2)
          %subview_22 = memref.subview %subview_7[0, %1] [6, %2] [1, 1] : memref<6x520xf32, strided<[520, 1], offset: 532480>> to memref<6x?xf32, strided<[520, 1], offset: ?>>
          linalg.fill ins(%cst_0 : f32) outs(%alloc_15 : memref<8x256xf32, 1>)
          %subview_23 = memref.subview %alloc_15[0, 0] [6, %2] [1, 1] : memref<8x256xf32, 1> to memref<6x?xf32, strided<[256, 1]>, 1>
          linalg.copy ins(%subview_22 : memref<6x?xf32, strided<[520, 1], offset: ?>>) outs(%subview_23 : memref<6x?xf32, strided<[256, 1]>, 1>)
          %4 = affine.min affine_map<(d0) -> (d0 * -32 + 52, 32)>(%arg7)
          %5 = affine.apply affine_map<(d0) -> (-d0 + 32)>(%4)
          %subview_24 = memref.subview %subview_4[%1, %0] [%2, %4] [1, 1] : memref<520x52xf32, strided<[500, 1], offset: 448>> to memref<?x?xf32, strided<[500, 1], offset: ?>>
          %6 = arith.cmpi ne, %3, %c0 : index
          %7 = arith.cmpi ne, %5, %c0 : index
          %8 = arith.ori %6, %7 : i1
          scf.if %8 {
            linalg.fill ins(%cst_0 : f32) outs(%alloc_16 : memref<256x32xf32, 1>)
          }
          %subview_25 = memref.subview %alloc_16[0, 0] [%2, %4] [1, 1] : memref<256x32xf32, 1> to memref<?x?xf32, strided<[32, 1]>, 1>
          linalg.copy ins(%subview_24 : memref<?x?xf32, strided<[500, 1], offset: ?>>) outs(%subview_25 : memref<?x?xf32, strided<[32, 1]>, 1>)
          scf.for %arg9 = %c0 to %c32 step %c4 {
            %9 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg9)
            %subview_26 = memref.subview %alloc_15[0, %9] [8, 32] [1, 1] : memref<8x256xf32, 1> to memref<8x32xf32, strided<[256, 1], offset: ?>, 1>
            %expand_shape_27 = memref.expand_shape %subview_26 [[0, 1], [2, 3]] output_shape [2, 4, 4, 8] : memref<8x32xf32, strided<[256, 1], offset: ?>, 1> into memref<2x4x4x8xf32, strided<[1024, 256, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_27 : memref<2x4x4x8xf32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%alloc_17 : memref<4x2x4x8xf32, 2>) permutation = [2, 0, 1, 3] 
            %subview_28 = memref.subview %alloc_16[%9, 0] [32, 32] [1, 1] : memref<256x32xf32, 1> to memref<32x32xf32, strided<[32, 1], offset: ?>, 1>
            %expand_shape_29 = memref.expand_shape %subview_28 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xf32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xf32, strided<[256, 32, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_29 : memref<4x8x4x8xf32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%alloc_18 : memref<4x4x8x8xf32, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_17, %alloc_18 : memref<4x2x4x8xf32, 2>, memref<4x4x8x8xf32, 2>) outs(%alloc_14 : memref<4x2x4x8xf32, 2>) {
            ^bb0(%in: f32, %in_30: f32, %out: f32):
              %10 = arith.mulf %in, %in_30 : f32
              %11 = arith.addf %out, %10 : f32
              linalg.yield %11 : f32
            }
          }
        }
        %subview_19 = memref.subview %alloc[%0] [32] [1] : memref<64xf32, 1> to memref<32xf32, strided<[1], offset: ?>, 1>
        %alloc_20 = memref.alloc() {alignment = 64 : i64} : memref<32xf32, 2>
        linalg.copy ins(%subview_19 : memref<32xf32, strided<[1], offset: ?>, 1>) outs(%alloc_20 : memref<32xf32, 2>)
        %expand_shape = memref.expand_shape %alloc_20 [[0, 1]] output_shape [4, 8] : memref<32xf32, 2> into memref<4x8xf32, 2>
        linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%alloc_14, %expand_shape : memref<4x2x4x8xf32, 2>, memref<4x8xf32, 2>) outs(%alloc_14 : memref<4x2x4x8xf32, 2>) {
        ^bb0(%in: f32, %in_22: f32, %out: f32):
          %1 = arith.addf %in, %in_22 : f32
          %2 = arith.cmpf ogt, %cst_0, %1 : f32
          %3 = arith.select %2, %cst_0, %1 : f32
          linalg.yield %3 : f32
        }
        %expand_shape_21 = memref.expand_shape %subview_13 [[0, 1], [2, 3]] output_shape [2, 4, 4, 8] : memref<8x32xf32, strided<[64, 1], offset: ?>, 1> into memref<2x4x4x8xf32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_14 : memref<4x2x4x8xf32, 2>) outs(%expand_shape_21 : memref<2x4x4x8xf32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_12 = memref.subview %alloc_11[0, 0] [6, 52] [1, 1] : memref<8x64xf32, 1> to memref<6x52xf32, strided<[64, 1]>, 1>
      memref.copy %subview_12, %subview_9 : memref<6x52xf32, strided<[64, 1]>, 1> to memref<6x52xf32, strided<[500, 1], offset: 512448>>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    return
  }
}
