// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-software-pipelining))" | FileCheck "%s"

// What is recorded for `kgen explain`: the stages of a loop, or why a long one stays as it is. Short ones are not worth a record.
module attributes {kgen.decisions = []} {
  // CHECK-LABEL: func.func @chain
  // CHECK-SAME:  kgen.decisions = [{details = {cycles = 44 : i64, stages = 2 : i64}, kind = "pipelined", nodes = ["y"], pass = "kgen-software-pipelining"}]
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
    } loc(#y)
    return
  }

  // CHECK-LABEL: func.func @few
  // CHECK-SAME:  kgen.decisions = [{details = {why = "fewer iterations than stages, or an unknown number"}, kind = "not-pipelined", nodes = ["y"], pass = "kgen-software-pipelining"}]
  func.func @few(%x: memref<128xf32> {llvm.noalias}, %y: memref<128xf32> {llvm.noalias}) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    scf.for %i = %c0 to %c32 step %c16 {
      %0 = vector.load %x[%i] : memref<128xf32>, vector<16xf32>
      %1 = math.fma %0, %0, %0 : vector<16xf32>
      %2 = math.fma %1, %1, %1 : vector<16xf32>
      %3 = math.fma %2, %2, %2 : vector<16xf32>
      %4 = math.fma %3, %3, %3 : vector<16xf32>
      %5 = math.fma %4, %4, %4 : vector<16xf32>
      %6 = math.fma %5, %5, %5 : vector<16xf32>
      %7 = math.fma %6, %6, %6 : vector<16xf32>
      vector.store %7, %y[%i] : memref<128xf32>, vector<16xf32>
    } loc(#y)
    return
  }

  // CHECK-LABEL: func.func @short
  // CHECK-NOT:   kgen.decisions
  // CHECK:       scf.for
  func.func @short(%x: memref<128xf32> {llvm.noalias}, %y: memref<128xf32> {llvm.noalias}) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c128 = arith.constant 128 : index
    scf.for %i = %c0 to %c128 step %c16 {
      %0 = vector.load %x[%i] : memref<128xf32>, vector<16xf32>
      vector.store %0, %y[%i] : memref<128xf32>, vector<16xf32>
    } loc(#y)
    return
  }
}
#y = loc("y")
