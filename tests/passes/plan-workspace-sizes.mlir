// The workspace as a function of sizes that are known at run time.
// RUN: kgen-opt "%s" --kgen-plan-workspace --canonicalize --allow-unregistered-dialect --mlir-print-local-scope --split-input-file | FileCheck "%s"

// Two buffers that live at the same time are one above the other at all sizes.
// CHECK-LABEL: func.func @both(
// CHECK-SAME:    %[[B:[a-z0-9]+]]: index
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<?xi8> {kgen.shape = affine_map<()[s0] -> (s0 * 4096 + (s0 ceildiv 16) * 64)>, llvm.noalias})
// CHECK-SAME:    attributes {kgen.workspace = 524800 : i64}
// CHECK:         %[[A:.*]] = memref.assume_alignment %[[W]], 64
// CHECK-DAG:     %[[OFFSET:.*]] = affine.apply affine_map<()[s0] -> (s0 * 4096)>()[%[[B]]]
// CHECK-DAG:     memref.view %[[A]][%c0][%[[B]]] : memref<?xi8> to memref<?x1024xf32>
// CHECK-DAG:     memref.view %[[A]][%[[OFFSET]]][%[[B]]] : memref<?xi8> to memref<?xf32>
func.func @both(%batch: index {kgen.size = #kgen.size<"batch", min = 1, max = 128, multiple = 1>}) {
  %rows = memref.alloc(%batch) : memref<?x1024xf32>
  %sums = memref.alloc(%batch) : memref<?xf32>
  "test.use"(%rows, %sums) : (memref<?x1024xf32>, memref<?xf32>) -> ()
  return
}

// -----

// Two that do not share memory; its size is the greatest of both.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %{{.*}}: memref<?xi8> {kgen.shape = affine_map<()[s0, s1] -> (s0 * 64, s1 * 64)>, llvm.noalias})
func.func @shared(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 128, multiple = 1>},
    %m: index {kgen.size = #kgen.size<"m", min = 1, max = 64, multiple = 1>}) {
  %x = memref.alloc(%n) : memref<?x16xf32>
  "test.use"(%x) : (memref<?x16xf32>) -> ()
  %y = memref.alloc(%m) : memref<?x16xf32>
  "test.use"(%y) : (memref<?x16xf32>) -> ()
  return
}

// -----

// A slot for each task. The tile's size depends on the task: a slot has room for the greatest.
// CHECK-LABEL: func.func @slots(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index
// CHECK-SAME:    %{{.*}}: memref<?xi8> {kgen.shape = affine_map<()[s0] -> ((s0 ceildiv 16) * 1024)>, llvm.noalias}) attributes {kgen.workspace = 7168 : i64}
// CHECK:         scf.forall (%[[I:.*]]) = (0) to (%[[N]]) step (16)
// CHECK:           %[[SIZE:.*]] = affine.min
// CHECK:           %[[SLOT:.*]] = kgen.task_slot
// CHECK:           %[[OFFSET:.*]] = affine.apply affine_map<(d0) -> (d0 * 1024)>(%[[SLOT]])
// CHECK:           memref.view %{{.*}}[%[[OFFSET]]][%[[SIZE]]] : memref<?xi8> to memref<?x16xf32>
func.func @slots(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 100, multiple = 1>}) {
  scf.forall (%i) = (0) to (%n) step (16) {
    %size = affine.min affine_map<(d0)[s0] -> (16, s0 - d0)>(%i)[%n]
    %x = memref.alloc(%size) : memref<?x16xf32>
    "test.use"(%x) : (memref<?x16xf32>) -> ()
  }
  return
}

// -----

// Of buffers of one size that a task uses one after another, all have the same region; one that is used with another has its own.
// CHECK-LABEL: func.func @turns(
// CHECK-SAME:    %{{.*}}: memref<?xi8> {kgen.shape = affine_map<()[s0] -> ((s0 ceildiv 16) * 128)>, llvm.noalias})
// CHECK:         scf.forall
// CHECK:           %[[FIRST:.*]] = affine.apply affine_map<(d0) -> (d0 * 64)>(%{{.*}})
// CHECK:           %[[X:.*]] = memref.view %{{.*}}[%[[FIRST]]][] : memref<?xi8> to memref<16xf32>
// CHECK:           "test.use"(%[[X]])
// CHECK:           %[[SECOND:.*]] = affine.apply affine_map<(d0) -> (d0 * 64)>(%{{.*}})
// CHECK:           %[[Y:.*]] = memref.view %{{.*}}[%[[SECOND]]][] : memref<?xi8> to memref<16xf32>
// CHECK:           %[[THIRD:.*]] = affine.apply affine_map<(d0)[s0] -> (d0 * 64 + (s0 ceildiv 16) * 64)>(%{{.*}})[%{{.*}}]
// CHECK:           %[[Z:.*]] = memref.view %{{.*}}[%[[THIRD]]][] : memref<?xi8> to memref<16xf32>
// CHECK:           "test.use"(%[[Y]], %[[Z]])
func.func @turns(%n: index {kgen.size = #kgen.size<"n", min = 1, max = 100, multiple = 1>}) {
  scf.forall (%i) = (0) to (%n) step (16) {
    %x = memref.alloc() : memref<16xf32>
    "test.use"(%x) : (memref<16xf32>) -> ()
    %y = memref.alloc() : memref<16xf32>
    %z = memref.alloc() : memref<16xf32>
    "test.use"(%y, %z) : (memref<16xf32>, memref<16xf32>) -> ()
  }
  return
}
