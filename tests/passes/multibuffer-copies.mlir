// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-multibuffer-copies))" --split-input-file | FileCheck "%s"

// The buffer has a slot more, and the copy for the next step runs in front of the work of the current one.
// CHECK-LABEL: func.func @two
// CHECK:       %[[SLOTS:.*]] = memref.alloc() : memref<2x8xf32, 1>
// CHECK:       linalg.copy ins(%{{.*}}) outs(%{{.*}} : memref<8xf32, strided<[1], offset: ?>, 1>)
// CHECK:       scf.for {{.*}} iter_args
// CHECK-NOT:   kgen.buffers
// CHECK:         memref.subview %[[SLOTS]]
// CHECK:         linalg.copy
// CHECK:         linalg.add
// CHECK-NOT:     linalg.copy
// CHECK:       }
// CHECK-NOT:   kgen.buffers
// CHECK-NOT:   linalg.copy
// CHECK:       linalg.add
// CHECK:       return
func.func @two(%x: memref<64xf32>, %sum: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %tile = memref.alloc() : memref<8xf32, 1>
  scf.for %i = %c0 to %c64 step %c8 {
    %s = memref.subview %x[%i] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.copy ins(%s : memref<8xf32, strided<[1], offset: ?>>) outs(%tile : memref<8xf32, 1>)
    linalg.add ins(%tile, %sum : memref<8xf32, 1>, memref<8xf32>) outs(%sum : memref<8xf32>)
  } {kgen.buffers = 2 : i64}
  return
}

// -----

// CHECK-LABEL: func.func @three
// CHECK:       memref.alloc() : memref<3x8xf32, 1>
func.func @three(%x: memref<64xf32>, %sum: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %tile = memref.alloc() : memref<8xf32, 1>
  scf.for %i = %c0 to %c64 step %c8 {
    %s = memref.subview %x[%i] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.copy ins(%s : memref<8xf32, strided<[1], offset: ?>>) outs(%tile : memref<8xf32, 1>)
    linalg.add ins(%tile, %sum : memref<8xf32, 1>, memref<8xf32>) outs(%sum : memref<8xf32>)
  } {kgen.buffers = 3 : i64}
  return
}

// -----

// A loop that asks for none, and one without copies, stay as they are but for the attribute.
// CHECK-LABEL: func.func @none
// CHECK:       memref.alloc() : memref<8xf32, 1>
// CHECK:       scf.for
// CHECK-NEXT:    memref.subview
// CHECK-NEXT:    linalg.copy
// CHECK-NEXT:    linalg.add
// CHECK-NEXT:  }
// CHECK-NEXT:  scf.for
// CHECK-NEXT:    linalg.exp
// CHECK-NEXT:  }{{$}}
func.func @none(%x: memref<64xf32>, %sum: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %tile = memref.alloc() : memref<8xf32, 1>
  scf.for %i = %c0 to %c64 step %c8 {
    %s = memref.subview %x[%i] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.copy ins(%s : memref<8xf32, strided<[1], offset: ?>>) outs(%tile : memref<8xf32, 1>)
    linalg.add ins(%tile, %sum : memref<8xf32, 1>, memref<8xf32>) outs(%sum : memref<8xf32>)
  }
  scf.for %i = %c0 to %c64 step %c8 {
    linalg.exp ins(%sum : memref<8xf32>) outs(%sum : memref<8xf32>)
  } {kgen.buffers = 2 : i64}
  return
}
