// RUN: kgen-opt "%s" --kgen-write-to-caller --kgen-bufferize --split-input-file | FileCheck "%s"

// Rows are written into the state, and what is read of it then is its memory: nothing is copied.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    (%[[ROW:[^:]*]]: memref<1x8xf32>, %[[AT:[^:]*]]: index, %[[STATE:[^:]*]]: memref<16x8xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         %[[PLACE:.*]] = memref.subview %[[STATE]][%[[AT]], 0]
// CHECK-NEXT:    memref.copy %[[ROW]], %[[PLACE]]
// CHECK-NEXT:    return
func.func @rows(%row: memref<1x8xf32>, %at: index, %state: memref<16x8xf32> {kgen.state}) {
  %new = bufferization.to_tensor %row restrict : memref<1x8xf32> to tensor<1x8xf32>
  %old = bufferization.to_tensor %state restrict writable : memref<16x8xf32> to tensor<16x8xf32>
  %next = tensor.insert_slice %new into %old[%at, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
  %written = bufferization.materialize_in_destination %next in %old : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  bufferization.materialize_in_destination %written in writable %state : (tensor<16x8xf32>, memref<16x8xf32>) -> ()
  return
}

// -----

// The old value is an output: it is copied before the new one takes its place.
// CHECK-LABEL: func.func @element_by_element
// CHECK-SAME:    (%[[OUT:[^:]*]]: memref<8xf32>, %[[STATE:[^:]*]]: memref<8xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         memref.copy %[[STATE]], %[[OUT]]
// CHECK-NEXT:    linalg.exp ins(%[[STATE]] : memref<8xf32>) outs(%[[STATE]] : memref<8xf32>)
// CHECK-NEXT:    return
func.func @element_by_element(%out: memref<8xf32>, %state: memref<8xf32> {kgen.state}) {
  %old = bufferization.to_tensor %state restrict writable : memref<8xf32> to tensor<8xf32>
  bufferization.materialize_in_destination %old in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  %empty = tensor.empty() : tensor<8xf32>
  %next = linalg.exp ins(%old : tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %written = bufferization.materialize_in_destination %next in %old : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %written in writable %state : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// Two states change places: both are saved.
// CHECK-LABEL: func.func @swapped
// CHECK-SAME:    (%[[A:[^:]*]]: memref<8xf32> {kgen.state}, %[[B:[^:]*]]: memref<8xf32> {kgen.state})
// CHECK-DAG:     memref.copy %[[A]], %[[OLD_A:[^ ]*]] :
// CHECK-DAG:     memref.copy %[[B]], %[[OLD_B:[^ ]*]] :
// CHECK-DAG:     memref.copy %[[OLD_B]], %[[A]]
// CHECK-DAG:     memref.copy %[[OLD_A]], %[[B]]
// CHECK:         return
func.func @swapped(%a: memref<8xf32> {kgen.state}, %b: memref<8xf32> {kgen.state}) {
  %x = bufferization.to_tensor %a restrict writable : memref<8xf32> to tensor<8xf32>
  %y = bufferization.to_tensor %b restrict writable : memref<8xf32> to tensor<8xf32>
  %p = bufferization.materialize_in_destination %y in %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %q = bufferization.materialize_in_destination %x in %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %p in writable %a : (tensor<8xf32>, memref<8xf32>) -> ()
  bufferization.materialize_in_destination %q in writable %b : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
