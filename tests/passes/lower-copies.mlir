// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-lower-copies --split-input-file --allow-unregistered-dialect | FileCheck "%s"
// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v3},func.func(kgen-lower-copies{task-work=4000}))" --split-input-file --allow-unregistered-dialect | FileCheck "%s" --check-prefix=TASKS

module {
  // Rows: two vectors of the target's width and one for the remainder.
  // CHECK-LABEL: func @rows
  // CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<3x19xf32, strided<[32, 1]>>, %[[Y:[a-z0-9]+]]: memref<3x19xf32>
  // CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
  // CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[C3]]
  // CHECK:           %[[T:.*]] = vector.transfer_read %[[X]][%[[I]], %{{.*}}], {{.*}} vector<3xf32>
  // CHECK:           vector.transfer_write %[[T]], %[[Y]][%[[I]], %{{.*}}] {{.*}} vector<3xf32>
  // CHECK:           scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
  // CHECK:             vector.transfer_read %[[X]][%[[I]], %[[J]]], {{.*}} vector<8xf32>
  // CHECK:             vector.transfer_write %{{.*}}, %[[Y]][%[[I]], %[[J]]] {{.*}} vector<8xf32>
  // CHECK-NOT:     memref.copy
  func.func @rows(%x: memref<3x19xf32, strided<[32, 1]>>, %y: memref<3x19xf32>) {
    memref.copy %x, %y : memref<3x19xf32, strided<[32, 1]>> to memref<3x19xf32>
    return
  }

  // Reshapes of one buffer: a copy onto itself, although strides differ.
  // CHECK-LABEL: func @onto_itself
  // CHECK-NOT:     scf.for
  // CHECK-NOT:     memref.copy
  // CHECK:         return
  func.func @onto_itself(%x: memref<1x3x16xf32, strided<[96, 32, 1]>>) {
    %part = memref.subview %x[0, 0, 0] [1, 1, 16] [1, 1, 1]
        : memref<1x3x16xf32, strided<[96, 32, 1]>> to memref<1x1x16xf32, strided<[96, 32, 1]>>
    %flat = memref.collapse_shape %part [[0, 1, 2]] : memref<1x1x16xf32, strided<[96, 32, 1]>> into memref<16xf32, strided<[1]>>
    %again = memref.expand_shape %flat [[0, 1, 2]] output_shape [1, 1, 16] : memref<16xf32, strided<[1]>> into memref<1x1x16xf32>
    memref.copy %again, %part : memref<1x1x16xf32> to memref<1x1x16xf32, strided<[96, 32, 1]>>
    return
  }

  // Large copies become tasks, of whole rows.
  // TASKS-LABEL: func @large
  // TASKS:         scf.forall (%[[I:.*]]) in (2) {
  // TASKS:           %[[FIRST:.*]] = arith.muli %[[I]], %{{.*}}
  // TASKS-DAG:       memref.subview %{{.*}}[0, %[[FIRST]], 0] [1, 20, 16] [1, 1, 1] : memref<1x40x16xf32>
  // TASKS-DAG:       memref.subview %{{.*}}[0, %[[FIRST]], 0] [1, 20, 16] [1, 1, 1] : memref<1x40x16xf32, strided
  // TASKS-NOT:       memref.copy
  // TASKS:           return
  // CHECK-LABEL: func @large
  // CHECK-NOT:     scf.forall
  // CHECK:         vector.transfer_write
  // CHECK-NOT:     scf.forall
  func.func @large(%x: memref<1x40x16xf32>, %y: memref<1x40x16xf32, strided<[960, 24, 1]>>) {
    memref.copy %x, %y : memref<1x40x16xf32> to memref<1x40x16xf32, strided<[960, 24, 1]>>
    return
  }

  // Neighboring columns of the same rows are written row by row.
  // CHECK-LABEL: func @side_by_side
  // CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
  // CHECK:           vector.transfer_read %arg0[%[[I]], %{{.*}}], {{.*}} vector<3xf32>
  // CHECK:           vector.transfer_read %arg1[%[[I]], %{{.*}}], {{.*}} vector<5xf32>
  // CHECK-NOT:     memref.copy
  // TASKS-LABEL: func @side_by_side
  // TASKS:         scf.forall
  // TASKS-NOT:     scf.forall {{.*}}step
  // TASKS:         return
  func.func @side_by_side(%x: memref<400x3xf32>, %y: memref<400x5xf32>, %z: memref<400x8xf32>) {
    %left = memref.subview %z[0, 0] [400, 3] [1, 1] : memref<400x8xf32> to memref<400x3xf32, strided<[8, 1]>>
    memref.copy %x, %left : memref<400x3xf32> to memref<400x3xf32, strided<[8, 1]>>
    %right = memref.subview %z[0, 3] [400, 5] [1, 1] : memref<400x8xf32> to memref<400x5xf32, strided<[8, 1], offset: 3>>
    memref.copy %y, %right : memref<400x5xf32> to memref<400x5xf32, strided<[8, 1], offset: 3>>
    return
  }

  // Not so where the second one reads what the first one writes, or something comes between them.
  // CHECK-LABEL: func @one_by_one
  // CHECK:         vector.transfer_write
  // CHECK:         scf.for
  // CHECK:         vector.transfer_write
  // CHECK:         "between"
  // CHECK:         scf.for
  // CHECK:         vector.transfer_write
  func.func @one_by_one(%x: memref<7x3xf32>, %z: memref<7x9xf32>) {
    %a = memref.subview %z[0, 0] [7, 3] [1, 1] : memref<7x9xf32> to memref<7x3xf32, strided<[9, 1]>>
    %b = memref.subview %z[0, 3] [7, 3] [1, 1] : memref<7x9xf32> to memref<7x3xf32, strided<[9, 1], offset: 3>>
    %c = memref.subview %z[0, 6] [7, 3] [1, 1] : memref<7x9xf32> to memref<7x3xf32, strided<[9, 1], offset: 6>>
    memref.copy %x, %a : memref<7x3xf32> to memref<7x3xf32, strided<[9, 1]>>
    memref.copy %a, %b : memref<7x3xf32, strided<[9, 1]>> to memref<7x3xf32, strided<[9, 1], offset: 3>>
    "between"() : () -> ()
    memref.copy %x, %c : memref<7x3xf32> to memref<7x3xf32, strided<[9, 1], offset: 6>>
    return
  }

  // Columns: element by element. The same for bits, which are a byte apart in memory but not in a vector, and for
  // indices, whose size is not known.
  // CHECK-LABEL: func @elements
  // CHECK-NOT:     vector.transfer_read
  // CHECK:         memref.load {{.*}} : memref<3x4xf32, strided<[1, 8]>>
  // CHECK:         memref.load {{.*}} : memref<3x4xi1, strided<[8, 1]>>
  // CHECK:         memref.load {{.*}} : memref<3x4xindex, strided<[8, 1]>>
  // CHECK-NOT:     vector.transfer_read
  // CHECK-NOT:     memref.copy
  func.func @elements(%x: memref<3x4xf32, strided<[1, 8]>>, %y: memref<3x4xf32>, %b: memref<3x4xi1, strided<[8, 1]>>,
                      %c: memref<3x4xi1>, %i: memref<3x4xindex, strided<[8, 1]>>, %j: memref<3x4xindex>) {
    memref.copy %x, %y : memref<3x4xf32, strided<[1, 8]>> to memref<3x4xf32>
    memref.copy %b, %c : memref<3x4xi1, strided<[8, 1]>> to memref<3x4xi1>
    memref.copy %i, %j : memref<3x4xindex, strided<[8, 1]>> to memref<3x4xindex>
    return
  }
}

// -----

// Nothing to do: a copy onto itself and one of no elements vanish.
// CHECK-LABEL: func @vanish
// CHECK-NEXT:    return
func.func @vanish(%x: memref<3x19xf32, strided<[32, 1]>>, %e: memref<0x4xf32, strided<[8, 1]>>, %f: memref<0x4xf32>) {
  memref.copy %x, %x : memref<3x19xf32, strided<[32, 1]>> to memref<3x19xf32, strided<[32, 1]>>
  memref.copy %e, %f : memref<0x4xf32, strided<[8, 1]>> to memref<0x4xf32>
  return
}

// -----

// What stays: contiguous copies, which become memcpy, and those of unknown rank.
// CHECK-LABEL: func @kept
// CHECK-COUNT-2: memref.copy
// CHECK-NOT:     scf.for
func.func @kept(%x: memref<3x4xf32>, %y: memref<3x4xf32>, %u: memref<*xf32>, %v: memref<*xf32>) {
  memref.copy %x, %y : memref<3x4xf32> to memref<3x4xf32>
  memref.copy %u, %v : memref<*xf32> to memref<*xf32>
  return
}

// -----

// A copy of unknown size, such as that of a border tile, goes element by element.
// CHECK-LABEL: func @unknown_size
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x4xf32, strided<[8, 1]>>
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<?x4xf32>
// CHECK:         %[[ROWS:.*]] = memref.dim %[[X]]
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[ROWS]]
// CHECK:           scf.for %[[J:.*]] =
// CHECK:             %[[E:.*]] = memref.load %[[X]][%[[I]], %[[J]]]
// CHECK:             memref.store %[[E]], %[[Y]][%[[I]], %[[J]]]
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @unknown_size(%x: memref<?x4xf32, strided<[8, 1]>>, %y: memref<?x4xf32>) {
  memref.copy %x, %y : memref<?x4xf32, strided<[8, 1]>> to memref<?x4xf32>
  return
}

// -----

// Rows whose number is known at run time are copied like others.
// CHECK-LABEL: func.func @dynamic_rows(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[N]]
// CHECK:           vector.transfer_read
// CHECK:           vector.transfer_write
// CHECK-NOT:     memref.load
func.func @dynamic_rows(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 16, multiple = 1>},
    %x: memref<?x32xf32> {kgen.shape = affine_map<()[s0] -> (s0, 32)>},
    %y: memref<?x40xf32> {kgen.shape = affine_map<()[s0] -> (s0, 40)>}) {
  %into = memref.subview %y[0, 0] [%n, 32] [1, 1] : memref<?x40xf32> to memref<?x32xf32, strided<[40, 1]>>
  memref.copy %x, %into : memref<?x32xf32> to memref<?x32xf32, strided<[40, 1]>>
  return
}
