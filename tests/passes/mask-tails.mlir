// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v4},func.func(kgen-mask-tails))" --split-input-file | FileCheck "%s"

module {
  // Of a part of a register, the first lanes of all that it has room for.
  // CHECK-LABEL: func.func @parts
  // CHECK:         %[[M15:.*]] = arith.constant dense<{{\[}}true, {{.*}}true, false]> : vector<16xi1>
  // CHECK:         %[[R:.*]] = vector.maskedload %arg0[%{{.*}}], %[[M15]], %{{.*}} : memref<31xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  // CHECK:         vector.shuffle %[[R]], %[[R]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14] : vector<16xf32>, vector<16xf32>
  // CHECK:         %[[W:.*]] = vector.shuffle %arg2, %arg2 [0, 1, 2, 3, 4, -1, -1, -1] : vector<5xi8>, vector<5xi8>
  // CHECK:         %[[M5:.*]] = arith.constant dense<[true, true, true, true, true, false, false, false]> : vector<8xi1>
  // CHECK:         vector.maskedstore %arg1[%{{.*}}], %[[M5]], %[[W]] : memref<31xi8>, vector<8xi1>, vector<8xi8>
  func.func @parts(%x: memref<31xf32>, %y: memref<31xi8>, %v: vector<5xi8>) -> vector<15xf32> {
    %i = arith.constant 16 : index
    %p = ub.poison : f32
    %r = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<31xf32>, vector<15xf32>
    vector.transfer_write %v, %y[%i] {in_bounds = [true]} : vector<5xi8>, memref<31xi8>
    return %r : vector<15xf32>
  }

  // A power of two, more than a register, what may lie beyond the end, what is a mask already, and what does not lie together.
  // CHECK-LABEL: func.func @kept
  // CHECK-NOT:     masked
  // CHECK:         vector.transfer_read
  // CHECK-NOT:     masked
  func.func @kept(%x: memref<31xf32>, %y: memref<31xf32, strided<[2]>>, %m: vector<5xi1>) -> (vector<8xf32>, vector<20xf32>, vector<5xf32>, vector<5xf32>, vector<5xf32>) {
    %i = arith.constant 0 : index
    %p = ub.poison : f32
    %a = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<31xf32>, vector<8xf32>
    %b = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<31xf32>, vector<20xf32>
    %c = vector.transfer_read %x[%i], %p : memref<31xf32>, vector<5xf32>
    %d = vector.transfer_read %x[%i], %p, %m {in_bounds = [true]} : memref<31xf32>, vector<5xf32>
    %e = vector.transfer_read %y[%i], %p {in_bounds = [true]} : memref<31xf32, strided<[2]>>, vector<5xf32>
    return %a, %b, %c, %d, %e : vector<8xf32>, vector<20xf32>, vector<5xf32>, vector<5xf32>, vector<5xf32>
  }

  // What one loop writes and another one reads.
  // CHECK-LABEL: func.func @one_after_another
  // CHECK:         scf.for
  // CHECK:           vector.maskedstore
  // CHECK:         scf.for
  // CHECK:           vector.maskedload
  func.func @one_after_another(%x: memref<8x31xf32>, %v: vector<15xf32>) -> vector<15xf32> {
    %i = arith.constant 16 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %p = ub.poison : f32
    scf.for %j = %c0 to %c8 step %c1 {
      vector.transfer_write %v, %x[%j, %i] {in_bounds = [true]} : vector<15xf32>, memref<8x31xf32>
    }
    %s = scf.for %j = %c0 to %c8 step %c1 iter_args(%sum = %v) -> (vector<15xf32>) {
      %r = vector.transfer_read %x[%j, %i], %p {in_bounds = [true]} : memref<8x31xf32>, vector<15xf32>
      %a = arith.addf %r, %sum : vector<15xf32>
      scf.yield %a : vector<15xf32>
    }
    return %s : vector<15xf32>
  }

  // A prefetch writes nothing.
  // CHECK-LABEL: func.func @ahead
  // CHECK:         vector.maskedload
  func.func @ahead(%x: memref<31xf32>) -> vector<15xf32> {
    %i = arith.constant 16 : index
    %p = ub.poison : f32
    memref.prefetch %x[%i], read, locality<3>, data : memref<31xf32>
    %r = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<31xf32>, vector<15xf32>
    return %r : vector<15xf32>
  }

  // What is written and read, by way of a view.
  // CHECK-LABEL: func.func @both
  // CHECK-NOT:     masked
  // CHECK:         vector.transfer_read
  // CHECK-NOT:     masked
  func.func @both(%x: memref<2x31xf32>) {
    %i = arith.constant 0 : index
    %p = ub.poison : f32
    %v = memref.subview %x[1, 0] [1, 31] [1, 1] : memref<2x31xf32> to memref<31xf32, strided<[1], offset: 31>>
    %r = vector.transfer_read %v[%i], %p {in_bounds = [true]} : memref<31xf32, strided<[1], offset: 31>>, vector<5xf32>
    vector.transfer_write %r, %x[%i, %i] {in_bounds = [true]} : vector<5xf32>, memref<2x31xf32>
    return
  }
}

// -----

// Without masks.
module attributes {kgen.target = "x86-64-v3"} {
  // CHECK-LABEL: func.func @other
  // CHECK-NOT:     masked
  // CHECK:         vector.transfer_read
  // CHECK-NOT:     masked
  func.func @other(%x: memref<31xf32>) -> vector<5xf32> {
    %i = arith.constant 16 : index
    %p = ub.poison : f32
    %r = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<31xf32>, vector<5xf32>
    return %r : vector<5xf32>
  }
}
