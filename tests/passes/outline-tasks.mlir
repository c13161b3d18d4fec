// RUN: kgen-opt "%s" --kgen-forall-to-parallel --kgen-outline-tasks --mlir-print-local-scope --split-input-file | FileCheck "%s"

// One task for each point of the grid, the last dimension first; buffers are passed whole, with their attributes,
// and views are recomputed in the task.
// CHECK-LABEL: func.func private @grid_task0(
// CHECK-SAME:    %[[X:.*]]: memref<8x6xf32> {llvm.noalias, llvm.readonly}, %[[S:.*]]: f32,
// CHECK-SAME:    %[[Y:.*]]: memref<8x6xf32> {llvm.noalias}, %[[TASK:.*]]: index) attributes {llvm.linkage = #llvm.linkage<internal>}
// CHECK-NEXT:    %[[P:.*]]:2 = affine.delinearize_index %[[TASK]] into (2, 3) : index, index
// CHECK-NEXT:    %[[I:.*]] = affine.apply affine_map<(d0) -> (d0 * 4)>(%[[P]]#0)
// CHECK-NEXT:    %[[J:.*]] = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%[[P]]#1)
// CHECK:         %[[HALF:.*]] = memref.subview %[[Y]]
// CHECK:         %[[V:.*]] = memref.load %[[X]][%[[I]], %[[J]]]
// CHECK:         %[[SUM:.*]] = arith.addf %[[V]], %[[S]]
// CHECK:         memref.store %[[SUM]], %[[HALF]][%[[I]], %[[J]]]
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @grid(
// CHECK-SAME:    %[[X:.*]]: memref<8x6xf32> {llvm.noalias, llvm.readonly}, %[[Y:.*]]: memref<8x6xf32> {llvm.noalias}, %[[S:.*]]: f32,
// CHECK-SAME:    %[[EXECUTOR:.*]]: !llvm.ptr)
// CHECK:         kgen.launch @grid_task0[6] on %[[EXECUTOR]](%[[X]], %[[S]], %[[Y]]) : memref<8x6xf32>, f32, memref<8x6xf32>
// CHECK-NEXT:    return
func.func @grid(%x: memref<8x6xf32> {llvm.noalias, llvm.readonly}, %y: memref<8x6xf32> {llvm.noalias}, %s: f32) {
  %half = memref.subview %y[4, 0] [4, 6] [1, 1] : memref<8x6xf32> to memref<4x6xf32, strided<[6, 1], offset: 24>>
  scf.forall (%i, %j) = (0, 1) to (8, 6) step (4, 2) {
    %v = memref.load %x[%i, %j] : memref<8x6xf32>
    %sum = arith.addf %v, %s : f32
    memref.store %sum, %half[%i, %j] : memref<4x6xf32, strided<[6, 1], offset: 24>>
  }
  return
}

// -----

// A slot is passed to the tasks that use it; where a loop is no grid of tasks, it is the operand.
// CHECK-LABEL: func.func private @slots_task0(
// CHECK-SAME:    %[[X:.*]]: memref<8xf32>, %[[TASK:[a-z0-9]+]]: index, %[[SLOT:[a-z0-9]+]]: index)
// CHECK:         %[[I:.*]] = affine.apply affine_map<(d0) -> (d0)>(%[[TASK]])
// CHECK:         memref.load %[[X]][%[[SLOT]]]
// CHECK:         memref.store %{{.*}}, %[[X]][%[[I]]]
// CHECK-LABEL: func.func @slots(
// CHECK:         kgen.launch @slots_task0[6] slots on
// CHECK:         scf.for %[[J:.*]] =
// CHECK:           memref.load %{{.*}}[%[[J]]]
// CHECK-NOT:     kgen.task_slot
func.func @slots(%x: memref<8xf32>, %count: index) {
  scf.forall (%i) in (6) {
    %slot = kgen.task_slot %i
    %v = memref.load %x[%slot] : memref<8xf32>
    memref.store %v, %x[%i] : memref<8xf32>
  }
  scf.forall (%j) in (%count) {
    %slot = kgen.task_slot %j
    %v = memref.load %x[%slot] : memref<8xf32>
    memref.store %v, %x[%j] : memref<8xf32>
  }
  return
}

// -----

// A view that depends on a loop around the launch: its offset is passed, not the view.
// CHECK-LABEL: func.func private @in_a_loop_task0(
// CHECK-SAME:    %[[S:[a-z0-9]+]]: f32, %[[Y:[a-z0-9]+]]: memref<8x6xf32>, %[[ROW:[a-z0-9]+]]: index, %[[TASK:[a-z0-9]+]]: index)
// CHECK:         %[[J:.*]] = affine.apply affine_map<(d0) -> (d0)>(%[[TASK]])
// CHECK:         %[[VIEW:.*]] = memref.subview %[[Y]][%[[ROW]], 0] [1, 6] [1, 1]
// CHECK:         memref.store %[[S]], %[[VIEW]][%[[J]]]
// CHECK-LABEL: func.func @in_a_loop(
// CHECK:         scf.for
// CHECK:           kgen.launch @in_a_loop_task0[6] on
func.func @in_a_loop(%y: memref<8x6xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %row = memref.subview %y[%i, 0] [1, 6] [1, 1] : memref<8x6xf32> to memref<6xf32, strided<[1], offset: ?>>
    scf.forall (%j) in (6) {
      memref.store %s, %row[%j] : memref<6xf32, strided<[1], offset: ?>>
    }
  }
  return
}

// -----

// Two launches; a parallel loop in a task becomes sequential.
// CHECK-LABEL: func.func private @nested_task0
// CHECK-NOT:     kgen.launch
// CHECK:         scf.for
// CHECK-NOT:     scf.parallel
// CHECK:         return
// CHECK-LABEL: func.func private @nested_task1
// CHECK-LABEL: func.func @nested(
// CHECK:         kgen.launch @nested_task0[8]
// CHECK:         kgen.launch @nested_task1[2]
func.func @nested(%y: memref<8x6xf32>, %s: f32) {
  scf.forall (%i) in (8) {
    scf.forall (%j) in (6) {
      memref.store %s, %y[%i, %j] : memref<8x6xf32>
    }
  }
  scf.forall (%i) in (2) {
    memref.store %s, %y[%i, %i] : memref<8x6xf32>
  }
  return
}

// -----

// A grid of one task is no grid: what is in it may have tasks. One without tasks vanishes.
// CHECK-LABEL: func.func private @one_task0
// CHECK-LABEL: func.func @one(
// CHECK-NOT:     kgen.launch
// CHECK:         memref.store %{{.*}}, %{{.*}}[%[[I:.*]], %[[I]]]
// CHECK:         kgen.launch @one_task0[6]
// CHECK-NOT:     scf
// CHECK:         return
func.func @one(%y: memref<8x6xf32>, %s: f32) {
  scf.forall (%i) = (2) to (6) step (4) {
    memref.store %s, %y[%i, %i] : memref<8x6xf32>
    scf.forall (%j) in (6) {
      memref.store %s, %y[%i, %j] : memref<8x6xf32>
    }
  }
  scf.forall (%i) in (0) {
    memref.store %s, %y[%i, %i] : memref<8x6xf32>
  }
  return
}

// -----

// No tasks: bounds that are not known, reductions, and functions that have no executor. All graphs have the argument.
// CHECK-LABEL: func.func @unknown(
// CHECK-SAME:    !llvm.ptr) {
// CHECK:         scf.for
// CHECK-LABEL: func.func @reduction(
// CHECK-SAME:    !llvm.ptr) -> f32 {
// CHECK:         scf.parallel
// CHECK-LABEL: func.func private @private(
// CHECK-NOT:     !llvm.ptr
// CHECK:         scf.for
// CHECK-LABEL: func.func private @declared(memref<8xf32>)
// CHECK-NEXT:  }
func.func @unknown(%y: memref<8xf32>, %s: f32, %n: index) {
  scf.forall (%i) in (%n) {
    memref.store %s, %y[%i] : memref<8xf32>
  }
  return
}
func.func @reduction(%y: memref<8xf32>, %s: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sum = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%s) -> f32 {
    %v = memref.load %y[%i] : memref<8xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      scf.reduce.return %r : f32
    }
  }
  return %sum : f32
}
func.func private @private(%y: memref<8xf32>, %s: f32) {
  scf.forall (%i) in (8) {
    memref.store %s, %y[%i] : memref<8xf32>
  }
  return
}
func.func private @declared(memref<8xf32>)

// -----

// Two buffers that may be the same: the task's arguments have no attributes.
// CHECK-LABEL: func.func private @may_alias_task0(
// CHECK-NOT:     llvm.noalias
// CHECK:         return
func.func @may_alias(%x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32> {llvm.noalias}, %c: i1) {
  %z = scf.if %c -> memref<8xf32> {
    scf.yield %x : memref<8xf32>
  } else {
    scf.yield %y : memref<8xf32>
  }
  scf.forall (%i) in (8) {
    %v = memref.load %z[%i] : memref<8xf32>
    memref.store %v, %x[%i] : memref<8xf32>
  }
  return
}

// -----

// What kgen explain shows: whose work it is, in how many tasks. Written only where decisions are recorded.
// CHECK: kgen.decisions = [{details = {grid = array<i64: 2, 3>, steps = array<i64: 5>, symbol = "recorded_task0", tasks = 6 : i64}, kind = "tasks", nodes = ["y"], pass = "kgen-outline-tasks", step = 5 : i64}]
module attributes {kgen.decisions = []} {
  func.func @recorded(%y: memref<8x6xf32>, %s: f32) {
    scf.forall (%i, %j) = (0, 1) to (8, 6) step (4, 2) {
      memref.store %s, %y[%i, %j] : memref<8x6xf32> loc(fused<{step = 5 : i64}>["y"])
    }
    return
  }
}
