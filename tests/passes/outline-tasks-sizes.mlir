// RUN: kgen-opt "%s" --kgen-forall-to-parallel --kgen-outline-tasks --mlir-print-local-scope --split-input-file | FileCheck "%s"

// The number of tasks is a value. Buffers whose sizes are known at run time are passed as the address of their first
// element, and made of it and the sizes in the task.
// CHECK-LABEL: func.func private @grid_task0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<f32> {llvm.noalias, llvm.readonly}, %[[N:[a-z0-9]+]]: index {kgen.size = #kgen.size<"n", min = 1, max = 100, multiple = 1>},
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<f32> {llvm.noalias}, %[[TASK:[a-z0-9]+]]: index)
// CHECK-DAG:     memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[N]], 6], strides: [6, 1] : memref<f32> to memref<?x6xf32>
// CHECK-DAG:     memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [%[[N]], 6], strides: [6, 1] : memref<f32> to memref<?x6xf32>
// CHECK:         %[[ROWS:.*]] = affine.apply affine_map<()[s0] -> (s0 ceildiv 4)>()[%[[N]]]
// CHECK:         affine.delinearize_index %[[TASK]] into (%[[ROWS]], 2) : index, index
// CHECK-LABEL: func.func @grid(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index
// CHECK-DAG:     %[[COUNT:.*]] = affine.apply affine_map<()[s0] -> ((s0 ceildiv 4) * 2)>()[%[[N]]]
// CHECK:         kgen.launch @grid_task0[50, count %[[COUNT]]] on %{{.*}}(%{{.*}}, %[[N]], %{{.*}}) : memref<f32>, index, memref<f32>
func.func @grid(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 100, multiple = 1>},
    %x: memref<?x6xf32> {llvm.noalias, llvm.readonly, kgen.shape = affine_map<()[s0] -> (s0, 6)>},
    %y: memref<?x6xf32> {llvm.noalias, kgen.shape = affine_map<()[s0] -> (s0, 6)>}) {
  scf.forall (%i, %j) = (0, 0) to (%n, 6) step (4, 3) {
    %v = memref.load %x[%i, %j] : memref<?x6xf32>
    memref.store %v, %y[%i, %j] : memref<?x6xf32>
  }
  return
}

// -----

// No tasks are not launched: an executor runs at least one.
// CHECK-LABEL: func.func @none(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index
// CHECK:         %[[IS_ANY:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : index
// CHECK:         scf.if %[[IS_ANY]] {
// CHECK-NEXT:      kgen.launch @none_task0[100, count %{{.*}}]
func.func @none(%n: index {kgen.size = #kgen.size<"n", min = 0, max = 100, multiple = 1>}, %y: memref<100xf32>) {
  %one = arith.constant 1.0 : f32
  scf.forall (%i) in (%n) {
    memref.store %one, %y[%i] : memref<100xf32>
  }
  return
}

// -----

// The workspace has as many bytes as the greatest of the results.
// CHECK-LABEL: func.func private @workspace_task0(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<i8> {llvm.noalias}
// CHECK:         %[[BYTES:.*]] = affine.max affine_map<()[s0] -> (s0 * 64, 256)>
// CHECK:         memref.reinterpret_cast %[[W]] to offset: [0], sizes: [%[[BYTES]]], strides: [1] : memref<i8> to memref<?xi8>
func.func @workspace(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 100, multiple = 1>},
    %w: memref<?xi8> {llvm.noalias, kgen.shape = affine_map<()[s0] -> (s0 * 64, 256)>}) {
  %zero = arith.constant 0 : i8
  scf.forall (%i) in (%n) {
    memref.store %zero, %w[%i] : memref<?xi8>
  }
  return
}

// -----

// Strides of a buffer with several sizes are products of these.
// CHECK-LABEL: func.func private @several_task0(
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<f32>
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index {kgen.size = #kgen.size<"n", min = 1, max = 100, multiple = 1>}, %[[M:[a-z0-9]+]]: index {kgen.size = #kgen.size<"m",
// CHECK:         %[[STRIDE:.*]] = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%[[M]]]
// CHECK:         memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [%[[N]], %[[M]], 8], strides: [%[[STRIDE]], 8, 1] : memref<f32> to memref<?x?x8xf32>
func.func @several(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 100, multiple = 1>},
    %m: index {kgen.size = #kgen.size<"m", min = 1, max = 100, multiple = 1>},
    %y: memref<?x?x8xf32> {llvm.noalias, kgen.shape = affine_map<()[s0, s1] -> (s0, s1, 8)>}) {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (%n) {
    memref.store %one, %y[%i, %c0, %c0] : memref<?x?x8xf32>
  }
  return
}

// -----

// What the loop's end is computed from is known inside of the task, where the numbers of its grid are computed again.
// CHECK-LABEL: func.func private @computed_task0(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index {kgen.size = #kgen.size<"n", min = 1, max = 8, multiple = 1>}, %[[TASK:[a-z0-9]+]]: index
// CHECK:         affine.delinearize_index %[[TASK]] into (%{{.*}}, 3)
func.func @computed(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 8, multiple = 1>},
    %y: memref<?x9xf32> {llvm.noalias, kgen.shape = affine_map<()[s0] -> (s0 * 16, 9)>}) {
  %one = arith.constant 1.0 : f32
  %rows = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%n]
  scf.forall (%i, %j) = (0, 0) to (%rows, 9) step (8, 3) {
    memref.store %one, %y[%i, %j] : memref<?x9xf32>
  }
  return
}
