// RUN: kgen-opt "%s" --kgen-insert-amx-config --split-input-file | FileCheck "%s"

// All kernels of both loops need the same shapes: one configuration outside, released in the end.
// CHECK-LABEL: func.func @one_shape
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    ukernel.configure_tiles rows [16, 0, 0, 0, 0, 0, 16, 16] bytes [64, 0, 0, 0, 0, 0, 64, 64]
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        ukernel.call @tall
// CHECK-NEXT:      }
// CHECK-NEXT:      ukernel.call @also_tall
// CHECK-NEXT:    }
// CHECK-NEXT:    ukernel.call @vectors
// CHECK-NEXT:    ukernel.call @tall
// CHECK-NEXT:    ukernel.release_tiles
// CHECK-NEXT:    return
func.func private @tall(!llvm.ptr) attributes {ukernel.tile_shapes = [array<i64: 16, 0, 0, 0, 0, 0, 16, 16>, array<i64: 64, 0, 0, 0, 0, 0, 64, 64>]}
func.func private @also_tall(!llvm.ptr) attributes {ukernel.tile_shapes = [array<i64: 16, 0, 0, 0, 0, 0, 16, 16>, array<i64: 64, 0, 0, 0, 0, 0, 64, 64>]}
func.func private @vectors(!llvm.ptr)
func.func @one_shape(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      ukernel.call @tall(%x) : memref<8xf32>
    }
    ukernel.call @also_tall(%x) : memref<8xf32>
  }
  ukernel.call @vectors(%x) : memref<8xf32>
  ukernel.call @tall(%x) : memref<8xf32>
  return
}

// -----

// Two shapes in one loop: configured inside, one after the other; the inner loop, with one shape, is left alone.
// CHECK-LABEL: func.func @two_shapes
// CHECK-NOT:     ukernel.configure_tiles
// CHECK:         scf.for
// CHECK-NEXT:      ukernel.configure_tiles rows [16, 0, 0, 0, 0, 0, 16, 16]
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        ukernel.call @tall
// CHECK-NEXT:      }
// CHECK-NEXT:      ukernel.configure_tiles rows [3, 0, 0, 0, 0, 0, 16, 3]
// CHECK-NEXT:      ukernel.call @short
// CHECK-NEXT:    }
// The registers are unknown after the loop: it may not have run.
// CHECK-NEXT:    ukernel.configure_tiles rows [3, 0, 0, 0, 0, 0, 16, 3]
// CHECK-NEXT:    ukernel.call @short
// CHECK-NEXT:    ukernel.release_tiles
func.func private @tall(!llvm.ptr) attributes {ukernel.tile_shapes = [array<i64: 16, 0, 0, 0, 0, 0, 16, 16>, array<i64: 64, 0, 0, 0, 0, 0, 64, 64>]}
func.func private @short(!llvm.ptr) attributes {ukernel.tile_shapes = [array<i64: 3, 0, 0, 0, 0, 0, 16, 3>, array<i64: 64, 0, 0, 0, 0, 0, 64, 64>]}
func.func @two_shapes(%x: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      ukernel.call @tall(%x) : memref<8xf32>
    }
    ukernel.call @short(%x) : memref<8xf32>
  }
  ukernel.call @short(%x) : memref<8xf32>
  return
}

// -----

// Launches and calls of other functions lose the shapes.
// CHECK-LABEL: func.func @launches
// CHECK:         ukernel.configure_tiles
// CHECK-NEXT:    ukernel.call @tall
// CHECK-NEXT:    kgen.launch
// CHECK-NEXT:    ukernel.configure_tiles
// CHECK-NEXT:    ukernel.call @tall
// CHECK-NEXT:    call @unknown
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      ukernel.configure_tiles
// CHECK-NEXT:      ukernel.call @tall
// CHECK-NEXT:      ukernel.call @tall
// CHECK-NEXT:      func.call @unknown
// CHECK-NEXT:    }
// CHECK-NEXT:    ukernel.release_tiles
func.func private @tall(!llvm.ptr) attributes {ukernel.tile_shapes = [array<i64: 16, 0, 0, 0, 0, 0, 16, 16>, array<i64: 64, 0, 0, 0, 0, 0, 64, 64>]}
func.func private @unknown()
func.func private @task(index)
func.func @launches(%x: memref<8xf32>, %executor: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  ukernel.call @tall(%x) : memref<8xf32>
  kgen.launch @task[6] on %executor()
  ukernel.call @tall(%x) : memref<8xf32>
  call @unknown() : () -> ()
  scf.for %i = %c0 to %c8 step %c1 {
    ukernel.call @tall(%x) : memref<8xf32>
    ukernel.call @tall(%x) : memref<8xf32>
    func.call @unknown() : () -> ()
  }
  return
}

// -----

// A function from outside may use the tile registers itself, and the graph may end after it: they are released before it.
// CHECK-LABEL: func.func @extern
// CHECK-NEXT:    kgen.extern "before"
// CHECK-NEXT:    ukernel.configure_tiles
// CHECK-NEXT:    ukernel.call @tall
// CHECK-NEXT:    ukernel.release_tiles
// CHECK-NEXT:    kgen.extern "between"
// CHECK-NEXT:    ukernel.configure_tiles
// CHECK-NEXT:    ukernel.call @tall
// CHECK-NEXT:    ukernel.release_tiles
// CHECK-NEXT:    return
func.func private @tall(!llvm.ptr) attributes {ukernel.tile_shapes = [array<i64: 16, 0, 0, 0, 0, 0, 16, 16>, array<i64: 64, 0, 0, 0, 0, 0, 64, 64>]}
func.func @extern(%x: memref<8xf32>) {
  kgen.extern "before" outs(%x : memref<8xf32>)
  ukernel.call @tall(%x) : memref<8xf32>
  kgen.extern "between" outs(%x : memref<8xf32>)
  ukernel.call @tall(%x) : memref<8xf32>
  return
}

// -----

// Nothing to do without AMX kernels.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT:    ukernel.call @vectors
// CHECK-NEXT:    return
func.func private @vectors(!llvm.ptr)
func.func @kept(%x: memref<8xf32>) {
  ukernel.call @vectors(%x) : memref<8xf32>
  return
}
