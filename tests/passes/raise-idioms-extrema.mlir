// RUN: kgen-opt "%s" --kgen-raise-idioms=idioms=extrema | FileCheck "%s"

// With a NaN, an ordered comparison is false and an unordered one true: the value that is selected then decides between maximumf and maxnumf.

// CHECK-LABEL: func @propagates_nan
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32
// CHECK:         %[[C:.*]] = arith.constant 2.0
// CHECK:         arith.maximumf %[[X]], %[[C]] : f32
// CHECK:         arith.maximumf %[[X]], %[[C]] : f32
// CHECK:         arith.maximumf %[[X]], %[[C]] : f32
// CHECK:         arith.minimumf %[[X]], %[[C]] : f32
// CHECK:         arith.minimumf %[[X]], %[[C]] : f32
// CHECK-NOT:     arith.cmpf
func.func @propagates_nan(%x: f32) -> (f32, f32, f32, f32, f32) {
  %c = arith.constant 2.0 : f32
  %p0 = arith.cmpf ugt, %x, %c : f32
  %r0 = arith.select %p0, %x, %c : f32
  %p1 = arith.cmpf olt, %x, %c : f32
  %r1 = arith.select %p1, %c, %x : f32
  %p2 = arith.cmpf ult, %c, %x : f32
  %r2 = arith.select %p2, %x, %c : f32
  %p3 = arith.cmpf ule, %x, %c : f32
  %r3 = arith.select %p3, %x, %c : f32
  %p4 = arith.cmpf olt, %c, %x : f32
  %r4 = arith.select %p4, %c, %x : f32
  return %r0, %r1, %r2, %r3, %r4 : f32, f32, f32, f32, f32
}

// CHECK-LABEL: func @drops_nan
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32
// CHECK:         %[[C:.*]] = arith.constant 2.0
// CHECK:         arith.maxnumf %[[X]], %[[C]] : f32
// CHECK:         arith.maxnumf %[[X]], %[[C]] : f32
// CHECK:         arith.minnumf %[[X]], %[[C]] : f32
// CHECK-NOT:     arith.cmpf
func.func @drops_nan(%x: f32) -> (f32, f32, f32) {
  %c = arith.constant 2.0 : f32
  %p0 = arith.cmpf ogt, %x, %c : f32
  %r0 = arith.select %p0, %x, %c : f32
  %p1 = arith.cmpf ule, %x, %c : f32
  %r1 = arith.select %p1, %c, %x : f32
  %p2 = arith.cmpf ole, %x, %c : f32
  %r2 = arith.select %p2, %x, %c : f32
  return %r0, %r1, %r2 : f32, f32, f32
}

// A relu of vectors that propagates NaN, in the form that returns +0 for -0 as maximumf does. Its zeros are two constants.
// CHECK-LABEL: func @relu
// CHECK:         arith.maximumf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK-NOT:     arith.select
func.func @relu(%x: vector<4xf32>) -> vector<4xf32> {
  %c = arith.constant dense<0.0> : vector<4xf32>
  %d = arith.constant dense<0.0> : vector<4xf32>
  %p = arith.cmpf ugt, %x, %c : vector<4xf32>
  %r = arith.select %p, %x, %d : vector<4xi1>, vector<4xf32>
  return %r : vector<4xf32>
}

// The first would return -0 for -0, the second -0 for +0; maxnumf may return either zero.
// CHECK-LABEL: func @zeros_differ
// CHECK-COUNT-4: arith.select
func.func @zeros_differ(%x: f32) -> (f32, f32, f32, f32) {
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %p0 = arith.cmpf uge, %x, %zero : f32
  %r0 = arith.select %p0, %x, %zero : f32
  %p1 = arith.cmpf ugt, %x, %minus : f32
  %r1 = arith.select %p1, %x, %minus : f32
  %p2 = arith.cmpf ogt, %x, %zero : f32
  %r2 = arith.select %p2, %x, %zero : f32
  %p3 = arith.cmpf oge, %x, %minus : f32
  %r3 = arith.select %p3, %x, %minus : f32
  return %r0, %r1, %r2, %r3 : f32, f32, f32, f32
}

// Two variables (a NaN on either side), a NaN as the constant, another comparison, zeros of different signs, other values.
// CHECK-LABEL: func @kept
// CHECK-COUNT-6: arith.select
func.func @kept(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32) {
  %nan = arith.constant 0x7FC00000 : f32
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %one = arith.constant 1.0 : f32
  %p0 = arith.cmpf ogt, %x, %y : f32
  %r0 = arith.select %p0, %x, %y : f32
  %p1 = arith.cmpf ugt, %x, %nan : f32
  %r1 = arith.select %p1, %x, %nan : f32
  %p2 = arith.cmpf one, %x, %one : f32
  %r2 = arith.select %p2, %x, %one : f32
  %p3 = arith.cmpf ugt, %x, %zero : f32
  %r3 = arith.select %p3, %x, %minus : f32
  %p4 = arith.cmpf ugt, %x, %zero : f32
  %r4 = arith.select %p4, %x, %one : f32
  %p5 = arith.cmpf ugt, %x, %zero : f32
  %r5 = arith.select %p5, %zero, %y : f32
  return %r0, %r1, %r2, %r3, %r4, %r5 : f32, f32, f32, f32, f32, f32
}
