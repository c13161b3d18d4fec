// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{x86-64-v4},func.func(kgen-software-pipelining,canonicalize))" | FileCheck "%s"

// With registers for what is carried, three stages: of two steps at once, one value each is on its way.
// CHECK-LABEL: func.func @three_stages
// CHECK:         scf.for {{.*}} to %c96 step %c16 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<16xf32>, vector<16xf32>) {
// CHECK:         vector.store
// CHECK:         vector.store
module {
func.func @three_stages(%x: memref<128xf32> {llvm.noalias}, %y: memref<128xf32> {llvm.noalias}) {
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
    %8 = math.fma %7, %7, %7 : vector<16xf32>
    %9 = math.fma %8, %8, %8 : vector<16xf32>
    vector.store %9, %y[%i] : memref<128xf32>, vector<16xf32>
  }
  return
}
}
