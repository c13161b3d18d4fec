// RUN: kgen-opt "%s" --split-input-file --kgen-expand-math | FileCheck "%s"
// The functions become arithmetic only, with nothing fused and no fast-math flags, on every shape.

// CHECK-LABEL: func @exp_vector
// CHECK-NOT:     math.
// CHECK-NOT:     fastmath
// CHECK:         arith.addf {{.*}} : vector<16xf32>
// CHECK:         arith.bitcast {{.*}} : vector<16xf32> to vector<16xi32>
// CHECK:         arith.shrui {{.*}} : vector<16xi32>
// CHECK-NOT:     math.
// CHECK-NOT:     fastmath
// CHECK:         return {{.*}} : vector<16xf32>
func.func @exp_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: func @exp_scalar
// CHECK-NOT:     math.
// CHECK:         arith.bitcast {{.*}} : f64 to i64
// CHECK-NOT:     math.
// CHECK:         return {{.*}} : f64
func.func @exp_scalar(%x: f64) -> f64 {
  %y = math.exp %x : f64
  return %y : f64
}

// CHECK-LABEL: func @log_matrix
// CHECK-NOT:     math.
// CHECK:         arith.divf {{.*}} : vector<3x5xf32>
// CHECK-NOT:     math.
// CHECK:         arith.cmpf uno
// CHECK:         return {{.*}} : vector<3x5xf32>
func.func @log_matrix(%x: vector<3x5xf32>) -> vector<3x5xf32> {
  %y = math.log %x : vector<3x5xf32>
  return %y : vector<3x5xf32>
}

// CHECK-LABEL: func @tanh_scalar
// CHECK-NOT:     math.
// CHECK:         arith.divf {{.*}} : f32
// CHECK-NOT:     math.
// CHECK:         return {{.*}} : f32
func.func @tanh_scalar(%x: f32) -> f32 {
  %y = math.tanh %x : f32
  return %y : f32
}

// CHECK-LABEL: func @erf_vector
// CHECK-NOT:     math.
// CHECK:         arith.divf {{.*}} : vector<8xf64>
// CHECK-NOT:     math.
// CHECK:         return {{.*}} : vector<8xf64>
func.func @erf_vector(%x: vector<8xf64>) -> vector<8xf64> {
  %y = math.erf %x : vector<8xf64>
  return %y : vector<8xf64>
}

// CHECK-LABEL: func @gelu_vector
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         arith.divf {{.*}} : vector<16xf32>
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         return {{.*}} : vector<16xf32>
func.func @gelu_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = kgen.gelu %x : vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: func @sigmoid_vector
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         arith.divf {{.*}} : vector<16xf32>
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         return {{.*}} : vector<16xf32>
func.func @sigmoid_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = kgen.sigmoid %x : vector<16xf32>
  return %y : vector<16xf32>
}

// Instructions of every target stay.
// CHECK-LABEL: func @kept
// CHECK:         math.sqrt
// CHECK:         math.absf
// CHECK:         math.copysign
func.func @kept(%x: vector<4xf32>) -> vector<4xf32> {
  %a = math.sqrt %x : vector<4xf32>
  %b = math.absf %a : vector<4xf32>
  %c = math.copysign %b, %x : vector<4xf32>
  return %c : vector<4xf32>
}

// One factor, and one comparison.
// CHECK-LABEL: func @exp_or_zero
// CHECK-NOT:     math.
// CHECK-NOT:     kgen.
// CHECK:         arith.shli {{.*}} : vector<16xi32>
// CHECK-NOT:     arith.shrui
// CHECK:         arith.cmpf olt, %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK-NOT:     arith.cmpf
// CHECK:         return {{.*}} : vector<16xf32>
func.func @exp_or_zero(%x: vector<16xf32>) -> vector<16xf32> {
  %y = kgen.exp_or_zero <-8.0e+01> %x : vector<16xf32>
  return %y : vector<16xf32>
}
