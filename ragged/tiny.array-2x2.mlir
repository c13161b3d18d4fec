module {
  func.func @tiny(%arg0: memref<7x5xi32> {llvm.noalias, llvm.readonly}, %arg1: memref<5x3xi32> {llvm.noalias, llvm.readonly}, %arg2: memref<7x3xi32> {llvm.noalias}) {
    %c0_i32 = arith.constant 0 : i32
    scf.forall (%arg3, %arg4) in (1, 1) {
      %alloc = memref.alloc() {alignment = 64 : i64} : memref<8x8xi32, 1>
      linalg.fill ins(%c0_i32 : i32) outs(%alloc : memref<8x8xi32, 1>)
      %subview = memref.subview %alloc[0, 0] [7, 5] [1, 1] : memref<8x8xi32, 1> to memref<7x5xi32, strided<[8, 1]>, 1>
      linalg.copy ins(%arg0 : memref<7x5xi32>) outs(%subview : memref<7x5xi32, strided<[8, 1]>, 1>)
      %alloc_0 = memref.alloc() {alignment = 64 : i64} : memref<8x8xi32, 1>
      linalg.fill ins(%c0_i32 : i32) outs(%alloc_0 : memref<8x8xi32, 1>)
      %subview_1 = memref.subview %alloc_0[0, 0] [5, 3] [1, 1] : memref<8x8xi32, 1> to memref<5x3xi32, strided<[8, 1]>, 1>
      linalg.copy ins(%arg1 : memref<5x3xi32>) outs(%subview_1 : memref<5x3xi32, strided<[8, 1]>, 1>)
      %alloc_2 = memref.alloc() {alignment = 64 : i64} : memref<8x8xi32, 1>
      scf.forall (%arg5, %arg6) in (1, 1) {
        %alloc_4 = memref.alloc() {alignment = 64 : i64} : memref<1x2x4x8xi32, 2>
        %expand_shape = memref.expand_shape %alloc [[0, 1], [2, 3]] output_shape [2, 4, 1, 8] : memref<8x8xi32, 1> into memref<2x4x1x8xi32, 1>
        linalg.transpose ins(%expand_shape : memref<2x4x1x8xi32, 1>) outs(%alloc_4 : memref<1x2x4x8xi32, 2>) permutation = [2, 0, 1, 3] 
        %alloc_5 = memref.alloc() {alignment = 64 : i64} : memref<1x1x8x8xi32, 2>
        %expand_shape_6 = memref.expand_shape %alloc_0 [[0, 1], [2, 3]] output_shape [1, 8, 1, 8] : memref<8x8xi32, 1> into memref<1x8x1x8xi32, 1>
        linalg.transpose ins(%expand_shape_6 : memref<1x8x1x8xi32, 1>) outs(%alloc_5 : memref<1x1x8x8xi32, 2>) permutation = [2, 0, 1, 3] 
        %alloc_7 = memref.alloc() {alignment = 64 : i64} : memref<1x2x4x8xi32, 2>
        linalg.fill ins(%c0_i32 : i32) outs(%alloc_7 : memref<1x2x4x8xi32, 2>)
        linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d4)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%alloc_4, %alloc_5 : memref<1x2x4x8xi32, 2>, memref<1x1x8x8xi32, 2>) outs(%alloc_7 : memref<1x2x4x8xi32, 2>) {
        ^bb0(%in: i32, %in_9: i32, %out: i32):
          %0 = arith.muli %in, %in_9 : i32
          %1 = arith.addi %out, %0 : i32
          linalg.yield %1 : i32
        }
        %expand_shape_8 = memref.expand_shape %alloc_2 [[0, 1], [2, 3]] output_shape [2, 4, 1, 8] : memref<8x8xi32, 1> into memref<2x4x1x8xi32, 1>
        linalg.transpose ins(%alloc_7 : memref<1x2x4x8xi32, 2>) outs(%expand_shape_8 : memref<2x4x1x8xi32, 1>) permutation = [1, 2, 0, 3] 
      } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
      %subview_3 = memref.subview %alloc_2[0, 0] [7, 3] [1, 1] : memref<8x8xi32, 1> to memref<7x3xi32, strided<[8, 1]>, 1>
      memref.copy %subview_3, %arg2 : memref<7x3xi32, strided<[8, 1]>, 1> to memref<7x3xi32>
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    return
  }
}
