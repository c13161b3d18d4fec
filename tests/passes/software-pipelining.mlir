// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-software-pipelining,canonicalize))" | FileCheck "%s"

// The second half of a step, and the first half of the next one; the value between them is carried.
// CHECK-LABEL: func.func @chain
// CHECK:         vector.load %arg0[%c0]
// CHECK-NOT:     vector.store
// CHECK:         %[[LAST:.*]] = scf.for %[[I:.*]] = %c0 to %c112 step %c16 iter_args(%[[CARRIED:.*]] = %{{.*}}) -> (vector<16xf32>) {
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %c16
// CHECK:           vector.load %arg0[%[[NEXT]]]
// CHECK:           math.fma %[[CARRIED]], %[[CARRIED]], %[[CARRIED]]
// CHECK:           vector.store %{{.*}}, %arg1[%[[I]]]
// CHECK:           scf.yield %{{.*}} : vector<16xf32>
// CHECK:         math.fma %[[LAST]], %[[LAST]], %[[LAST]]
// CHECK:         vector.store %{{.*}}, %arg1[%c112]
// CHECK:         return
func.func @chain(%x: memref<128xf32> {llvm.noalias}, %y: memref<128xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c16 {
    %0 = vector.load %x[%i] : memref<128xf32>, vector<16xf32>
    %1 = math.fma %0, %0, %0 : vector<16xf32>
    %2 = math.fma %1, %1, %1 : vector<16xf32>
    %3 = math.fma %2, %2, %2 : vector<16xf32>
    %4 = math.fma %3, %3, %3 : vector<16xf32>
    %5 = math.fma %4, %4, %4 : vector<16xf32>
    %6 = math.fma %5, %5, %5 : vector<16xf32>
    %7 = math.fma %6, %6, %6 : vector<16xf32>
    vector.store %7, %y[%i] : memref<128xf32>, vector<16xf32>
  }
  return
}

// In place: a step reads what it writes itself.
// CHECK-LABEL: func.func @in_place
// CHECK:         scf.for {{.*}} iter_args
func.func @in_place(%x: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c16 {
    memref.prefetch %x[%i], read, locality<3>, data : memref<128xf32>
    %0 = vector.load %x[%i] : memref<128xf32>, vector<16xf32>
    %1 = arith.divf %0, %0 : vector<16xf32>
    %2 = arith.divf %1, %1 : vector<16xf32>
    %3 = arith.divf %2, %2 : vector<16xf32>
    vector.store %3, %x[%i] : memref<128xf32>, vector<16xf32>
  }
  return
}

// Not the memory that a step before wrote, or may have.
// CHECK-LABEL: func.func @recurrence
// CHECK-NOT:     iter_args
// CHECK:         arith.divf
// CHECK-NOT:     iter_args
// CHECK-LABEL: func.func @same_place
// CHECK-NOT:     iter_args
// CHECK:         arith.divf
// CHECK-NOT:     iter_args
// CHECK-LABEL: func.func @unknown
// CHECK-NOT:     iter_args
// CHECK:         arith.divf
// CHECK-NOT:     iter_args
// CHECK-LABEL: func.func @short
// CHECK-NOT:     iter_args
// CHECK:         arith.divf
// CHECK-NOT:     iter_args
// CHECK-LABEL: func.func @few
// CHECK-NOT:     iter_args
// CHECK:         arith.divf
// CHECK-NOT:     iter_args
func.func @recurrence(%x: memref<144xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c16 {
    %0 = vector.load %x[%i] : memref<144xf32>, vector<16xf32>
    %1 = arith.divf %0, %0 : vector<16xf32>
    %2 = arith.divf %1, %1 : vector<16xf32>
    %3 = arith.divf %2, %2 : vector<16xf32>
    %j = arith.addi %i, %c16 : index
    vector.store %3, %x[%j] : memref<144xf32>, vector<16xf32>
  }
  return
}

func.func @same_place(%x: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c16 {
    %0 = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
    %1 = arith.divf %0, %0 : vector<16xf32>
    %2 = arith.divf %1, %1 : vector<16xf32>
    %3 = arith.divf %2, %2 : vector<16xf32>
    vector.store %3, %x[%c0] : memref<16xf32>, vector<16xf32>
  }
  return
}

func.func @unknown(%x: memref<128xf32>, %y: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c16 {
    %0 = vector.load %x[%i] : memref<128xf32>, vector<16xf32>
    %1 = arith.divf %0, %0 : vector<16xf32>
    %2 = arith.divf %1, %1 : vector<16xf32>
    %3 = arith.divf %2, %2 : vector<16xf32>
    vector.store %3, %y[%i] : memref<128xf32>, vector<16xf32>
  }
  return
}

// Nothing to wait for.
func.func @short(%x: memref<128xf32> {llvm.noalias}, %y: memref<128xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c16 {
    %0 = vector.load %x[%i] : memref<128xf32>, vector<16xf32>
    %1 = arith.divf %0, %0 : vector<16xf32>
    vector.store %1, %y[%i] : memref<128xf32>, vector<16xf32>
  }
  return
}

// Two steps.
func.func @few(%x: memref<128xf32> {llvm.noalias}, %y: memref<128xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c64 {
    %0 = vector.load %x[%i] : memref<128xf32>, vector<64xf32>
    %1 = arith.divf %0, %0 : vector<64xf32>
    %2 = arith.divf %1, %1 : vector<64xf32>
    %3 = arith.divf %2, %2 : vector<64xf32>
    vector.store %3, %y[%i] : memref<128xf32>, vector<64xf32>
  }
  return
}
