// Lines of several rows of a large tensor in one iteration: non-temporal stores where the memory begins with a line.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-non-temporal-stores | FileCheck "%s"

module {
// CHECK-LABEL: func @lines
// CHECK: %[[AT:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[REST:.*]] = arith.andi %{{.*}}, %c63
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if %[[IS]] {
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-4: vector.store %arg1, %arg0[{{.*}}] {alignment = 64 : i64, nontemporal = true} : memref<1024x2048xf32>, vector<16xf32>
// CHECK: kgen.store_fence
// CHECK: } else {
// CHECK-NOT: vector.store
// CHECK-COUNT-4: vector.transfer_write
func.func @lines(%y: memref<1024x2048xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %rows = arith.constant 1024 : index
  %end = arith.constant 2048 : index
  scf.for %i = %c0 to %rows step %c16 {
    scf.for %j = %c0 to %end step %c16 {
      %r0 = arith.addi %i, %c0 : index
      vector.transfer_write %v, %y[%r0, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x2048xf32>
      %r1 = arith.addi %i, %c1 : index
      vector.transfer_write %v, %y[%r1, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x2048xf32>
      %r2 = arith.addi %i, %c2 : index
      vector.transfer_write %v, %y[%r2, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x2048xf32>
      %r3 = arith.addi %i, %c3 : index
      vector.transfer_write %v, %y[%r3, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x2048xf32>
    }
  }
  return
}

// Refused: a tensor that the caches may keep, ...
// CHECK-LABEL: func @small
// CHECK-NOT: vector.store
// CHECK:     vector.transfer_write
// CHECK-NOT: vector.store
func.func @small(%y: memref<1024x128xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %rows = arith.constant 1024 : index
  %end = arith.constant 128 : index
  scf.for %i = %c0 to %rows step %c16 {
    scf.for %j = %c0 to %end step %c16 {
      %r0 = arith.addi %i, %c0 : index
      vector.transfer_write %v, %y[%r0, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x128xf32>
      %r1 = arith.addi %i, %c1 : index
      vector.transfer_write %v, %y[%r1, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x128xf32>
      %r2 = arith.addi %i, %c2 : index
      vector.transfer_write %v, %y[%r2, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x128xf32>
      %r3 = arith.addi %i, %c3 : index
      vector.transfer_write %v, %y[%r3, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x128xf32>
    }
  }
  return
}

// ... rows that begin anywhere in a line, ...
// CHECK-LABEL: func @odd
// CHECK-NOT: vector.store
// CHECK:     vector.transfer_write
// CHECK-NOT: vector.store
func.func @odd(%y: memref<1024x2049xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %rows = arith.constant 1024 : index
  %end = arith.constant 2048 : index
  scf.for %i = %c0 to %rows step %c16 {
    scf.for %j = %c0 to %end step %c16 {
      %r0 = arith.addi %i, %c0 : index
      vector.transfer_write %v, %y[%r0, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x2049xf32>
      %r1 = arith.addi %i, %c1 : index
      vector.transfer_write %v, %y[%r1, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x2049xf32>
      %r2 = arith.addi %i, %c2 : index
      vector.transfer_write %v, %y[%r2, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x2049xf32>
      %r3 = arith.addi %i, %c3 : index
      vector.transfer_write %v, %y[%r3, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x2049xf32>
    }
  }
  return
}

// ... parts of lines, ...
// CHECK-LABEL: func @parts
// CHECK-NOT: vector.store
// CHECK:     vector.transfer_write
// CHECK-NOT: vector.store
func.func @parts(%y: memref<1024x2048xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %rows = arith.constant 1024 : index
  %end = arith.constant 2048 : index
  scf.for %i = %c0 to %rows step %c8 {
    scf.for %j = %c0 to %end step %c8 {
      %r0 = arith.addi %i, %c0 : index
      vector.transfer_write %v, %y[%r0, %j] {in_bounds = [true]} : vector<8xf32>, memref<1024x2048xf32>
      %r1 = arith.addi %i, %c1 : index
      vector.transfer_write %v, %y[%r1, %j] {in_bounds = [true]} : vector<8xf32>, memref<1024x2048xf32>
      %r2 = arith.addi %i, %c2 : index
      vector.transfer_write %v, %y[%r2, %j] {in_bounds = [true]} : vector<8xf32>, memref<1024x2048xf32>
      %r3 = arith.addi %i, %c3 : index
      vector.transfer_write %v, %y[%r3, %j] {in_bounds = [true]} : vector<8xf32>, memref<1024x2048xf32>
    }
  }
  return
}

// ... or one row in an iteration.
// CHECK-LABEL: func @rows
// CHECK-NOT: vector.store
// CHECK:     vector.transfer_write
// CHECK-NOT: vector.store
func.func @rows(%y: memref<1024x2048xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %rows = arith.constant 1024 : index
  %end = arith.constant 2048 : index
  scf.for %i = %c0 to %rows step %c16 {
    scf.for %j = %c0 to %end step %c16 {
      %r0 = arith.addi %i, %c0 : index
      vector.transfer_write %v, %y[%r0, %j] {in_bounds = [true]} : vector<16xf32>, memref<1024x2048xf32>
    }
  }
  return
}
}
