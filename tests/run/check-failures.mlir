// Each check that fails is reported with its location, all others too, and the exit code is 1.
// RUN: not kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: not kgen-run "%s" --target x86-64-v2 --reference | FileCheck "%s"
// RUN: sh -c 'kgen-run "%s" --target x86-64-v2 >/dev/null; test $? -eq 1'

func.func @main() {
  %no = arith.constant false
  // CHECK: check-failures.mlir:[[@LINE+1]]:3: check failed: the message
  bench.expect_true %no, "the message"

  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<[[1.0, 2.5], [3.0, 4.5]]> : tensor<2x2xf32>
  // CHECK-NEXT: check-failures.mlir:[[@LINE+1]]:3: check failed: 2 of 4 elements of f32[2, 2] differ; the first at [0, 1]: 2, expected 2.5
  bench.expect_close %a, %b : tensor<2x2xf32>
  // Within a tolerance, and above it.
  // CHECK-NEXT: check-failures.mlir:[[@LINE+1]]:3: check failed: 1 of 4 elements of f32[2, 2] differ; the first at [0, 1]: 2, expected 2.5
  bench.expect_close %a, %b {relative = 0.12} : tensor<2x2xf32>
  bench.expect_close %a, %b {absolute = 0.5, relative = 0.0} : tensor<2x2xf32>

  // Neither NaN nor an infinity is close to a number, whatever the tolerance.
  %special = arith.constant dense<[0x7FC00000, 0x7F800000, 1.0, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  %other = arith.constant dense<[1.0, 1.0, 0x7FC00000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  // CHECK-NEXT: check-failures.mlir:[[@LINE+1]]:3: check failed: 4 of 5 elements of f32[5] differ; the first at [0]: nan, expected 1
  bench.expect_close %special, %other {absolute = 1.0e30, relative = 1.0e30} : tensor<5xf32>
  // CHECK-NEXT: check-failures.mlir:[[@LINE+1]]:3: check failed: 4 of 5 elements of f32[5] are not finite; the first at [0]: nan
  bench.expect_finite %special : tensor<5xf32>

  // Integers are equal or not; the last digit of a large one counts.
  %i = arith.constant dense<[9223372036854775807, 1]> : tensor<2xi64>
  %j = arith.constant dense<[9223372036854775806, 1]> : tensor<2xi64>
  // CHECK-NEXT: check-failures.mlir:[[@LINE+1]]:3: check failed: 1 of 2 elements of i64[2] differ; the first at [0]: 9223372036854775807, expected 9223372036854775806
  bench.expect_close %i, %j {absolute = 10.0} : tensor<2xi64>

  %h = arith.constant dense<1.0> : tensor<bf16>
  %g = arith.constant dense<1.125> : tensor<bf16>
  // CHECK-NEXT: check-failures.mlir:[[@LINE+1]]:3: check failed: 1 of 1 elements of bf16[] differ; the first at []: 1, expected 1.125
  bench.expect_close %h, %g {relative = 0.1} : tensor<bf16>
  return
}
// CHECK-NEXT: 7 of 8 checks failed
