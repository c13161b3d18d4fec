// RUN: kgen-opt "%s" --kgen-plan-workspace --canonicalize --allow-unregistered-dialect --split-input-file | FileCheck "%s"

// Two buffers that are never alive together share memory; a third one that overlaps both does not.
// CHECK-LABEL: func @shared
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<192xi8> {llvm.noalias}) attributes {kgen.workspace = 192 : i64}
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : index
// CHECK:         %[[A:.*]] = memref.assume_alignment %[[W]], 64
// CHECK:         memref.view %[[A]][%[[C128]]][] : memref<192xi8> to memref<3xf32>
// CHECK:         memref.view %[[A]][%[[C0]]][] : memref<192xi8> to memref<32xf32>
// CHECK:         memref.view %[[A]][%[[C0]]][] : memref<192xi8> to memref<16xf32>
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.dealloc
func.func @shared(%x: memref<16xf32>, %y: memref<32xf32>) {
  %long = memref.alloc() : memref<3xf32>
  %first = memref.alloc() : memref<32xf32>
  "test.use"(%long, %first) : (memref<3xf32>, memref<32xf32>) -> ()
  memref.copy %first, %y : memref<32xf32> to memref<32xf32>
  memref.dealloc %first : memref<32xf32>
  %second = memref.alloc() : memref<16xf32>
  "test.use"(%second, %long) : (memref<16xf32>, memref<3xf32>) -> ()
  memref.copy %second, %x : memref<16xf32> to memref<16xf32>
  return
}

// -----

// The numbers of a shape are read where what has the shape is used: what is copied may not take their place.
// CHECK-LABEL: func @shapes
// CHECK-SAME:    kgen.workspace = 128 : i64
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:     memref.view {{.*}}[%[[C0]]]
// CHECK-DAG:     memref.view {{.*}}[%[[C64]]]
func.func @shapes(%x: memref<?xf32>, %size: i64) {
  %c0 = arith.constant 0 : index
  %shape = memref.alloc() : memref<1xi64>
  memref.store %size, %shape[%c0] : memref<1xi64>
  %shaped = memref.reshape %x(%shape) : (memref<?xf32>, memref<1xi64>) -> memref<?xf32>
  %copy = memref.alloc() : memref<16xf32>
  "test.use"(%copy) : (memref<16xf32>) -> ()
  "test.use"(%copy, %shaped) : (memref<16xf32>, memref<?xf32>) -> ()
  return
}

// -----

// A buffer lives as long as its views: the second one may not take its place.
// CHECK-LABEL: func @views
// CHECK-SAME:    kgen.workspace = 128 : i64
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:     memref.view {{.*}}[%[[C0]]]
// CHECK-DAG:     memref.view {{.*}}[%[[C64]]]
func.func @views() {
  %first = memref.alloc() : memref<16xf32>
  %half = memref.subview %first[8] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  %square = memref.expand_shape %half [[0, 1]] output_shape [2, 4] : memref<8xf32, strided<[1], offset: 8>> into memref<2x4xf32, strided<[4, 1], offset: 8>>
  "test.use"(%square) : (memref<2x4xf32, strided<[4, 1], offset: 8>>) -> ()
  %second = memref.alloc() : memref<16xf32>
  "test.use"(%second) : (memref<16xf32>) -> ()
  "test.use"(%square) : (memref<2x4xf32, strided<[4, 1], offset: 8>>) -> ()
  return
}

// -----

// A view alone is no use of it.
// CHECK-LABEL: func @views_in_front
// CHECK-SAME:    kgen.workspace = 64 : i64
func.func @views_in_front() {
  %first = memref.alloc() : memref<16xf32>
  %half = memref.subview %first[8] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  %second = memref.alloc() : memref<16xf32>
  "test.use"(%second) : (memref<16xf32>) -> ()
  "test.use"(%half) : (memref<8xf32, strided<[1], offset: 8>>) -> ()
  return
}

// -----

// A buffer that is allocated before a loop and used in it lives through all of it; so does one that is carried by it.
// CHECK-LABEL: func @loops
// CHECK-SAME:    kgen.workspace = 192 : i64
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG:     %[[V0:.*]] = memref.view {{.*}}[%[[C0]]]
// CHECK-DAG:     %[[V1:.*]] = memref.view {{.*}}[%[[C64]]]
// CHECK-DAG:     %[[V2:.*]] = memref.view {{.*}}[%[[C128]]]
// CHECK:         scf.for
func.func @loops(%n: index) {
  %from = arith.constant 0 : index
  %by = arith.constant 1 : index
  %carried = memref.alloc() : memref<16xf32>
  %used = memref.alloc() : memref<16xf32>
  %r = scf.for %i = %from to %n step %by iter_args(%m = %carried) -> memref<16xf32> {
    "test.use"(%used) : (memref<16xf32>) -> ()
    %inner = memref.alloc() : memref<16xf32>
    "test.use"(%inner) : (memref<16xf32>) -> ()
    scf.yield %m : memref<16xf32>
  }
  "test.use"(%r) : (memref<16xf32>) -> ()
  return
}

// -----

// After the loop its buffers are free again.
// CHECK-LABEL: func @after_a_loop
// CHECK-SAME:    kgen.workspace = 64 : i64
func.func @after_a_loop(%n: index) {
  %from = arith.constant 0 : index
  %by = arith.constant 1 : index
  scf.for %i = %from to %n step %by {
    %inner = memref.alloc() : memref<16xf32>
    "test.use"(%inner) : (memref<16xf32>) -> ()
  }
  %after = memref.alloc() : memref<16xf32>
  "test.use"(%after) : (memref<16xf32>) -> ()
  return
}

// -----

// Each offset is a multiple of 64 bytes, and a small buffer goes into the first gap that it fits.
// CHECK-LABEL: func @units
// CHECK-SAME:    memref<256xi8>
// CHECK-SAME:    kgen.workspace = 256 : i64
func.func @units() {
  %one = memref.alloc() : memref<1xi8>
  %odd = memref.alloc() : memref<17xf64>
  "test.use"(%one, %odd) : (memref<1xi8>, memref<17xf64>) -> ()
  return
}

// -----

// Every graph has the argument, so that all have one signature; a declaration has no body to plan.
// CHECK-LABEL: func @nothing
// CHECK-SAME:    %{{.*}}: memref<4xf32>, %{{.*}}: memref<1xi8> {llvm.noalias}) attributes {kgen.workspace = 0 : i64}
// CHECK:       func.func private @declared(memref<4xf32>)
// CHECK-LABEL: func private @private
// CHECK-NOT:     memref<1xi8>
// CHECK:         memref.alloc
func.func @nothing(%x: memref<4xf32>) {
  return
}
func.func private @declared(memref<4xf32>)
func.func private @private() {
  %kept = memref.alloc() : memref<4xf32>
  "test.use"(%kept) : (memref<4xf32>) -> ()
  return
}

// -----

// Tasks run at the same time: a buffer in one exists once for each task, and the task's slot selects it.
// CHECK-LABEL: func @tasks
// CHECK-SAME:    memref<448xi8> {llvm.noalias}) attributes {kgen.workspace = 448 : i64}
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 2) to (8, 8) step (4, 2) {
// CHECK:           %[[TASK:.*]] = affine.apply #{{.*}}(%[[I]], %[[J]])
// CHECK:           %[[SLOT:.*]] = kgen.task_slot %[[TASK]]
// CHECK:           %[[AT:.*]] = affine.apply #{{.*}}(%[[SLOT]])
// CHECK:           memref.view %{{.*}}[%[[AT]]][] : memref<448xi8> to memref<16xf32>
func.func @tasks() {
  %whole = memref.alloc() : memref<16xf32>
  scf.forall (%i, %j) = (0, 2) to (8, 8) step (4, 2) {
    %own = memref.alloc() : memref<16xf32>
    "test.use"(%own, %whole) : (memref<16xf32>, memref<16xf32>) -> ()
  }
  return
}

// -----

// Afterwards all slots are free again; of nested loops the outermost makes the tasks, if it has more than one.
// CHECK-LABEL: func @nested_tasks
// CHECK-SAME:    kgen.workspace = 256 : i64
// CHECK:         scf.forall (%[[I:.*]]) in (4)
// CHECK:           scf.forall
// CHECK:             kgen.task_slot %[[I]]
// CHECK:         scf.forall (%[[J:.*]]) in (3)
// CHECK:             kgen.task_slot %[[J]]
func.func @nested_tasks() {
  scf.forall (%i) in (4) {
    scf.forall (%j) in (3) {
      %own = memref.alloc() : memref<16xf32>
      "test.use"(%own, %i, %j) : (memref<16xf32>, index, index) -> ()
    }
  }
  scf.forall (%i) in (1) {
    scf.forall (%j) in (3) {
      %own = memref.alloc() : memref<16xf32>
      "test.use"(%own, %i, %j) : (memref<16xf32>, index, index) -> ()
    }
  }
  return
}
