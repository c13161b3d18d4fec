// RUN: kgen-opt %s --kgen-instrument-ops="symbol=clock" --mlir-print-local-scope --mlir-print-debuginfo=false | FileCheck %s

// The clock is read where other numbered operations begin; operations without a number count with those before them.
// CHECK: func.func private @clock(index)

// CHECK-LABEL: func @steps(
func.func @steps(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  // CHECK: %[[BEGIN:.*]] = arith.constant -1 : index
  // CHECK-NEXT: call @clock(%[[BEGIN]])
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: linalg.fill
  // CHECK-NOT: call
  // CHECK: scf.for
  // CHECK: }
  // CHECK-NEXT: %[[FIRST:.*]] = arith.constant 0 : index
  // CHECK-NEXT: call @clock(%[[FIRST]])
  linalg.fill ins(%zero : f32) outs(%y : memref<8xf32>) loc(#first)
  scf.for %i = %c0 to %c8 step %c1 {
    %e = memref.load %x[%i] : memref<8xf32> loc(#first)
    memref.store %e, %y[%i] : memref<8xf32> loc(#first)
  } loc(#first)
  // CHECK: memref.copy
  // CHECK: %[[SECOND:.*]] = arith.constant 1 : index
  // CHECK-NEXT: call @clock(%[[SECOND]])
  memref.copy %y, %z : memref<8xf32> to memref<8xf32> loc(#second)
  // Two numbered operations in one loop share a timer.
  // CHECK: scf.for
  // CHECK: memref.store
  // CHECK-NOT: call
  // CHECK: memref.store
  // CHECK: }
  // CHECK-NEXT: %[[BOTH:.*]] = arith.constant 2 : index
  // CHECK-NEXT: call @clock(%[[BOTH]])
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %zero, %x[%i] : memref<8xf32> loc(#first)
    memref.store %zero, %z[%i] : memref<8xf32> loc(#second)
  }
  // The first number once more, and an operation without a name.
  // CHECK: memref.copy
  // CHECK-NEXT: memref.copy
  // CHECK-NEXT: %[[AGAIN:.*]] = arith.constant 0 : index
  // CHECK-NEXT: call @clock(%[[AGAIN]])
  memref.copy %x, %y : memref<8xf32> to memref<8xf32> loc(#first)
  memref.copy %x, %z : memref<8xf32> to memref<8xf32> loc(unknown)
  // CHECK-NEXT: return
  return
}

// Functions of tasks have no clock.
// CHECK-LABEL: func private @task(
// CHECK-NOT: call
// CHECK: return
func.func private @task(%x: memref<8xf32>, %y: memref<8xf32>) {
  memref.copy %x, %y : memref<8xf32> to memref<8xf32> loc(#first)
  return
}

#first = loc(fused<{step = 0 : i64}>["a"])
#second = loc(fused<{step = 1 : i64}>["b"])
