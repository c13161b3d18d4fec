// The time of a region; its results are those of one iteration.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --reference | FileCheck "%s"

#map = affine_map<(d0) -> (d0)>
// CHECK: measure.mlir:[[@LINE+6]]:8: {{[0-9.]+}} {{ns|us|ms}} per iteration (median of 5; quartiles {{[0-9.]+ (ns|us|ms)}} and {{[0-9.]+ (ns|us|ms)}}), {{[0-9.e-]+}} GFLOPS
// CHECK-NOT: GFLOPS
// CHECK: measure.mlir:[[@LINE+17]]:8: {{[0-9.]+}} {{ns|us|ms}} per iteration (median of 100; {{.*}})
// CHECK: 2 checks hold
func.func @main(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>) {
  %e = tensor.empty() : tensor<64x32xf32>
  %r = bench.measure iterations 5 flops 196608 ins(%a, %b : tensor<64x48xf32>, tensor<48x32xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%x: tensor<64x48xf32>, %y: tensor<48x32xf32>, %out: tensor<64x32xf32>):
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%out : tensor<64x32xf32>) -> tensor<64x32xf32>
    %m = linalg.matmul ins(%x, %y : tensor<64x48xf32>, tensor<48x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
    bench.yield %m : tensor<64x32xf32>
  } -> tensor<64x32xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %m = linalg.matmul ins(%a, %b : tensor<64x48xf32>, tensor<48x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
  bench.expect_close %r, %m : tensor<64x32xf32>

  // A region may not write to what it reads, for the next iteration needs it: this one works on a copy.
  %s = bench.measure ins(%r : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%x: tensor<64x32xf32>, %out: tensor<64x32xf32>):
    %n = linalg.negf ins(%x : tensor<64x32xf32>) outs(%x : tensor<64x32xf32>) -> tensor<64x32xf32>
    bench.yield %n : tensor<64x32xf32>
  } -> tensor<64x32xf32>
  %n = linalg.negf ins(%r : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  bench.expect_close %s, %n : tensor<64x32xf32>
  return
}
