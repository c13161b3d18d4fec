// RUN: kgen-opt "%s" --kgen-lower-copies --split-input-file --allow-unregistered-dialect | FileCheck "%s"
// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-lower-copies{task-work=4000}))" --split-input-file --allow-unregistered-dialect | FileCheck "%s" --check-prefix=TASKS

module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2",
    tune = "haswell", vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 262144, blocks = {}>} {
  // Rows: two vectors of the target's width and one of what is left.
  // CHECK-LABEL: func @rows
  // CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<3x19xf32, strided<[32, 1]>>, %[[Y:[a-z0-9]+]]: memref<3x19xf32>
  // CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
  // CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[C3]]
  // CHECK:           %[[T:.*]] = vector.load %[[X]][%[[I]], %{{.*}}] : {{.*}}, vector<3xf32>
  // CHECK:           vector.store %[[T]], %[[Y]][%[[I]], %{{.*}}] : {{.*}}, vector<3xf32>
  // CHECK:           scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
  // CHECK:             vector.load %[[X]][%[[I]], %[[J]]] : {{.*}}, vector<8xf32>
  // CHECK:             vector.store %{{.*}}, %[[Y]][%[[I]], %[[J]]] : {{.*}}, vector<8xf32>
  // CHECK-NOT:     memref.copy
  func.func @rows(%x: memref<3x19xf32, strided<[32, 1]>>, %y: memref<3x19xf32>) {
    memref.copy %x, %y : memref<3x19xf32, strided<[32, 1]>> to memref<3x19xf32>
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
  func.func @large(%x: memref<1x40x16xf32>, %y: memref<1x40x16xf32, strided<[960, 24, 1]>>) {
    memref.copy %x, %y : memref<1x40x16xf32> to memref<1x40x16xf32, strided<[960, 24, 1]>>
    return
  }

  // Columns: element by element. The same for bits, which are a byte apart in memory but not in a vector, and for
  // indices, whose size is not known.
  // CHECK-LABEL: func @elements
  // CHECK-NOT:     vector.load
  // CHECK:         memref.load {{.*}} : memref<3x4xf32, strided<[1, 8]>>
  // CHECK:         memref.load {{.*}} : memref<3x4xi1, strided<[8, 1]>>
  // CHECK:         memref.load {{.*}} : memref<3x4xindex, strided<[8, 1]>>
  // CHECK-NOT:     vector.load
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

// What stays: contiguous copies, which become memcpy, and those of unknown size or rank.
// CHECK-LABEL: func @kept
// CHECK-COUNT-3: memref.copy
// CHECK-NOT:     scf.for
func.func @kept(%x: memref<3x4xf32>, %y: memref<3x4xf32>, %d: memref<?x4xf32, strided<[8, 1]>>, %f: memref<?x4xf32>,
                %u: memref<*xf32>, %v: memref<*xf32>) {
  memref.copy %x, %y : memref<3x4xf32> to memref<3x4xf32>
  memref.copy %d, %f : memref<?x4xf32, strided<[8, 1]>> to memref<?x4xf32>
  memref.copy %u, %v : memref<*xf32> to memref<*xf32>
  return
}
