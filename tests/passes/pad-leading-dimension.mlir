// RUN: kgen-opt "%s" --kgen-target=x86-64-v4 --kgen-pad-leading-dimension --split-input-file --mlir-print-local-scope | FileCheck "%s"

#image = affine_map<(b, y, x, n, k) -> (b, y, x, k)>
#every_other = affine_map<(b, y, x, n, k) -> (b, y * 2, x * 2, k)>
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#filter = affine_map<(b, y, x, n, k) -> (k, n)>

module {
  // Rows of 1024 channels are a page apart: twelve of them would share one set of eight ways. A contraction adds to them.
  // CHECK-LABEL: func @pages_apart
  // CHECK:         %[[L:.*]] = memref.alloc() : memref<1x7x7x1040xf32>
  // CHECK:         %[[A:.*]] = memref.subview %[[L]][0, 0, 0, 0] [1, 7, 7, 1024] [1, 1, 1, 1]
  // CHECK-SAME:      to memref<1x7x7x1024xf32, strided<[50960, 7280, 1040, 1]>>
  // CHECK:         tpp.gemm ins(%{{.*}}) outs(%[[A]] :
  // CHECK-SAME:      accumulate
  // CHECK:         tpp.gemm ins(%[[A]], %{{.*}} : memref<1x7x7x1024xf32, strided<[50960, 7280, 1040, 1]>>
  // CHECK:         memref.collapse_shape %[[A]] {{.*}} into memref<49x1024xf32, strided<[1040, 1]>>
  func.func @pages_apart(%x: memref<1x7x7x256xf32>, %b: memref<32x256x32xf32>, %c: memref<8x1024x32xf32>, %e: memref<1x7x7x256xf32>, %v: vector<16xf32>, %i: index) {
    %a = memref.alloc() : memref<1x7x7x1024xf32>
    tpp.gemm ins(%x, %b : memref<1x7x7x256xf32>, memref<32x256x32xf32>) outs(%a : memref<1x7x7x1024xf32>)
        attributes {a_map = #image, accumulate, b_map = #filter, epilogue_maps = [], panel = 32 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    tpp.gemm ins(%a, %c : memref<1x7x7x1024xf32>, memref<8x1024x32xf32>) outs(%e : memref<1x7x7x256xf32>)
        attributes {a_map = #image, b_map = #filter, epilogue_maps = [], panel = 32 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    %rows = memref.collapse_shape %a [[0, 1, 2], [3]] : memref<1x7x7x1024xf32> into memref<49x1024xf32>
    vector.transfer_write %v, %rows[%i, %i] {in_bounds = [true]} : vector<16xf32>, memref<49x1024xf32>
    return
  }

  // Pixels of an open width: the type of the collapsed rows would not know how far they are apart.
  // CHECK-LABEL: func @open_width
  // CHECK:         memref.alloc(%{{.*}}) : memref<1x7x?x1024xf32>
  // CHECK-NEXT:    memref.collapse_shape {{.*}} into memref<?x1024xf32>
  func.func @open_width(%n: index, %c: memref<8x1024x32xf32>, %e: memref<?x256xf32>) {
    %a = memref.alloc(%n) : memref<1x7x?x1024xf32>
    %rows = memref.collapse_shape %a [[0, 1, 2], [3]] : memref<1x7x?x1024xf32> into memref<?x1024xf32>
    tpp.gemm ins(%rows, %c : memref<?x1024xf32>, memref<8x1024x32xf32>) outs(%e : memref<?x256xf32>)
        attributes {a_map = #rows, b_map = #columns, epilogue_maps = [], panel = 32 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }

  // Every other row of 512 channels.
  // CHECK-LABEL: func @every_other_row
  // CHECK:         memref.alloc() : memref<1x14x14x528xf32>
  // CHECK:         memref.subview %{{.*}}[0, 0, 0, 0] [1, 13, 13, 512] [1, 1, 1, 1]
  // CHECK-SAME:      to memref<1x13x13x512xf32, strided<[103488, 7392, 528, 1]>>
  func.func @every_other_row(%c: memref<8x512x32xf32>, %e: memref<1x7x7x256xf32>) {
    %a = memref.alloc() : memref<1x14x14x512xf32>
    %part = memref.subview %a[0, 0, 0, 0] [1, 13, 13, 512] [1, 1, 1, 1] : memref<1x14x14x512xf32> to memref<1x13x13x512xf32, strided<[100352, 7168, 512, 1]>>
    tpp.gemm ins(%part, %c : memref<1x13x13x512xf32, strided<[100352, 7168, 512, 1]>>, memref<8x512x32xf32>) outs(%e : memref<1x7x7x256xf32>)
        attributes {a_map = #every_other, b_map = #filter, epilogue_maps = [], panel = 32 : i64, reduction_sizes = array<i64: 512>} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }

  // A quarter of a page apart: three rows share a set.
  // CHECK-LABEL: func @few_in_a_set
  // CHECK:         memref.alloc() : memref<1x7x7x256xf32>
  func.func @few_in_a_set(%c: memref<8x256x32xf32>, %e: memref<1x7x7x256xf32>) {
    %a = memref.alloc() : memref<1x7x7x256xf32>
    tpp.gemm ins(%a, %c : memref<1x7x7x256xf32>, memref<8x256x32xf32>) outs(%e : memref<1x7x7x256xf32>)
        attributes {a_map = #image, b_map = #filter, epilogue_maps = [], panel = 32 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }

  // Refused: a user reads pixels and channels as one dimension.
  // CHECK-LABEL: func @read_without_rows
  // CHECK:         memref.alloc() : memref<1x7x7x1024xf32>
  func.func @read_without_rows(%c: memref<8x1024x32xf32>, %e: memref<1x7x7x256xf32>, %v: vector<16xf32>, %i: index) {
    %a = memref.alloc() : memref<1x7x7x1024xf32>
    %all = memref.collapse_shape %a [[0, 1, 2, 3]] : memref<1x7x7x1024xf32> into memref<50176xf32>
    vector.transfer_write %v, %all[%i] {in_bounds = [true]} : vector<16xf32>, memref<50176xf32>
    tpp.gemm ins(%a, %c : memref<1x7x7x1024xf32>, memref<8x1024x32xf32>) outs(%e : memref<1x7x7x256xf32>)
        attributes {a_map = #image, b_map = #filter, epilogue_maps = [], panel = 32 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    }
    return
  }
}
