module {
  func.func @plain(%arg0: memref<1030x520xi32> {llvm.noalias, llvm.readonly}, %arg1: memref<520x500xi32> {llvm.noalias, llvm.readonly}, %arg2: memref<1030x500xi32> {llvm.noalias}) {
    %c0 = arith.constant 0 : index
    %c96 = arith.constant 96 : index
    %c32 = arith.constant 32 : index
    %c4 = arith.constant 4 : index
    %c0_i32 = arith.constant 0 : i32
    %subview = memref.subview %arg0[0, 0] [1024, 520] [1, 1] : memref<1030x520xi32> to memref<1024x520xi32, strided<[520, 1]>>
    %subview_0 = memref.subview %arg1[0, 0] [520, 448] [1, 1] : memref<520x500xi32> to memref<520x448xi32, strided<[500, 1]>>
    %subview_1 = memref.subview %arg2[0, 0] [1024, 448] [1, 1] : memref<1030x500xi32> to memref<1024x448xi32, strided<[500, 1]>>
    scf.forall (%arg3, %arg4) in (16, 7) {
      %0 = affine.apply affine_map<(d0) -> (d0 * 64)>(%arg3)
      %1 = affine.apply affine_map<(d0) -> (d0 * 64)>(%arg4)
      %alloc = memref.alloc() {alignment = 64 : i64} : memref<64x64xi32, 1>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %2 = affine.apply affine_map<(d0) -> (d0 * 32)>(%arg5)
        %3 = affine.apply affine_map<(d0) -> (d0 * 32)>(%arg6)
        %subview_8 = memref.subview %alloc[%2, %3] [32, 32] [1, 1] : memref<64x64xi32, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
        %alloc_9 = memref.alloc() {alignment = 64 : i64} : memref<4x8x4x8xi32, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%alloc_9 : memref<4x8x4x8xi32, 2>)
        %alloc_10 = memref.alloc() {alignment = 64 : i64} : memref<32x256xi32, 1>
        %alloc_11 = memref.alloc() {alignment = 64 : i64} : memref<256x32xi32, 1>
        %alloc_12 = memref.alloc() {alignment = 64 : i64} : memref<4x8x4x8xi32, 2>
        %alloc_13 = memref.alloc() {alignment = 64 : i64} : memref<4x4x8x8xi32, 2>
        scf.for %arg7 = %c0 to %c96 step %c32 {
          %4 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg7)
          %5 = affine.min affine_map<(d0) -> (d0 * -8 + 520, 256)>(%arg7)
          %6 = affine.apply affine_map<(d0) -> (-d0 + 256)>(%5)
          %7 = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1 * 64)>(%arg5, %arg3)
          %subview_14 = memref.subview %subview[%7, %4] [32, %5] [1, 1] : memref<1024x520xi32, strided<[520, 1]>> to memref<32x?xi32, strided<[520, 1], offset: ?>>
          %8 = arith.cmpi ne, %6, %c0 : index
          scf.if %8 {
            linalg.fill ins(%c0_i32 : i32) outs(%alloc_10 : memref<32x256xi32, 1>)
          }
          %subview_15 = memref.subview %alloc_10[0, 0] [32, %5] [1, 1] : memref<32x256xi32, 1> to memref<32x?xi32, strided<[256, 1]>, 1>
          linalg.copy ins(%subview_14 : memref<32x?xi32, strided<[520, 1], offset: ?>>) outs(%subview_15 : memref<32x?xi32, strided<[256, 1]>, 1>)
          %9 = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1 * 64)>(%arg6, %arg4)
          %subview_16 = memref.subview %subview_0[%4, %9] [%5, 32] [1, 1] : memref<520x448xi32, strided<[500, 1]>> to memref<?x32xi32, strided<[500, 1], offset: ?>>
          scf.if %8 {
            linalg.fill ins(%c0_i32 : i32) outs(%alloc_11 : memref<256x32xi32, 1>)
          }
          %subview_17 = memref.subview %alloc_11[0, 0] [%5, 32] [1, 1] : memref<256x32xi32, 1> to memref<?x32xi32, strided<[32, 1]>, 1>
          linalg.copy ins(%subview_16 : memref<?x32xi32, strided<[500, 1], offset: ?>>) outs(%subview_17 : memref<?x32xi32, strided<[32, 1]>, 1>)
          scf.for %arg8 = %c0 to %c32 step %c4 {
            %10 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg8)
            %subview_18 = memref.subview %alloc_10[0, %10] [32, 32] [1, 1] : memref<32x256xi32, 1> to memref<32x32xi32, strided<[256, 1], offset: ?>, 1>
            %expand_shape_19 = memref.expand_shape %subview_18 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_19 : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%alloc_12 : memref<4x8x4x8xi32, 2>) permutation = [2, 0, 1, 3] 
            %subview_20 = memref.subview %alloc_11[%10, 0] [32, 32] [1, 1] : memref<256x32xi32, 1> to memref<32x32xi32, strided<[32, 1], offset: ?>, 1>
            %expand_shape_21 = memref.expand_shape %subview_20 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_21 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%alloc_13 : memref<4x4x8x8xi32, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_12, %alloc_13 : memref<4x8x4x8xi32, 2>, memref<4x4x8x8xi32, 2>) outs(%alloc_9 : memref<4x8x4x8xi32, 2>) {
            ^bb0(%in: i32, %in_22: i32, %out: i32):
              %11 = arith.muli %in, %in_22 : i32
              %12 = arith.addi %out, %11 : i32
              linalg.yield %12 : i32
            }
          }
        }
        %expand_shape = memref.expand_shape %subview_8 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_9 : memref<4x8x4x8xi32, 2>) outs(%expand_shape : memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_7 = memref.subview %subview_1[%0, %1] [64, 64] [1, 1] : memref<1024x448xi32, strided<[500, 1]>> to memref<64x64xi32, strided<[500, 1], offset: ?>>
      memref.copy %alloc, %subview_7 : memref<64x64xi32, 1> to memref<64x64xi32, strided<[500, 1], offset: ?>>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    %subview_2 = memref.subview %arg1[0, 448] [520, 52] [1, 1] : memref<520x500xi32> to memref<520x52xi32, strided<[500, 1], offset: 448>>
    %subview_3 = memref.subview %arg2[0, 448] [1024, 52] [1, 1] : memref<1030x500xi32> to memref<1024x52xi32, strided<[500, 1], offset: 448>>
    scf.forall (%arg3, %arg4) in (16, 1) {
      %0 = affine.apply affine_map<(d0) -> (d0 * 64)>(%arg3)
      %alloc = memref.alloc() {alignment = 64 : i64} : memref<64x64xi32, 1>
      scf.forall (%arg5, %arg6) in (2, 2) {
        %1 = affine.apply affine_map<(d0) -> (d0 * 32)>(%arg5)
        %2 = affine.apply affine_map<(d0) -> (d0 * 32)>(%arg6)
        %subview_9 = memref.subview %alloc[%1, %2] [32, 32] [1, 1] : memref<64x64xi32, 1> to memref<32x32xi32, strided<[64, 1], offset: ?>, 1>
        %alloc_10 = memref.alloc() {alignment = 64 : i64} : memref<4x8x4x8xi32, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%alloc_10 : memref<4x8x4x8xi32, 2>)
        %alloc_11 = memref.alloc() {alignment = 64 : i64} : memref<32x256xi32, 1>
        %alloc_12 = memref.alloc() {alignment = 64 : i64} : memref<256x32xi32, 1>
        %alloc_13 = memref.alloc() {alignment = 64 : i64} : memref<4x8x4x8xi32, 2>
        %alloc_14 = memref.alloc() {alignment = 64 : i64} : memref<4x4x8x8xi32, 2>
        scf.for %arg7 = %c0 to %c96 step %c32 {
          %3 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg7)
          %4 = affine.min affine_map<(d0) -> (d0 * -8 + 520, 256)>(%arg7)
          %5 = affine.apply affine_map<(d0) -> (-d0 + 256)>(%4)
          %6 = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1 * 64)>(%arg5, %arg3)
          %subview_15 = memref.subview %subview[%6, %3] [32, %4] [1, 1] : memref<1024x520xi32, strided<[520, 1]>> to memref<32x?xi32, strided<[520, 1], offset: ?>>
          %7 = arith.cmpi ne, %5, %c0 : index
          scf.if %7 {
            linalg.fill ins(%c0_i32 : i32) outs(%alloc_11 : memref<32x256xi32, 1>)
          }
          %subview_16 = memref.subview %alloc_11[0, 0] [32, %4] [1, 1] : memref<32x256xi32, 1> to memref<32x?xi32, strided<[256, 1]>, 1>
          linalg.copy ins(%subview_15 : memref<32x?xi32, strided<[520, 1], offset: ?>>) outs(%subview_16 : memref<32x?xi32, strided<[256, 1]>, 1>)
          %8 = affine.min affine_map<(d0) -> (d0 * -32 + 52, 32)>(%arg6)
          %9 = affine.apply affine_map<(d0) -> (-d0 + 32)>(%8)
          %subview_17 = memref.subview %subview_2[%3, %2] [%4, %8] [1, 1] : memref<520x52xi32, strided<[500, 1], offset: 448>> to memref<?x?xi32, strided<[500, 1], offset: ?>>
          %10 = arith.cmpi ne, %9, %c0 : index
          %11 = arith.ori %7, %10 : i1
          scf.if %11 {
            linalg.fill ins(%c0_i32 : i32) outs(%alloc_12 : memref<256x32xi32, 1>)
          }
          %subview_18 = memref.subview %alloc_12[0, 0] [%4, %8] [1, 1] : memref<256x32xi32, 1> to memref<?x?xi32, strided<[32, 1]>, 1>
          linalg.copy ins(%subview_17 : memref<?x?xi32, strided<[500, 1], offset: ?>>) outs(%subview_18 : memref<?x?xi32, strided<[32, 1]>, 1>)
          scf.for %arg8 = %c0 to %c32 step %c4 {
            %12 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg8)
            %subview_19 = memref.subview %alloc_11[0, %12] [32, 32] [1, 1] : memref<32x256xi32, 1> to memref<32x32xi32, strided<[256, 1], offset: ?>, 1>
            %expand_shape_20 = memref.expand_shape %subview_19 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[256, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_20 : memref<8x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%alloc_13 : memref<4x8x4x8xi32, 2>) permutation = [2, 0, 1, 3] 
            %subview_21 = memref.subview %alloc_12[%12, 0] [32, 32] [1, 1] : memref<256x32xi32, 1> to memref<32x32xi32, strided<[32, 1], offset: ?>, 1>
            %expand_shape_22 = memref.expand_shape %subview_21 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_22 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%alloc_14 : memref<4x4x8x8xi32, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_13, %alloc_14 : memref<4x8x4x8xi32, 2>, memref<4x4x8x8xi32, 2>) outs(%alloc_10 : memref<4x8x4x8xi32, 2>) {
            ^bb0(%in: i32, %in_23: i32, %out: i32):
              %13 = arith.muli %in, %in_23 : i32
              %14 = arith.addi %out, %13 : i32
              linalg.yield %14 : i32
            }
          }
        }
        %expand_shape = memref.expand_shape %subview_9 [[0, 1], [2, 3]] output_shape [8, 4, 4, 8] : memref<32x32xi32, strided<[64, 1], offset: ?>, 1> into memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_10 : memref<4x8x4x8xi32, 2>) outs(%expand_shape : memref<8x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_7 = memref.subview %alloc[0, 0] [64, 52] [1, 1] : memref<64x64xi32, 1> to memref<64x52xi32, strided<[64, 1]>, 1>
      %subview_8 = memref.subview %subview_3[%0, 0] [64, 52] [1, 1] : memref<1024x52xi32, strided<[500, 1], offset: 448>> to memref<64x52xi32, strided<[500, 1], offset: ?>>
      memref.copy %subview_7, %subview_8 : memref<64x52xi32, strided<[64, 1]>, 1> to memref<64x52xi32, strided<[500, 1], offset: ?>>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    %subview_4 = memref.subview %arg0[1024, 0] [6, 520] [1, 1] : memref<1030x520xi32> to memref<6x520xi32, strided<[520, 1], offset: 532480>>
    %subview_5 = memref.subview %arg2[1024, 0] [6, 448] [1, 1] : memref<1030x500xi32> to memref<6x448xi32, strided<[500, 1], offset: 512000>>
    scf.forall (%arg3, %arg4) in (1, 7) {
      %0 = affine.apply affine_map<(d0) -> (d0 * 64)>(%arg4)
      %alloc = memref.alloc() {alignment = 64 : i64} : memref<8x64xi32, 1>
      scf.forall (%arg5, %arg6) in (1, 2) {
        %1 = affine.apply affine_map<(d0) -> (d0 * 32)>(%arg6)
        %subview_9 = memref.subview %alloc[0, %1] [8, 32] [1, 1] : memref<8x64xi32, 1> to memref<8x32xi32, strided<[64, 1], offset: ?>, 1>
        %alloc_10 = memref.alloc() {alignment = 64 : i64} : memref<4x2x4x8xi32, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%alloc_10 : memref<4x2x4x8xi32, 2>)
        %alloc_11 = memref.alloc() {alignment = 64 : i64} : memref<8x256xi32, 1>
        %alloc_12 = memref.alloc() {alignment = 64 : i64} : memref<256x32xi32, 1>
        %alloc_13 = memref.alloc() {alignment = 64 : i64} : memref<4x2x4x8xi32, 2>
        %alloc_14 = memref.alloc() {alignment = 64 : i64} : memref<4x4x8x8xi32, 2>
        scf.for %arg7 = %c0 to %c96 step %c32 {
          %2 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg7)
          %3 = affine.min affine_map<(d0) -> (d0 * -8 + 520, 256)>(%arg7)
          %4 = affine.apply affine_map<(d0) -> (-d0 + 256)>(%3)
          %subview_15 = memref.subview %subview_4[0, %2] [6, %3] [1, 1] : memref<6x520xi32, strided<[520, 1], offset: 532480>> to memref<6x?xi32, strided<[520, 1], offset: ?>>
          linalg.fill ins(%c0_i32 : i32) outs(%alloc_11 : memref<8x256xi32, 1>)
          %subview_16 = memref.subview %alloc_11[0, 0] [6, %3] [1, 1] : memref<8x256xi32, 1> to memref<6x?xi32, strided<[256, 1]>, 1>
          linalg.copy ins(%subview_15 : memref<6x?xi32, strided<[520, 1], offset: ?>>) outs(%subview_16 : memref<6x?xi32, strided<[256, 1]>, 1>)
          %5 = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1 * 64)>(%arg6, %arg4)
          %subview_17 = memref.subview %subview_0[%2, %5] [%3, 32] [1, 1] : memref<520x448xi32, strided<[500, 1]>> to memref<?x32xi32, strided<[500, 1], offset: ?>>
          %6 = arith.cmpi ne, %4, %c0 : index
          scf.if %6 {
            linalg.fill ins(%c0_i32 : i32) outs(%alloc_12 : memref<256x32xi32, 1>)
          }
          %subview_18 = memref.subview %alloc_12[0, 0] [%3, 32] [1, 1] : memref<256x32xi32, 1> to memref<?x32xi32, strided<[32, 1]>, 1>
          linalg.copy ins(%subview_17 : memref<?x32xi32, strided<[500, 1], offset: ?>>) outs(%subview_18 : memref<?x32xi32, strided<[32, 1]>, 1>)
          scf.for %arg8 = %c0 to %c32 step %c4 {
            %7 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg8)
            %subview_19 = memref.subview %alloc_11[0, %7] [8, 32] [1, 1] : memref<8x256xi32, 1> to memref<8x32xi32, strided<[256, 1], offset: ?>, 1>
            %expand_shape_20 = memref.expand_shape %subview_19 [[0, 1], [2, 3]] output_shape [2, 4, 4, 8] : memref<8x32xi32, strided<[256, 1], offset: ?>, 1> into memref<2x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_20 : memref<2x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%alloc_13 : memref<4x2x4x8xi32, 2>) permutation = [2, 0, 1, 3] 
            %subview_21 = memref.subview %alloc_12[%7, 0] [32, 32] [1, 1] : memref<256x32xi32, 1> to memref<32x32xi32, strided<[32, 1], offset: ?>, 1>
            %expand_shape_22 = memref.expand_shape %subview_21 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_22 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%alloc_14 : memref<4x4x8x8xi32, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_13, %alloc_14 : memref<4x2x4x8xi32, 2>, memref<4x4x8x8xi32, 2>) outs(%alloc_10 : memref<4x2x4x8xi32, 2>) {
            ^bb0(%in: i32, %in_23: i32, %out: i32):
              %8 = arith.muli %in, %in_23 : i32
              %9 = arith.addi %out, %8 : i32
              linalg.yield %9 : i32
            }
          }
        }
        %expand_shape = memref.expand_shape %subview_9 [[0, 1], [2, 3]] output_shape [2, 4, 4, 8] : memref<8x32xi32, strided<[64, 1], offset: ?>, 1> into memref<2x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_10 : memref<4x2x4x8xi32, 2>) outs(%expand_shape : memref<2x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_7 = memref.subview %alloc[0, 0] [6, 64] [1, 1] : memref<8x64xi32, 1> to memref<6x64xi32, strided<[64, 1]>, 1>
      %subview_8 = memref.subview %subview_5[0, %0] [6, 64] [1, 1] : memref<6x448xi32, strided<[500, 1], offset: 512000>> to memref<6x64xi32, strided<[500, 1], offset: ?>>
      memref.copy %subview_7, %subview_8 : memref<6x64xi32, strided<[64, 1]>, 1> to memref<6x64xi32, strided<[500, 1], offset: ?>>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    %subview_6 = memref.subview %arg2[1024, 448] [6, 52] [1, 1] : memref<1030x500xi32> to memref<6x52xi32, strided<[500, 1], offset: 512448>>
    scf.forall (%arg3, %arg4) in (1, 1) {
      %alloc = memref.alloc() {alignment = 64 : i64} : memref<8x64xi32, 1>
      scf.forall (%arg5, %arg6) in (1, 2) {
        %0 = affine.apply affine_map<(d0) -> (d0 * 32)>(%arg6)
        %subview_8 = memref.subview %alloc[0, %0] [8, 32] [1, 1] : memref<8x64xi32, 1> to memref<8x32xi32, strided<[64, 1], offset: ?>, 1>
        %alloc_9 = memref.alloc() {alignment = 64 : i64} : memref<4x2x4x8xi32, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%alloc_9 : memref<4x2x4x8xi32, 2>)
        %alloc_10 = memref.alloc() {alignment = 64 : i64} : memref<8x256xi32, 1>
        %alloc_11 = memref.alloc() {alignment = 64 : i64} : memref<256x32xi32, 1>
        %alloc_12 = memref.alloc() {alignment = 64 : i64} : memref<4x2x4x8xi32, 2>
        %alloc_13 = memref.alloc() {alignment = 64 : i64} : memref<4x4x8x8xi32, 2>
        scf.for %arg7 = %c0 to %c96 step %c32 {
          %1 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg7)
          %2 = affine.min affine_map<(d0) -> (d0 * -8 + 520, 256)>(%arg7)
          %3 = affine.apply affine_map<(d0) -> (-d0 + 256)>(%2)
          %subview_14 = memref.subview %subview_4[0, %1] [6, %2] [1, 1] : memref<6x520xi32, strided<[520, 1], offset: 532480>> to memref<6x?xi32, strided<[520, 1], offset: ?>>
          linalg.fill ins(%c0_i32 : i32) outs(%alloc_10 : memref<8x256xi32, 1>)
          %subview_15 = memref.subview %alloc_10[0, 0] [6, %2] [1, 1] : memref<8x256xi32, 1> to memref<6x?xi32, strided<[256, 1]>, 1>
          linalg.copy ins(%subview_14 : memref<6x?xi32, strided<[520, 1], offset: ?>>) outs(%subview_15 : memref<6x?xi32, strided<[256, 1]>, 1>)
          %4 = affine.min affine_map<(d0) -> (d0 * -32 + 52, 32)>(%arg6)
          %5 = affine.apply affine_map<(d0) -> (-d0 + 32)>(%4)
          %subview_16 = memref.subview %subview_2[%1, %0] [%2, %4] [1, 1] : memref<520x52xi32, strided<[500, 1], offset: 448>> to memref<?x?xi32, strided<[500, 1], offset: ?>>
          %6 = arith.cmpi ne, %3, %c0 : index
          %7 = arith.cmpi ne, %5, %c0 : index
          %8 = arith.ori %6, %7 : i1
          scf.if %8 {
            linalg.fill ins(%c0_i32 : i32) outs(%alloc_11 : memref<256x32xi32, 1>)
          }
          %subview_17 = memref.subview %alloc_11[0, 0] [%2, %4] [1, 1] : memref<256x32xi32, 1> to memref<?x?xi32, strided<[32, 1]>, 1>
          linalg.copy ins(%subview_16 : memref<?x?xi32, strided<[500, 1], offset: ?>>) outs(%subview_17 : memref<?x?xi32, strided<[32, 1]>, 1>)
          scf.for %arg8 = %c0 to %c32 step %c4 {
            %9 = affine.apply affine_map<(d0) -> (d0 * 8)>(%arg8)
            %subview_18 = memref.subview %alloc_10[0, %9] [8, 32] [1, 1] : memref<8x256xi32, 1> to memref<8x32xi32, strided<[256, 1], offset: ?>, 1>
            %expand_shape_19 = memref.expand_shape %subview_18 [[0, 1], [2, 3]] output_shape [2, 4, 4, 8] : memref<8x32xi32, strided<[256, 1], offset: ?>, 1> into memref<2x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_19 : memref<2x4x4x8xi32, strided<[1024, 256, 8, 1], offset: ?>, 1>) outs(%alloc_12 : memref<4x2x4x8xi32, 2>) permutation = [2, 0, 1, 3] 
            %subview_20 = memref.subview %alloc_11[%9, 0] [32, 32] [1, 1] : memref<256x32xi32, 1> to memref<32x32xi32, strided<[32, 1], offset: ?>, 1>
            %expand_shape_21 = memref.expand_shape %subview_20 [[0, 1], [2, 3]] output_shape [4, 8, 4, 8] : memref<32x32xi32, strided<[32, 1], offset: ?>, 1> into memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>
            linalg.transpose ins(%expand_shape_21 : memref<4x8x4x8xi32, strided<[256, 32, 8, 1], offset: ?>, 1>) outs(%alloc_13 : memref<4x4x8x8xi32, 2>) permutation = [2, 0, 1, 3] 
            linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_12, %alloc_13 : memref<4x2x4x8xi32, 2>, memref<4x4x8x8xi32, 2>) outs(%alloc_9 : memref<4x2x4x8xi32, 2>) {
            ^bb0(%in: i32, %in_22: i32, %out: i32):
              %10 = arith.muli %in, %in_22 : i32
              %11 = arith.addi %out, %10 : i32
              linalg.yield %11 : i32
            }
          }
        }
        %expand_shape = memref.expand_shape %subview_8 [[0, 1], [2, 3]] output_shape [2, 4, 4, 8] : memref<8x32xi32, strided<[64, 1], offset: ?>, 1> into memref<2x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>
        linalg.transpose ins(%alloc_9 : memref<4x2x4x8xi32, 2>) outs(%expand_shape : memref<2x4x4x8xi32, strided<[256, 64, 8, 1], offset: ?>, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_7 = memref.subview %alloc[0, 0] [6, 52] [1, 1] : memref<8x64xi32, 1> to memref<6x52xi32, strided<[64, 1]>, 1>
      memref.copy %subview_7, %subview_6 : memref<6x52xi32, strided<[64, 1]>, 1> to memref<6x52xi32, strided<[500, 1], offset: 512448>>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    return
  }
}
