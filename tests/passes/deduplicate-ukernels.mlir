// RUN: kgen-opt "%s" --kgen-deduplicate-ukernels | FileCheck "%s"

// CHECK:     ukernel.gemm @first
// CHECK-NOT: @second
// CHECK:     ukernel.gemm @adding
// CHECK-NOT: @unused
// CHECK:     ukernel.map @zero
// CHECK-NOT: @again
// CHECK:     func.func @calls
// CHECK-NEXT:  ukernel.call @zero(
// CHECK-NEXT:  ukernel.call @zero(
// CHECK-NEXT:  ukernel.call @first(
// CHECK-NEXT:  ukernel.call @first(
// CHECK-NEXT:  ukernel.call @adding(
ukernel.gemm @first attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.gemm @second attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.gemm @adding attributes {a_col = 1 : i64, a_row = 6 : i64, accumulate, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 8 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.gemm @unused attributes {a_col = 1 : i64, a_row = 6 : i64, b_prefetch = 0 : i64, b_row = 8 : i64, c_row = 16 : i64,
    element = f32, epilogue_cols = array<i64>, epilogue_rows = array<i64>, k = 6 : i64, m = 4 : i64, n = 8 : i64} {
^bb0(%acc: f32):
  ukernel.yield %acc : f32
}
ukernel.map @zero attributes {in_cols = array<i64>, in_rows = array<i64>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
  %z = arith.constant 0.0 : f32
  ukernel.yield %z : f32
}
ukernel.map @again attributes {in_cols = array<i64>, in_rows = array<i64>, m = 4 : i64, n = 8 : i64, out_row = 8 : i64} {
  %z = arith.constant 0.0 : f32
  ukernel.yield %z : f32
}
func.func @calls(%a: memref<4x6xf32>, %b: memref<6x8xf32>, %c: memref<4x8xf32>) {
  ukernel.call @zero(%c) : memref<4x8xf32>
  ukernel.call @again(%c) : memref<4x8xf32>
  ukernel.call @first(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  ukernel.call @second(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  ukernel.call @adding(%a, %b, %c) : memref<4x6xf32>, memref<6x8xf32>, memref<4x8xf32>
  return
}
