// Independent grids of tasks become one; operations between them move to the front.
// RUN: kgen-opt "%s" --split-input-file --kgen-fuse-parallel-loops | FileCheck "%s"
// RUN: kgen-opt "%s" --split-input-file --kgen-fuse-parallel-loops --kgen-plan-workspace | FileCheck "%s" --check-prefix=PLANNED

#first = affine_map<(d0) -> (d0)>
// Slices of one buffer: columns, and a remainder that is one task. Each body's buffer has slots for the tasks that run it.
// CHECK-LABEL: func @slices
// CHECK:         %[[REST:.*]] = memref.subview %arg1[0, 640] [33, 11]
// CHECK-NEXT:    scf.forall (%[[T:.*]]) in (6) {
// CHECK:           %[[LIMIT:.*]] = arith.constant 5 : index
// CHECK:           %[[FIRST:.*]] = arith.cmpi ult, %[[T]], %[[LIMIT]]
// CHECK:           scf.if %[[FIRST]] {
// CHECK:             %[[PLACE:.*]] = affine.apply #{{.*}}(%[[T]])
// CHECK:             %[[I:.*]] = affine.apply #{{.*}}(%[[PLACE]])
// CHECK:             memref.subview %arg1[0, %[[I]]] [33, 128]
// CHECK:           } else {
// CHECK:             linalg.fill {{.*}} outs(%[[REST]]
// CHECK:           }
// CHECK:         }
// CHECK-NOT:     scf.forall
// PLANNED-LABEL: func @slices
// PLANNED:         memref.view {{.*}} : memref<832xi8> to memref<32xf32>
// PLANNED:         memref.view {{.*}} : memref<832xi8> to memref<48xf32>
func.func @slices(%x: memref<33x651xf32> {llvm.noalias}, %c: memref<33x651xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (640) step (128) {
    %scratch = memref.alloc() : memref<32xf32>
    linalg.fill ins(%zero : f32) outs(%scratch : memref<32xf32>)
    %from = memref.subview %x[0, %i] [33, 128] [1, 1] : memref<33x651xf32> to memref<33x128xf32, strided<[651, 1], offset: ?>>
    %part = memref.subview %c[0, %i] [33, 128] [1, 1] : memref<33x651xf32> to memref<33x128xf32, strided<[651, 1], offset: ?>>
    linalg.copy ins(%from : memref<33x128xf32, strided<[651, 1], offset: ?>>) outs(%part : memref<33x128xf32, strided<[651, 1], offset: ?>>)
  } {mapping = [#kgen.grid_partition]}
  %rest = memref.subview %c[0, 640] [33, 11] [1, 1] : memref<33x651xf32> to memref<33x11xf32, strided<[651, 1], offset: 640>>
  scf.forall (%i) = (640) to (651) step (11) {
    %scratch = memref.alloc() : memref<48xf32>
    linalg.fill ins(%zero : f32) outs(%scratch : memref<48xf32>)
    linalg.fill ins(%zero : f32) outs(%rest : memref<33x11xf32, strided<[651, 1], offset: 640>>)
  } {mapping = [#kgen.grid_partition]}
  return
}

// -----

// Two results, and a third that reads one of them: two grids. Alone, a partition loses its mapping.
// CHECK-LABEL: func @independent
// CHECK:         scf.forall (%{{.*}}) in (10)
// CHECK:           scf.if
// CHECK:             affine.delinearize_index
// CHECK:           } else {
// CHECK:         scf.forall (%{{.*}}) in (4) {
// CHECK-NOT:     mapping
// CHECK:         return
func.func @independent(%x: memref<8x8xf32> {llvm.noalias}, %a: memref<8x8xf32> {llvm.noalias}, %b: memref<8x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i, %j) = (0, 0) to (8, 8) step (4, 4) {
    %part = memref.subview %a[%i, %j] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%part : memref<4x4xf32, strided<[8, 1], offset: ?>>)
  }
  %y = memref.alloc() : memref<8x8xf32>
  scf.forall (%i) in (6) {
    %part = memref.subview %y[%i, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%part : memref<8xf32, strided<[1], offset: ?>>)
  }
  scf.forall (%i) in (4) {
    %from = memref.subview %y[%i, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %part = memref.subview %b[%i, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.copy ins(%from : memref<8xf32, strided<[1], offset: ?>>) outs(%part : memref<8xf32, strided<[1], offset: ?>>)
  } {mapping = [#kgen.grid_partition]}
  return
}

// -----

// Refused: overlapping slices, slices that are not proven disjoint, and loops with effects between them. Loops in a sequential loop
// are fused.
// CHECK-LABEL: func @kept
// CHECK:         scf.forall (%{{.*}}) = (0) to (8) step (4)
// CHECK:         scf.forall (%{{.*}}) = (3) to (8) step (5)
// CHECK:         memref.copy
// CHECK:         scf.forall (%{{.*}}) in (2)
// CHECK:         scf.for
// CHECK:           scf.forall (%{{.*}}) in (4)
// CHECK-NOT:       scf.forall
func.func @kept(%x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32>, %z: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.forall (%i) = (0) to (8) step (4) {
    %part = memref.subview %x[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%part : memref<4xf32, strided<[1], offset: ?>>)
  }
  scf.forall (%i) = (3) to (8) step (5) {
    %part = memref.subview %x[3] [5] [1] : memref<8xf32> to memref<5xf32, strided<[1], offset: 3>>
    linalg.fill ins(%zero : f32) outs(%part : memref<5xf32, strided<[1], offset: 3>>)
  } {mapping = [#kgen.grid_partition]}
  memref.copy %y, %z : memref<8xf32> to memref<8xf32>
  scf.forall (%i) in (2) {
    %part = memref.subview %x[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%part : memref<4xf32, strided<[1], offset: ?>>)
  }
  scf.for %t = %c0 to %c9 step %c1 {
    scf.forall (%i) in (2) {
      %part = memref.subview %x[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
      linalg.fill ins(%zero : f32) outs(%part : memref<4xf32, strided<[1], offset: ?>>)
    }
    %rest = memref.subview %x[6] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: 6>>
    scf.forall (%i) in (2) {
      %part = memref.subview %rest[%i] [1] [1] : memref<2xf32, strided<[1], offset: 6>> to memref<1xf32, strided<[1], offset: ?>>
      linalg.fill ins(%zero : f32) outs(%part : memref<1xf32, strided<[1], offset: ?>>)
    }
  }
  return
}
