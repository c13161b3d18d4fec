// RUN: kgen-opt "%s" --kgen-bufferize-tensors --cse --canonicalize | FileCheck "%s"

// Two states change places: both are saved before either is written.
// CHECK-LABEL: func.func @swapped
// CHECK-SAME:    (%[[A:[^:]*]]: memref<4xf32>, %[[B:[^:]*]]: memref<4xf32>
// CHECK:         scf.for
// CHECK-DAG:       %[[OLD_B:.*]] = memref.alloc
// CHECK-DAG:       memref.copy %[[B]], %[[OLD_B]]
// CHECK-DAG:       %[[OLD_A:.*]] = memref.alloc
// CHECK-DAG:       memref.copy %[[A]], %[[OLD_A]]
// CHECK:           memref.copy %[[OLD_B]], %[[A]]
// CHECK-NEXT:      memref.copy %[[OLD_A]], %[[B]]
func.func @swapped(%a: memref<4xf32>, %b: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
  %y = bufferization.to_tensor %b restrict writable : memref<4xf32> to tensor<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %q, %p : tensor<4xf32>, tensor<4xf32>
  }
  bufferization.materialize_in_destination %r#0 in writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in writable %b : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// A tensor from outside is copied in each iteration, without being saved.
// CHECK-LABEL: func.func @from_outside
// CHECK-SAME:    (%[[A:[^:]*]]: memref<4xf32>, %[[B:[^:]*]]: memref<4xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for
// CHECK-NOT:       memref.alloc
// CHECK:           memref.copy %[[B]], %[[A]]
// CHECK-NEXT:    }
func.func @from_outside(%a: memref<4xf32>, %b: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
  %y = bufferization.to_tensor %b restrict : memref<4xf32> to tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x) -> (tensor<4xf32>) {
    scf.yield %y : tensor<4xf32>
  }
  bufferization.materialize_in_destination %r in writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// The next state is computed in the last one, row by row, but from all of it: it is computed in a copy,
// and saved, since the analysis cannot know that before.
// CHECK-LABEL: func.func @reads_the_last
// CHECK-SAME:    (%[[A:[^:]*]]: memref<2x1xf32>
// CHECK:         scf.for
// CHECK:           %[[NEXT:.*]] = memref.alloc() {{.*}} : memref<2x1xf32>
// CHECK:           memref.copy %[[A]], %[[NEXT]]
// CHECK:           scf.for
// CHECK:             memref.load %[[A]]
// CHECK:             memref.store %{{.*}}, %[[NEXT]]
// CHECK:           %[[SAVED:.*]] = memref.alloc() {{.*}} : memref<2x1xf32>
// CHECK-NEXT:      memref.copy %[[NEXT]], %[[SAVED]]
// CHECK-NEXT:      memref.copy %[[SAVED]], %[[A]]
func.func @reads_the_last(%a: memref<2x1xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = bufferization.to_tensor %a restrict writable : memref<2x1xf32> to tensor<2x1xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%last = %x) -> (tensor<2x1xf32>) {
    %next = scf.for %row = %c0 to %c2 step %c1 iter_args(%rows = %last) -> (tensor<2x1xf32>) {
      %other = arith.subi %c1, %row : index
      %e = tensor.extract %last[%other, %c0] : tensor<2x1xf32>
      %written = tensor.insert %e into %rows[%row, %c0] : tensor<2x1xf32>
      scf.yield %written : tensor<2x1xf32>
    }
    scf.yield %next : tensor<2x1xf32>
  }
  bufferization.materialize_in_destination %r in writable %a : (tensor<2x1xf32>, memref<2x1xf32>) -> ()
  return
}

// Nothing is copied where each iteration writes where it reads.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @in_place(%a: memref<4xf32>, %n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%last = %x) -> (tensor<4xf32>) {
    %e = tensor.extract %last[%c0] : tensor<4xf32>
    %s = arith.addf %e, %f : f32
    %next = tensor.insert %s into %last[%c1] : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  bufferization.materialize_in_destination %r in writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// The same of a loop with a condition.
// CHECK-LABEL: func.func @while_swapped
// CHECK:         scf.while
// CHECK:           scf.condition
// CHECK:           memref.copy
// CHECK:           memref.copy
// CHECK:           memref.copy
// CHECK:           memref.copy
// CHECK:           scf.yield
func.func @while_swapped(%a: memref<4xf32>, %b: memref<4xf32>, %limit: f32) {
  %c0 = arith.constant 0 : index
  %x = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
  %y = bufferization.to_tensor %b restrict writable : memref<4xf32> to tensor<4xf32>
  %r:2 = scf.while (%p = %x, %q = %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.extract %p[%c0] : tensor<4xf32>
    %goes = arith.cmpf olt, %e, %limit : f32
    scf.condition(%goes) %p, %q : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
    scf.yield %q, %p : tensor<4xf32>, tensor<4xf32>
  }
  bufferization.materialize_in_destination %r#0 in writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in writable %b : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
