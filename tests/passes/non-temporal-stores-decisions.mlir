// What is recorded: a result that is stored non-temporally, by its size or because that was chosen on tensors, and one that is refused because the function reads it, whoever chose it.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-non-temporal-stores | FileCheck "%s"

// CHECK-LABEL: func @results
// CHECK-SAME:    kgen.decisions = [
// CHECK-SAME:      details = {bytes = 67108864 : i64}, kind = "non-temporal", nodes = ["y"], pass = "kgen-non-temporal-stores"
// CHECK-SAME:      details = {bytes = 67108864 : i64, why = "a result is read, or not written by vectors only"}, kind = "refused"
// CHECK:         vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true}

module attributes {kgen.decisions = []} {
func.func @results(%y: memref<16777216xf32>, %z: memref<16777216xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %end = arith.constant 16777216 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %end step %c16 {
    vector.transfer_write %v, %y[%i] {in_bounds = [true]} : vector<16xf32>, memref<16777216xf32> loc("y")
  }
  scf.for %i = %c0 to %end step %c16 {
    %r = vector.transfer_read %z[%i], %zero {in_bounds = [true]} : memref<16777216xf32>, vector<16xf32>
    vector.transfer_write %r, %z[%i] {in_bounds = [true]} : vector<16xf32>, memref<16777216xf32>
  }
  return
}

// CHECK-LABEL: func @chosen
// CHECK-SAME:    kgen.decisions = [
// CHECK-SAME:      details = {bytes = 4096 : i64}, kind = "non-temporal", nodes = ["y"], pass = "kgen-non-temporal-stores"
// CHECK-SAME:      details = {bytes = 4096 : i64, why = "a result is read, or not written by vectors only"}, kind = "refused"
// CHECK:         vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true}
func.func @chosen(%y: memref<1024xf32>, %z: memref<1024xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %end step %c16 {
    vector.transfer_write %v, %y[%i] {in_bounds = [true], kgen.stores = "along_rows"} : vector<16xf32>, memref<1024xf32> loc("y")
  }
  scf.for %i = %c0 to %end step %c16 {
    %r = vector.transfer_read %z[%i], %zero {in_bounds = [true]} : memref<1024xf32>, vector<16xf32>
    vector.transfer_write %r, %z[%i] {in_bounds = [true], kgen.stores = "along_rows"} : vector<16xf32>, memref<1024xf32>
  }
  return
}
}
