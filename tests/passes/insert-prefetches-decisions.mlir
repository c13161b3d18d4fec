// What is recorded: a stream that is prefetched, and rows side by side, which are left to the hardware prefetcher.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-insert-prefetches | FileCheck "%s"

// CHECK-LABEL: func @streams
// CHECK-SAME:    kgen.decisions = [
// CHECK-SAME:      details = {ahead_bytes = 2048 : i64, bytes = 67108864 : i64, cache = "L1", pattern = "stream"}, kind = "prefetch", nodes = ["x"], pass = "kgen-insert-prefetches"
// CHECK:         memref.prefetch
// CHECK-LABEL: func @side_by_side
// CHECK-SAME:    details = {bytes = 67108864 : i64, why = "too short, or rows side by side"}, kind = "refused", nodes = ["x"]
// CHECK-NOT:     memref.prefetch
// CHECK:         return
module attributes {kgen.decisions = []} {
func.func @streams(%x: memref<16777216xf32>, %y: memref<16777216xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %end = arith.constant 16777216 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %end step %c8 {
    %v = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<16777216xf32>, vector<8xf32> loc("x")
    %s = arith.addf %v, %v : vector<8xf32>
    vector.transfer_write %s, %y[%i] {in_bounds = [true]} : vector<8xf32>, memref<16777216xf32>
  }
  return
}
func.func @side_by_side(%x: memref<4x4194304xf32>, %y: memref<4194304xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %end = arith.constant 4194304 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %end step %c8 {
    %v0 = vector.transfer_read %x[%c0, %i], %zero {in_bounds = [true]} : memref<4x4194304xf32>, vector<8xf32> loc("x")
    %v1 = vector.transfer_read %x[%c1, %i], %zero {in_bounds = [true]} : memref<4x4194304xf32>, vector<8xf32> loc("x")
    %v2 = vector.transfer_read %x[%c2, %i], %zero {in_bounds = [true]} : memref<4x4194304xf32>, vector<8xf32> loc("x")
    %v3 = vector.transfer_read %x[%c3, %i], %zero {in_bounds = [true]} : memref<4x4194304xf32>, vector<8xf32> loc("x")
    %s0 = arith.addf %v0, %v1 : vector<8xf32>
    %s1 = arith.addf %v2, %v3 : vector<8xf32>
    %s = arith.addf %s0, %s1 : vector<8xf32>
    vector.transfer_write %s, %y[%i] {in_bounds = [true]} : vector<8xf32>, memref<4194304xf32>
  }
  return
}
}
