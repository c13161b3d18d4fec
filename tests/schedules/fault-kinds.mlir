// Each fault that a schedule can have, alone: the operation, what it does, where it came first, and what to do.
// RUN: sh -c 'for name in unwritten race read-race other-core unused outside no-core small-l1 small-l2 bounds element-bounds reinterpreted shapes dynamic cores speed step; do kgen simulate "%s" --machine array-4x5 --function "$name" 2>&1; test $? -eq 1 || echo "$name: exit code"; done' | FileCheck "%s"
// CHECK-NOT: exit code

// CHECK: {{^}}unwritten on array-4x5
// CHECK: {{^}}1 fault of the schedule
// CHECK: fault-kinds.mlir:[[@LINE+9]]:7: error: linalg.generic reads what nobody wrote: [3] of the memref<4xi32, 2> of line [[@LINE+4]]; first in core (0); 2 times in all
// CHECK-NEXT: a copy or a fill is missing, or comes too late
func.func @unwritten(%x: memref<4xi32>) {
  scf.forall (%c) in (2) {
    %t = memref.alloc() : memref<4xi32, 2>
    %part = memref.subview %t[0] [3] [1] : memref<4xi32, 2> to memref<3xi32, strided<[1]>, 2>
    %from = memref.subview %x[0] [3] [1] : memref<4xi32> to memref<3xi32, strided<[1]>>
    memref.copy %from, %part : memref<3xi32, strided<[1]>> to memref<3xi32, strided<[1]>, 2>
    %y = memref.alloc() : memref<4xi32, 2>
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t : memref<4xi32, 2>) outs(%y : memref<4xi32, 2>) {
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %a : i32
      linalg.yield %s : i32
    }
  } {mapping = [#gpu.thread<x>]}
  return
}

// CHECK: {{^}}race on array-4x5
// CHECK: fault-kinds.mlir:[[@LINE+8]]:5: error: memref.copy writes what another core or block accesses at the same time (memref.copy, line [[@LINE+8]]): [0] of argument 1, a memref<4xi32> of line [[@LINE+2]]; first in block (1)
// CHECK-NEXT: give each iteration of the parallel loop memory of its own
func.func @race(%x: memref<4xi32>, %y: memref<4xi32>) {
  scf.forall (%b) in (2) {
    %t = memref.alloc() : memref<4xi32, 1>
    memref.copy %x, %t : memref<4xi32> to memref<4xi32, 1>
    // Blocks write the same result.

    memref.copy %t, %y : memref<4xi32, 1> to memref<4xi32>
  } {mapping = [#gpu.block<x>]}
  return
}

// CHECK: {{^}}read-race on array-4x5
// CHECK: error: memref.copy reads what another core or block writes at the same time (memref.copy, line [[@LINE+8]]): [0, 0] of the memref<2x4xi32, 1> of line [[@LINE+3]]; first in core (1)
// CHECK-NEXT: iterations of a parallel loop must not depend on each other
func.func @"read-race"(%x: memref<4xi32>) {
  %t = memref.alloc() : memref<2x4xi32, 1>
  scf.forall (%c) in (2) {
    %mine = memref.subview %t[%c, 0] [1, 4] [1, 1] : memref<2x4xi32, 1> to memref<4xi32, strided<[1], offset: ?>, 1>
    %first = memref.subview %t[0, 0] [1, 4] [1, 1] : memref<2x4xi32, 1> to memref<4xi32, strided<[1]>, 1>
    %u = memref.alloc() : memref<4xi32, 2>
    memref.copy %x, %mine : memref<4xi32> to memref<4xi32, strided<[1], offset: ?>, 1>
    memref.copy %first, %u : memref<4xi32, strided<[1]>, 1> to memref<4xi32, 2>
  } {mapping = [#gpu.thread<x>]}
  return
}

// CHECK: {{^}}other-core on array-4x5
// CHECK: error: memref.copy reads what another core has in its L1 (memref.copy, line {{[0-9]+}}): [1] of the memref<2xi32, 2> of line [[@LINE+3]]; first in core (0)
// CHECK-NEXT: distribute both loops over cores alike, or go through L2
func.func @"other-core"(%x: memref<2xi32>, %y: memref<2xi32>) {
  %t = memref.alloc() : memref<2xi32, 2>
  scf.forall (%c) in (2) {
    %from = memref.subview %x[%c] [1] [1] : memref<2xi32> to memref<1xi32, strided<[1], offset: ?>>
    %to = memref.subview %t[%c] [1] [1] : memref<2xi32, 2> to memref<1xi32, strided<[1], offset: ?>, 2>
    memref.copy %from, %to : memref<1xi32, strided<[1], offset: ?>> to memref<1xi32, strided<[1], offset: ?>, 2>
  } {mapping = [#gpu.thread<x>]}
  scf.forall (%c) in (2) {
    %other = affine.apply affine_map<(c) -> (1 - c)>(%c)
    %from = memref.subview %t[%other] [1] [1] : memref<2xi32, 2> to memref<1xi32, strided<[1], offset: ?>, 2>
    %to = memref.subview %y[%other] [1] [1] : memref<2xi32> to memref<1xi32, strided<[1], offset: ?>>
    memref.copy %from, %to : memref<1xi32, strided<[1], offset: ?>, 2> to memref<1xi32, strided<[1], offset: ?>>
  } {mapping = [#gpu.thread<x>]}
  return
}

// CHECK: {{^}}unused on array-4x5
// CHECK: fault-kinds.mlir:[[@LINE+10]]:5: error: memref.copy overwrites what a copy brought (memref.copy, line [[@LINE+10]]) and nobody has read: [0] of the memref<4xi32, 1> of line [[@LINE+4]]; first in step 1 of scf.for, line [[@LINE+8]]; 2 times in all
// CHECK-NEXT: prefetching one step ahead needs two buffers that take turns
func.func @unused(%x: memref<3x4xi32>) {
  %c0 = arith.constant 0 : index
  %t = memref.alloc() : memref<4xi32, 1>
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index

  scf.for %i = %c0 to %c3 step %c1 {
    %row = memref.subview %x[%i, 0] [1, 4] [1, 1] : memref<3x4xi32> to memref<4xi32, strided<[1], offset: ?>>
    memref.copy %row, %t : memref<4xi32, strided<[1], offset: ?>> to memref<4xi32, 1>
  }
  return
}

// CHECK: {{^}}outside on array-4x5
// CHECK: error: linalg.add computes on an operand in L3: [0] of argument 0, a memref<4xi32> of line [[@LINE+2]]; first in core (0)
// CHECK-NEXT: a core reaches its own L1 only: copy the operand there
func.func @outside(%x: memref<4xi32>) {
  scf.forall (%c) in (1) {
    %t = memref.alloc() : memref<4xi32, 2>
    linalg.add ins(%x, %x : memref<4xi32>, memref<4xi32>) outs(%t : memref<4xi32, 2>)
  } {mapping = [#gpu.thread<x>]}
  return
}

// CHECK: {{^}}no-core on array-4x5
// CHECK: error: linalg.add computes outside of a loop over cores
// CHECK-NEXT: only cores compute: put it into an scf.forall on #gpu.thread
func.func @"no-core"(%x: memref<4xi32>) {
  %t = memref.alloc() : memref<4xi32, 2>
  memref.copy %x, %t : memref<4xi32> to memref<4xi32, 2>
  linalg.add ins(%t, %t : memref<4xi32, 2>, memref<4xi32, 2>) outs(%t : memref<4xi32, 2>)
  return
}

// L1 that is allocated outside of a loop over cores is distributed over all of them: 20 here.
// CHECK: {{^}}small-l1 on array-4x5
// CHECK: fault-kinds.mlir:[[@LINE+5]]:8: error: memref.alloc does not fit: L1 would hold 65540 bytes of 65536, 4 of them by this; first in core (0)
// CHECK-NEXT: choose smaller tiles or one buffer instead of two; `memories` of array-4x5 says what there is
func.func @"small-l1"(%x: memref<4xi32>) {
  %t = memref.alloc() : memref<20x16384xi32, 2>
  scf.forall (%c) in (20) {
  %u = memref.alloc() : memref<1xi32, 2>
  } {mapping = [#gpu.thread<x>]}
  return
}

// Each core of a loop has what the loop allocates in L2.
// CHECK: {{^}}small-l2 on array-4x5
// CHECK: error: memref.alloc does not fit: L2 would hold 2621460 bytes of 2621440, 20 of them by this; first in block (0), core (0, 0); 20 times in all
func.func @"small-l2"(%x: memref<4xi32>) {
  scf.forall (%b) in (1) {
    %t = memref.alloc() : memref<2621440xi8, 1>
    scf.forall (%i, %j) in (4, 5) {
      %u = memref.alloc() : memref<1xi8, 1>
    } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
  } {mapping = [#gpu.block<x>]}
  return
}

// CHECK: {{^}}bounds on array-4x5
// CHECK: error: memref.subview reaches beyond its source: 4 elements from 2 on in a dimension of 5; first in block (1)
func.func @bounds(%x: memref<5xi32>) {
  scf.forall (%b) in (2) {
    %at = affine.apply affine_map<(b) -> (b * 2)>(%b)
    %v = memref.subview %x[%at] [4] [1] : memref<5xi32> to memref<4xi32, strided<[1], offset: ?>>
  } {mapping = [#gpu.block<x>]}
  return
}

// CHECK: {{^}}element-bounds on array-4x5
// CHECK: error: memref.load reaches beyond its memory: element 4 of a dimension of 4; first in core (0)
func.func @"element-bounds"(%x: memref<4xi32>) {
  %c4 = arith.constant 4 : index
  scf.forall (%c) in (1) {
    %t = memref.alloc() : memref<4xi32, 2>
    %v = memref.load %t[%c4] : memref<4xi32, 2>
  } {mapping = [#gpu.thread<x>]}
  return
}

// CHECK: {{^}}reinterpreted on array-4x5
// CHECK: error: memref.reinterpret_cast reaches beyond its source; first in core (0)
func.func @reinterpreted(%x: memref<4xi32>) {
  scf.forall (%c) in (1) {
    %t = memref.alloc() : memref<4xi32, 2>
    %v = memref.reinterpret_cast %t to offset: [1], sizes: [2, 2], strides: [2, 1] : memref<4xi32, 2> to memref<2x2xi32, strided<[2, 1], offset: 1>, 2>
    linalg.add ins(%v, %v : memref<2x2xi32, strided<[2, 1], offset: 1>, 2>, memref<2x2xi32, strided<[2, 1], offset: 1>, 2>)
      outs(%v : memref<2x2xi32, strided<[2, 1], offset: 1>, 2>)
  } {mapping = [#gpu.thread<x>]}
  return
}

// Sizes that are not what the other side has.
// CHECK: {{^}}shapes on array-4x5
// CHECK: error: memref.copy copies between different shapes; first in block (0)
// CHECK: error: linalg.copy reaches beyond operand 1: its size is not that of the loops; first in block (0)
func.func @shapes(%x: memref<6xi32>) {
  %c5 = arith.constant 5 : index
  scf.forall (%b) in (1) {
    %t = memref.alloc() : memref<4xi32, 1>
    %d = memref.cast %t : memref<4xi32, 1> to memref<?xi32, 1>
    %v = memref.subview %x[0] [%c5] [1] : memref<6xi32> to memref<?xi32, strided<[1]>>
    memref.copy %v, %d : memref<?xi32, strided<[1]>> to memref<?xi32, 1>
    linalg.copy ins(%v : memref<?xi32, strided<[1]>>) outs(%d : memref<?xi32, 1>)
  } {mapping = [#gpu.block<x>]}
  return
}

// CHECK: {{^}}dynamic on array-4x5
// CHECK: error: memref.alloc allocates more than 2^31 elements; first in block (0)
func.func @dynamic(%x: memref<6xi32>) {
  %many = arith.constant 1000000 : index
  scf.forall (%b) in (1) {
    %t = memref.alloc(%many, %many) : memref<?x?xi32, 1>
  } {mapping = [#gpu.block<x>]}
  return
}

// CHECK: {{^}}cores on array-4x5
// CHECK: error: scf.forall has 21 iterations for 20 cores
// CHECK-NEXT: a loop over cores has at most one iteration for each core of a block
func.func @cores(%x: memref<4xi32>) {
  scf.forall (%c) in (21) {
  } {mapping = [#gpu.thread<x>]}
  return
}

// CHECK: {{^}}speed on array-4x5
// CHECK: error: linalg.fill computes with f64, for which the machine has no speed; first in core (0)
// CHECK-NEXT: add 'f64' to 'products_per_cycle' of array-4x5
func.func @speed(%x: memref<4xi32>) {
  %z = arith.constant 0.0 : f64
  scf.forall (%c) in (1) {
    %t = memref.alloc() : memref<4xf64, 2>
    linalg.fill ins(%z : f64) outs(%t : memref<4xf64, 2>)
  } {mapping = [#gpu.thread<x>]}
  return
}

// CHECK: {{^}}step on array-4x5
// CHECK: error: scf.for has a step of -1
func.func @step(%x: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %back = arith.subi %c0, %c4 : index
  %by = arith.divsi %back, %c4 : index
  scf.for %i = %c0 to %c4 step %by {
  }
  return
}
// REQUIRES: machines
