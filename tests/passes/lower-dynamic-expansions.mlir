// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-lower-dynamic-expansions))" --mlir-print-local-scope | FileCheck "%s"

// The innermost stride is that of the dimension; further ones are products of sizes.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[M:[a-z0-9]*]]: memref<?x768xf32>, %[[BATCH:[a-z0-9]*]]: index, %[[LENGTH:[a-z0-9]*]]: index
// CHECK:         %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[M]]
// CHECK:         %[[STRIDE:.*]] = affine.apply affine_map<()[s0] -> (s0 * 768)>()[%[[LENGTH]]]
// CHECK:         memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[BATCH]], %[[LENGTH]], 12, 64], strides: [%[[STRIDE]], 768, 64, 1] : memref<f32> to memref<?x?x12x64xf32>
func.func @rows(%m: memref<?x768xf32>, %batch: index, %length: index) -> memref<?x?x12x64xf32> {
  %v = memref.expand_shape %m [[0, 1], [2, 3]] output_shape [%batch, %length, 12, 64] : memref<?x768xf32> into memref<?x?x12x64xf32>
  return %v : memref<?x?x12x64xf32>
}

// Of a part of a buffer.
// CHECK-LABEL: func.func @part
// CHECK:         %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata
// CHECK:         affine.apply affine_map<()[s0] -> (s0 * 32)>
// CHECK:         memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [%{{.*}}, %{{.*}}, 16], strides: [%{{.*}}, 32, 1]
func.func @part(%m: memref<?x16xf32, strided<[32, 1], offset: ?>>, %batch: index, %length: index) -> memref<?x?x16xf32, strided<[?, 32, 1], offset: ?>> {
  %v = memref.expand_shape %m [[0, 1], [2]] output_shape [%batch, %length, 16] : memref<?x16xf32, strided<[32, 1], offset: ?>> into memref<?x?x16xf32, strided<[?, 32, 1], offset: ?>>
  return %v : memref<?x?x16xf32, strided<[?, 32, 1], offset: ?>>
}

// One unknown size a group is upstream's.
// CHECK-LABEL: func.func @upstream
// CHECK-NEXT:    memref.expand_shape
func.func @upstream(%m: memref<?x?xf32>, %a: index, %b: index) -> memref<?x4x?x8xf32> {
  %v = memref.expand_shape %m [[0, 1], [2, 3]] output_shape [%a, 4, %b, 8] : memref<?x?xf32> into memref<?x4x?x8xf32>
  return %v : memref<?x4x?x8xf32>
}
