// RUN: kgen-opt "%s" --split-input-file | kgen-opt --split-input-file | FileCheck "%s" --check-prefix=PRINTED
// RUN: kgen-opt "%s" --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --split-input-file --mlir-print-local-scope | FileCheck "%s"

// The workspace becomes memory of its own; the destination is written in place.
// PRINTED-LABEL: func.func @workspace
// PRINTED:         kgen.extern "my_nms" ins(%{{.*}} : tensor<100x4xf32>) outs(%{{.*}} : tensor<100xi32>) {workspace_bytes = 4096 : i64} -> tensor<100xi32>
// CHECK-LABEL: func.func @workspace
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<100x4xf32>
// CHECK:         %[[E:.*]] = memref.alloc() {{.*}} : memref<100xi32>
// CHECK-NOT:     memref.copy
// CHECK:         %[[W:.*]] = memref.alloc() : memref<4096xi8>
// CHECK:         kgen.extern "my_nms" ins(%[[X]] : memref<100x4xf32>) outs(%[[E]] : memref<100xi32>) workspace(%[[W]] : memref<4096xi8>) {workspace_bytes = 4096 : i64}
// CHECK-NOT:     memref.copy
// CHECK:         return %[[E]]
func.func @workspace(%x: tensor<100x4xf32>) -> tensor<100xi32> {
  %e = bufferization.alloc_tensor() : tensor<100xi32>
  %r = kgen.extern "my_nms" ins(%x : tensor<100x4xf32>) outs(%e : tensor<100xi32>) {workspace_bytes = 4096 : i64} -> tensor<100xi32>
  return %r : tensor<100xi32>
}

// -----

// Parts of tensors are copied: the function knows no strides.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<8x6xf32>
// CHECK:         %[[Y:.*]] = memref.alloc() {{.*}} : memref<8x6xf32>
// CHECK-DAG:     %[[FROM:.*]] = memref.subview %[[X]][0, 2] [8, 3] [1, 1]
// CHECK-DAG:     %[[IN:.*]] = memref.alloc() : memref<8x3xf32>
// CHECK:         memref.copy %[[FROM]], %[[IN]]
// CHECK:         %[[OUT:.*]] = memref.alloc() : memref<8x3xf32>
// CHECK:         kgen.extern "f" ins(%[[IN]] : memref<8x3xf32>) outs(%[[OUT]] : memref<8x3xf32>)
// CHECK-NEXT:    memref.copy %[[OUT]],
func.func @parts(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %y = bufferization.alloc_tensor() : tensor<8x6xf32>
  %in = tensor.extract_slice %x[0, 2] [8, 3] [1, 1] : tensor<8x6xf32> to tensor<8x3xf32>
  %out = tensor.extract_slice %y[0, 0] [8, 3] [1, 1] : tensor<8x6xf32> to tensor<8x3xf32>
  %r = kgen.extern "f" ins(%in : tensor<8x3xf32>) outs(%out : tensor<8x3xf32>) -> tensor<8x3xf32>
  %s = tensor.insert_slice %r into %y[0, 0] [8, 3] [1, 1] : tensor<8x3xf32> into tensor<8x6xf32>
  return %s : tensor<8x6xf32>
}

// -----

// An input is not overwritten, although nobody else reads it: the function may read it after it has begun to write.
// CHECK-LABEL: func.func @same_tensor
// CHECK:         %[[E:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK:         linalg.fill {{.*}} outs(%[[E]]
// CHECK:         %[[OTHER:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK:         kgen.extern "f" ins(%[[E]] : memref<8xf32>) outs(%[[OTHER]] : memref<8xf32>)
func.func @same_tensor(%zero: f32) -> tensor<8xf32> {
  %e = bufferization.alloc_tensor() : tensor<8xf32>
  %x = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = kgen.extern "f" ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// PRINTED-LABEL: func.func @nothing_to_read
// PRINTED:         kgen.extern "f" outs(%{{.*}}, %{{.*}} : memref<8xf32>, memref<2xi64>) {empty_arguments = array<i64: 0, 2>}
func.func @nothing_to_read(%y: memref<8xf32>, %z: memref<2xi64>) {
  kgen.extern "f" outs(%y, %z : memref<8xf32>, memref<2xi64>) {empty_arguments = array<i64: 0, 2>}
  return
}
