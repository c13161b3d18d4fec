// RUN: kgen-opt "%s" --kgen-bufferize-tensors --split-input-file | FileCheck "%s"

// The caller's memory of %x is where both values begin. The second one may not stay there: it is read after the first is copied to it.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?xf32>, %[[Y:[^:]*]]: memref<?xf32>,
// CHECK:         %[[SIZE:.*]] = memref.dim %[[X]]
// CHECK:         memref.alloc(%[[SIZE]])
// CHECK-NOT:     memref.copy %[[X]]
// CHECK:         memref.copy %{{.*}}, %[[X]]
// CHECK-NOT:     memref.copy %[[X]]
// CHECK:         memref.copy %{{.*}}, %[[Y]]
// CHECK-NOT:     memref.copy %[[X]]
// CHECK:         return
func.func @shared(%x: memref<?xf32>, %y: memref<?xf32>, %a: f32, %b: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %memory = bufferization.to_tensor %x restrict writable : memref<?xf32> to tensor<?xf32>
  %begun = tensor.insert %a into %memory[%c0] : tensor<?xf32>
  %first = tensor.insert %a into %begun[%i] : tensor<?xf32>
  %second = tensor.insert %b into %begun[%i] : tensor<?xf32>
  bufferization.materialize_in_destination %first in restrict writable %x : (tensor<?xf32>, memref<?xf32>) -> ()
  bufferization.materialize_in_destination %second in restrict writable %y : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}

// -----

// Nothing reads what is in the memory: values stay where they are.
// CHECK-LABEL: func.func @own(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?xf32>, %[[Y:[^:]*]]: memref<?xf32>,
// CHECK-NOT:     memref.alloc
// CHECK:         memref.copy %[[X]], %[[X]]
// CHECK-NEXT:    memref.copy %[[Y]], %[[Y]]
// CHECK-NEXT:    return
func.func @own(%x: memref<?xf32>, %y: memref<?xf32>, %a: f32, %i: index) {
  %memory = bufferization.to_tensor %x restrict writable : memref<?xf32> to tensor<?xf32>
  %other = bufferization.to_tensor %y restrict writable : memref<?xf32> to tensor<?xf32>
  %first = tensor.insert %a into %memory[%i] : tensor<?xf32>
  %second = tensor.insert %a into %other[%i] : tensor<?xf32>
  bufferization.materialize_in_destination %first in restrict writable %x : (tensor<?xf32>, memref<?xf32>) -> ()
  bufferization.materialize_in_destination %second in restrict writable %y : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}

// -----

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>

// Every second column of B.
// CHECK-LABEL: func.func @steps(
// CHECK-SAME:    %[[X:[^:]*]]: memref<4x8xf32>, %[[B:[^:]*]]: memref<8x16xf32>, %[[Y:[^:]*]]: memref<4x8xf32>)
// CHECK:         %[[ODD:.*]] = memref.subview %[[B]]
// CHECK:         %[[OWN:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x8xf32>
// CHECK-NEXT:    memref.copy %[[ODD]], %[[OWN]]
// CHECK-NEXT:    tpp.gemm ins(%[[X]], %[[OWN]] : memref<4x8xf32>, memref<8x8xf32>) outs(%[[Y]] : memref<4x8xf32>)
func.func @steps(%x: memref<4x8xf32>, %b: memref<8x16xf32>, %y: memref<4x8xf32>) {
  %odd = memref.subview %b[0, 1] [8, 8] [1, 2] : memref<8x16xf32> to memref<8x8xf32, strided<[16, 2], offset: 1>>
  tpp.gemm ins(%x, %odd : memref<4x8xf32>, memref<8x8xf32, strided<[16, 2], offset: 1>>) outs(%y : memref<4x8xf32>)
    attributes {a_map = #rows, b_map = #columns, epilogue_maps = []} {
  ^bb0(%sum: f32):
    tpp.yield %sum : f32
  }
  return
}

// Kernels know how far apart rows are: what is a number of elements apart that only a call knows is copied, before or after.
// CHECK-LABEL: func.func @pitch(
// CHECK-SAME:    %[[X:[^:]*]]: memref<4x?xf32>, %[[W:[^:]*]]: memref<8x8xf32>, %[[Y:[^:]*]]: memref<4x?xf32>)
// CHECK:         %[[A:.*]] = memref.subview %[[X]]
// CHECK:         %[[C:.*]] = memref.subview %[[Y]]
// CHECK:         %[[OWN_A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK-NEXT:    memref.copy %[[A]], %[[OWN_A]]
// CHECK-NEXT:    %[[OWN_C:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK-NEXT:    tpp.gemm ins(%[[OWN_A]], %[[W]] : memref<4x8xf32>, memref<8x8xf32>) outs(%[[OWN_C]] : memref<4x8xf32>)
// CHECK:         memref.copy %[[OWN_C]], %[[C]]
func.func @pitch(%x: memref<4x?xf32>, %w: memref<8x8xf32>, %y: memref<4x?xf32>) {
  %a = memref.subview %x[0, 0] [4, 8] [1, 1] : memref<4x?xf32> to memref<4x8xf32, strided<[?, 1]>>
  %c = memref.subview %y[0, 0] [4, 8] [1, 1] : memref<4x?xf32> to memref<4x8xf32, strided<[?, 1]>>
  tpp.gemm ins(%a, %w : memref<4x8xf32, strided<[?, 1]>>, memref<8x8xf32>) outs(%c : memref<4x8xf32, strided<[?, 1]>>)
    attributes {a_map = #rows, b_map = #columns, epilogue_maps = []} {
  ^bb0(%sum: f32):
    tpp.yield %sum : f32
  }
  return
}
