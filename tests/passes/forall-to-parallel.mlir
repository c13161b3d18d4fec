// RUN: kgen-opt "%s" --kgen-forall-to-parallel --split-input-file | FileCheck "%s"

// The bounds stay constants: the grid is known at build time.
// CHECK-LABEL: func.func @grid
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK:         scf.parallel (%[[I:.*]], %[[J:.*]]) = (%[[C0]], %{{.*}}) to (%[[C8]], %{{.*}}) step (%[[C4]], %{{.*}}) {
// CHECK-NEXT:      memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT:      scf.reduce
// CHECK-NOT:     scf.forall
func.func @grid(%y: memref<8x6xf32>, %s: f32) {
  scf.forall (%i, %j) = (0, 2) to (8, 6) step (4, 2) {
    memref.store %s, %y[%i, %j] : memref<8x6xf32>
  }
  return
}

// -----

// Sequential loops stay.
// CHECK-LABEL: func.func @strict_order
// CHECK:         scf.for
// CHECK-NOT:     scf.parallel
func.func @strict_order(%y: memref<8xf32>, %s: f32, %from: index, %to: index, %by: index) {
  scf.for %i = %from to %to step %by {
    memref.store %s, %y[%i] : memref<8xf32>
  }
  return
}
