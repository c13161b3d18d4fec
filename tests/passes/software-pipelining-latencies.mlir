// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-software-pipelining,canonicalize))" | FileCheck "%s"

// A load that takes longer than all that follows is the first stage alone: the target says how long it takes.
module attributes {kgen.target = #kgen.target<name = "slow-loads", triple = "x86_64-unknown-linux-gnu", features = "", tune = "", vector_bits = 512,
    vector_registers = 32, l1d = 32768, l2 = 1048576, gemm_tiles = {}, facts = {load = 40 : i64}>} {
  // CHECK-LABEL: func.func @chain
  // CHECK:         %[[FIRST:.*]] = vector.load %arg0[%c0]
  // CHECK-NOT:     math.fma
  // CHECK:         scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %[[FIRST]]) -> (vector<16xf32>) {
  // CHECK:           %[[NEXT:.*]] = vector.load %arg0
  // CHECK:           math.fma %[[CARRIED]], %[[CARRIED]], %[[CARRIED]]
  // CHECK:           scf.yield %[[NEXT]]
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
}
