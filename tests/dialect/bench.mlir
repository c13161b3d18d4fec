// RUN: kgen-opt "%s" | kgen-opt | FileCheck "%s"
// RUN: kgen-opt "%s" --mlir-print-op-generic | kgen-opt | FileCheck "%s"
// RUN: kgen-opt "%s" --emit-bytecode | kgen-opt | FileCheck "%s"
// RUN: kgen-opt "%s" --canonicalize --cse --loop-invariant-code-motion --symbol-dce | FileCheck "%s"

// Checks are neither removed nor merged, nor moved out of a loop.
// CHECK-LABEL: func.func @checks
// CHECK:         scf.for
// CHECK-NEXT:      bench.expect_true %{{.*}}, "it holds"
// CHECK-NEXT:      bench.expect_true %{{.*}}, "it holds"
// CHECK-NEXT:      bench.expect_close %{{.*}}, %{{.*}} : tensor<4x8xf32>
// CHECK-NEXT:      bench.expect_close %{{.*}}, %{{.*}} {absolute = 5.000000e-01 : f64, relative = 0.000000e+00 : f64} : memref<4xi32>
// CHECK-NEXT:      bench.expect_finite %{{.*}} : tensor<4x8xf32>
// CHECK-NEXT:      bench.expect_finite %{{.*}} : tensor<4x8xf32>
// CHECK-NEXT:      bench.print %{{.*}} : memref<4xi32>
// CHECK-NEXT:      bench.print %{{.*}} : index
func.func @checks(%ok: i1, %t: tensor<4x8xf32>, %m: memref<4xi32>, %n: index, %end: index) {
  scf.for %i = %n to %end step %n {
    bench.expect_true %ok, "it holds"
    bench.expect_true %ok, "it holds"
    bench.expect_close %t, %t : tensor<4x8xf32>
    bench.expect_close %m, %m {absolute = 0.5, relative = 0.0} : memref<4xi32>
    bench.expect_finite %t : tensor<4x8xf32>
    bench.expect_finite %t : tensor<4x8xf32>
    bench.print %m : memref<4xi32>
    bench.print %n : index
  }
  return
}

// What is measured stays, although the same is computed outside and nobody uses the result.
// CHECK-LABEL: func.func @measured
// CHECK:         math.exp
// CHECK:         bench.measure iterations 5 flops 8 ins(%{{.*}}, %{{.*}} : tensor<8xf32>, index) outs(%{{.*}} : tensor<8xf32>) {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: tensor<8xf32>, %{{.*}}: index, %{{.*}}: tensor<8xf32>):
// CHECK-NEXT:      %[[Y:.*]] = math.exp %[[X]] : tensor<8xf32>
// CHECK-NEXT:      bench.yield %[[Y]] : tensor<8xf32>
// CHECK-NEXT:    } -> tensor<8xf32>
// CHECK:         bench.measure {
// CHECK-NEXT:      bench.yield
// CHECK-NEXT:    }
// CHECK:         bench.measure outs(%{{.*}} : memref<8xf32>) {
func.func @measured(%t: tensor<8xf32>, %n: index, %m: memref<8xf32>) -> tensor<8xf32> {
  %outside = math.exp %t : tensor<8xf32>
  %r = bench.measure iterations 5 flops 8 ins(%t, %n : tensor<8xf32>, index) outs(%t : tensor<8xf32>) {
  ^bb0(%x: tensor<8xf32>, %i: index, %out: tensor<8xf32>):
    %y = math.exp %x : tensor<8xf32>
    bench.yield %y : tensor<8xf32>
  } -> tensor<8xf32>
  bench.measure {
    bench.yield
  }
  bench.measure outs(%m : memref<8xf32>) {
  ^bb0(%out: memref<8xf32>):
    bench.yield
  }
  return %outside : tensor<8xf32>
}
