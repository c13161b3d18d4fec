// TOSA, and elementwise operations on whole tensors, become linalg before the pipeline.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"

// CHECK:      f32[2, 2] {{\[}}[3.5, 1.5], [1.5, 0.5]]
// CHECK-NEXT: f32[2, 2] {{\[}}[1, 1], [1, 4]]
// CHECK-NEXT: f32[1, 2, 2] {{\[\[\[}}2, 1], [4, 3]]]
func.func @main() {
  %a = arith.constant dense<[[1.0, -1.0], [-1.0, -2.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<2.5> : tensor<2x2xf32>
  %sum = tosa.add %a, %b : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  bench.print %sum : tensor<2x2xf32>
  %square = arith.mulf %a, %a : tensor<2x2xf32>
  bench.print %square : tensor<2x2xf32>
  %p = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %q = arith.constant dense<[[[0.0, 1.0], [1.0, 0.0]]]> : tensor<1x2x2xf32>
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %m = tosa.matmul %p, %q, %zero, %zero : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2xf32>
  bench.print %m : tensor<1x2x2xf32>
  return
}
