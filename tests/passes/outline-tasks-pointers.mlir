// RUN: kgen-opt "%s" --kgen-outline-tasks --mlir-print-local-scope --split-input-file | FileCheck "%s"

// Sizes and strides are functions of the arguments; what is static is left alone, attributes stay.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[N:.*]]: index {kgen.size = #kgen.size<"n", min = 1, max = 64, multiple = 1>}, %[[M:.*]]: index,
// CHECK-SAME:    %[[X:.*]]: memref<f32> {llvm.noalias, llvm.readonly}, %[[W:.*]]: memref<4xf32>, %[[Y:.*]]: memref<i8> {llvm.noalias}, %{{.*}}: !llvm.ptr)
// CHECK-DAG:     %[[ROWS:.*]] = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%[[N]]]
// CHECK-DAG:     %[[STRIDE:.*]] = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%[[M]]]
// CHECK:         %[[A:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[ROWS]], %[[M]], 8], strides: [%[[STRIDE]], 8, 1] : memref<f32> to memref<?x?x8xf32>
// CHECK:         %[[B:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [%[[N]]], strides: [1] : memref<i8> to memref<?xi8>
// CHECK:         memref.load %[[A]]
// CHECK:         memref.load %[[W]]
// CHECK:         memref.store %{{.*}}, %[[B]]
func.func @rows(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 64, multiple = 1>}, %m: index,
    %x: memref<?x?x8xf32> {llvm.noalias, llvm.readonly, kgen.shape = affine_map<()[s0, s1] -> (s0 * 2, s1, 8)>},
    %w: memref<4xf32>, %y: memref<?xi8> {llvm.noalias, kgen.shape = affine_map<()[s0, s1] -> (s0)>}) {
  %v = memref.load %x[%n, %m, %n] : memref<?x?x8xf32>
  %u = memref.load %w[%n] : memref<4xf32>
  %s = arith.addf %u, %v : f32
  %i = arith.fptosi %s : f32 to i8
  memref.store %i, %y[%n] : memref<?xi8>
  return
}

// -----

// Of a workspace the greatest size counts; the driver finds all of them.
// CHECK-LABEL: func.func @workspace(
// CHECK-SAME:    %[[N:.*]]: index, %[[W:.*]]: memref<i8> {llvm.noalias}, %{{.*}}: !llvm.ptr)
// CHECK-SAME:    attributes {kgen.workspace = 4096 : i64, kgen.workspace_sizes = affine_map<()[s0] -> (s0 * 64, s0 * 32 + 64)>}
// CHECK:         %[[BYTES:.*]] = affine.max affine_map<()[s0] -> (s0 * 64, s0 * 32 + 64)>()[%[[N]]]
// CHECK:         %[[ALL:.*]] = memref.reinterpret_cast %[[W]] to offset: [0], sizes: [%[[BYTES]]], strides: [1] : memref<i8> to memref<?xi8>
// CHECK:         memref.view %[[ALL]][%[[N]]][] : memref<?xi8> to memref<8xf32>
func.func @workspace(%n: index, %w: memref<?xi8> {llvm.noalias, kgen.shape = affine_map<()[s0] -> (s0 * 64, s0 * 32 + 64)>})
    attributes {kgen.workspace = 4096 : i64} {
  %view = memref.view %w[%n][] : memref<?xi8> to memref<8xf32>
  %v = memref.load %view[%n] : memref<8xf32>
  memref.store %v, %view[%n] : memref<8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @fixed(
// CHECK-SAME:    %[[X:.*]]: memref<4x8xf32>, %{{.*}}: memref<4xf32, strided<[?], offset: ?>>, %{{.*}}: !llvm.ptr)
// CHECK-NOT:     memref.reinterpret_cast
// CHECK:         return
func.func @fixed(%x: memref<4x8xf32>, %strided: memref<4xf32, strided<[?], offset: ?>>) {
  return
}
