// Checks that hold, and what is printed.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --reference | FileCheck "%s"

func.func @main(%m: memref<4x8xf32>) {
  // NaN is close to NaN, an infinity to itself.
  %special = arith.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 1.0]> : tensor<4xf32>
  %other = arith.constant dense<[0x7FC00001, 0x7F800000, 0xFF800000, 1.000001]> : tensor<4xf32>
  bench.expect_close %special, %other : tensor<4xf32>
  // CHECK: f32[4] [nan, inf, -inf, 1]
  bench.print %special : tensor<4xf32>

  %x = arith.constant dense<[0.0, 100.0]> : tensor<2xf64>
  %y = arith.constant dense<[0.25, 101.0]> : tensor<2xf64>
  bench.expect_close %x, %y {absolute = 0.25, relative = 0.0075} : tensor<2xf64>
  bench.expect_finite %y : tensor<2xf64>

  %h = arith.constant dense<[[0.5, -2.0], [65504.0, 1.5]]> : tensor<2x2xf16>
  bench.expect_close %h, %h : tensor<2x2xf16>
  // CHECK: f16[2, 2] {{\[}}[0.5, -2], [65504, 1.5]]
  bench.print %h : tensor<2x2xf16>
  %bf = arith.constant dense<[0.5, -3.0]> : tensor<2xbf16>
  // CHECK: bf16[2] [0.5, -3]
  bench.print %bf : tensor<2xbf16>

  %i = arith.constant dense<[9223372036854775807, -1]> : tensor<2xi64>
  bench.expect_close %i, %i {relative = 0.0} : tensor<2xi64>
  // CHECK: i64[2] [9223372036854775807, -1]
  bench.print %i : tensor<2xi64>
  %bytes = arith.constant dense<[127, -128]> : tensor<2xi8>
  // CHECK: i8[2] [127, -128]
  bench.print %bytes : tensor<2xi8>
  %bits = arith.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: bool[2] [1, 0]
  bench.print %bits : tensor<2xi1>

  // Scalars.
  %n = arith.constant 7 : index
  // CHECK: i64[] 7
  bench.print %n : index
  %f = arith.constant 0.1 : f32
  // CHECK: f32[] 0.1
  bench.print %f : f32
  %yes = arith.constant true
  bench.expect_true %yes, "true is true"

  // Columns of a memref: what is not contiguous.
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  scf.for %row = %c0 to %c4 step %c1 {
    %int = arith.index_cast %row : index to i32
    %value = arith.sitofp %int : i32 to f32
    memref.store %value, %m[%row, %n] : memref<4x8xf32>
  }
  %column = memref.subview %m[0, 7] [4, 1] [1, 1] : memref<4x8xf32> to memref<4x1xf32, strided<[8, 1], offset: 7>>
  // CHECK: f32[4, 1] {{\[}}[0], [1], [2], [3]]
  bench.print %column : memref<4x1xf32, strided<[8, 1], offset: 7>>
  bench.expect_finite %m : memref<4x8xf32>

  // Nothing is close to nothing.
  %none = tensor.empty() : tensor<0x3xf32>
  bench.expect_close %none, %none : tensor<0x3xf32>
  // Of many elements only the first ones are printed.
  %many = arith.constant dense<3> : tensor<2x200xi32>
  // CHECK: i32[2, 200] {{\[}}[3, {{.*}} 3], [{{.*}}3, ...]]
  bench.print %many : tensor<2x200xi32>
  return
}
// CHECK: 8 checks hold
