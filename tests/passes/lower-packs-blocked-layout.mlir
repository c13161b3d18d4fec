// RUN: kgen-opt "%s" --kgen-lower-packs --mlir-print-local-scope -o "%t"
// RUN: FileCheck "%s" < "%t"
// RUN: kgen-opt "%t" --kgen-bufferize --mlir-print-local-scope | FileCheck "%s" --check-prefix=BUFFERS

// Packs of several dimensions, and unpacks. The last blocks are padded.
// CHECK-LABEL: func @round_trip
// CHECK-NOT:     linalg.pack
// CHECK-NOT:     tensor.pad
// CHECK:         linalg.fill {{.*}} outs(%{{.*}} : tensor<256x512xf32>)
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [250, 500] [1, 1]
// CHECK:         tensor.expand_shape {{.*}} : tensor<256x512xf32> into tensor<8x32x8x64xf32>
// CHECK:         linalg.transpose
// CHECK:         linalg.transpose
// CHECK:         tensor.collapse_shape {{.*}} : tensor<8x32x8x64xf32> into tensor<256x512xf32>
// CHECK:         tensor.extract_slice %{{.*}}[0, 0] [250, 500] [1, 1]
// CHECK-NOT:     linalg.unpack
// BUFFERS-LABEL: func @round_trip
// BUFFERS-NOT:     tensor.
// BUFFERS:         linalg.transpose
// BUFFERS-NOT:     tensor.
func.func @round_trip(%m: memref<250x500xf32> {bufferization.writable = false}, %o: memref<250x500xf32>) {
  %x = bufferization.to_tensor %m restrict : memref<250x500xf32> to tensor<250x500xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8x32x64xf32>
  %p = linalg.pack %x padding_value(%zero : f32) inner_dims_pos = [0, 1] inner_tiles = [32, 64] into %e
      : tensor<250x500xf32> -> tensor<8x8x32x64xf32>
  %f = tensor.empty() : tensor<250x500xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [32, 64] into %f
      : tensor<8x8x32x64xf32> -> tensor<250x500xf32>
  bufferization.materialize_in_destination %u in restrict writable %o : (tensor<250x500xf32>, memref<250x500xf32>) -> ()
  return
}

// CHECK-LABEL: func @no_padding
// CHECK-NOT:     linalg.fill
// CHECK:         tensor.expand_shape {{.*}} : tensor<8x32xf32> into tensor<2x4x2x16xf32>
// CHECK:         linalg.transpose
// CHECK-NOT:     tensor.insert_slice
// CHECK:         return
func.func @no_padding(%b: tensor<8x32xf32>) -> tensor<2x2x4x16xf32> {
  %e = tensor.empty() : tensor<2x2x4x16xf32>
  %p = linalg.pack %b inner_dims_pos = [0, 1] inner_tiles = [4, 16] into %e : tensor<8x32xf32> -> tensor<2x2x4x16xf32>
  return %p : tensor<2x2x4x16xf32>
}
