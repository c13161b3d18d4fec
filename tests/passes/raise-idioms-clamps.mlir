// Bounds in front of a conversion to an integer become one clamp where that is shorter.
// RUN: kgen-opt "%s" --split-input-file --kgen-raise-idioms=idioms=clamps --canonicalize | FileCheck "%s"

module attributes {kgen.decisions = []} {
// Clip of [0, 255], and what Cast has: NaN passes the first and is 0 after the second.
// CHECK-LABEL: func @clip_and_cast
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK-DAG: %[[LOW:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[HIGH:.*]] = arith.constant 2.550000e+02 : f32
// CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %[[X]], %[[LOW]] : f32
// CHECK-NEXT: %[[RAISED:.*]] = arith.select %[[ABOVE]], %[[X]], %[[LOW]] : f32
// CHECK-NEXT: %[[Y:.*]] = arith.minnumf %[[RAISED]], %[[HIGH]] : f32
// CHECK-NEXT: arith.fptosi %[[Y]]
func.func @clip_and_cast(%x: f32) -> i32 {
  %low = arith.constant 0.0 : f32
  %high = arith.constant 255.0 : f32
  %0 = arith.cmpf ogt, %low, %x : f32
  %1 = arith.select %0, %low, %x : f32
  %2 = arith.cmpf olt, %high, %1 : f32
  %3 = arith.select %2, %high, %1 : f32
  %4 = arith.cmpf uno, %3, %3 : f32
  %5 = arith.select %4, %low, %3 : f32
  %6 = arith.cmpf ogt, %5, %low : f32
  %7 = arith.select %6, %5, %low : f32
  %8 = arith.minnumf %7, %high : f32
  %9 = arith.fptosi %8 : f32 to i32
  return %9 : i32
}

// The narrower bounds remain, and NaN becomes 0 first.
// CHECK-LABEL: func @nan_between
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK-DAG: %[[LOW:.*]] = arith.constant -1.270000e+02 : f32
// CHECK-DAG: %[[HIGH:.*]] = arith.constant 1.000000e+02 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]] : f32
// CHECK-NEXT: %[[NUMBER:.*]] = arith.select %[[NAN]], %[[ZERO]], %[[X]] : f32
// CHECK-NEXT: %[[ABOVE:.*]] = arith.cmpf ogt, %[[NUMBER]], %[[LOW]] : f32
// CHECK-NEXT: %[[RAISED:.*]] = arith.select %[[ABOVE]], %[[NUMBER]], %[[LOW]] : f32
// CHECK-NEXT: %[[Y:.*]] = arith.minnumf %[[RAISED]], %[[HIGH]] : f32
// CHECK-NEXT: arith.fptosi %[[Y]]
func.func @nan_between(%x: f32) -> i8 {
  %narrow = arith.constant -127.0 : f32
  %high = arith.constant 100.0 : f32
  %zero = arith.constant 0.0 : f32
  %least = arith.constant -128.0 : f32
  %greatest = arith.constant 127.0 : f32
  %0 = arith.maximumf %narrow, %x : f32
  %1 = arith.minimumf %0, %high : f32
  %2 = arith.cmpf uno, %1, %1 : f32
  %3 = arith.select %2, %zero, %1 : f32
  %4 = arith.maxnumf %3, %least : f32
  %5 = arith.minnumf %4, %greatest : f32
  %6 = arith.fptosi %5 : f32 to i8
  return %6 : i8
}

// Bounds that cross: every number becomes the last one.
// CHECK-LABEL: func @crossed
// CHECK-DAG: %[[BOUND:.*]] = arith.constant 3.000000e+00 : f32
// CHECK: arith.minnumf %{{.*}}, %[[BOUND]] : f32
// CHECK-NEXT: arith.fptoui
func.func @crossed(%x: f32) -> i8 {
  %three = arith.constant 3.0 : f32
  %nine = arith.constant 9.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = arith.maxnumf %x, %zero : f32
  %1 = arith.maxnumf %0, %nine : f32
  %2 = arith.minnumf %1, %three : f32
  %3 = arith.fptoui %2 : f32 to i8
  return %3 : i8
}
}

// -----

module attributes {kgen.decisions = []} {
// Two bounds are as short; a NaN that stays is not converted to the same integer.
// CHECK-LABEL: func @short
// CHECK-NEXT: arith.constant
// CHECK-NEXT: arith.constant
// CHECK-NEXT: arith.maxnumf
// CHECK-NEXT: arith.minnumf
// CHECK-NEXT: arith.fptosi
func.func @short(%x: f32) -> i32 {
  %low = arith.constant 0.0 : f32
  %high = arith.constant 255.0 : f32
  %0 = arith.maxnumf %x, %low : f32
  %1 = arith.minnumf %0, %high : f32
  %2 = arith.fptosi %1 : f32 to i32
  return %2 : i32
}

// CHECK-LABEL: func @nan_stays
// CHECK-COUNT-4: arith.{{max|min}}imumf
func.func @nan_stays(%x: f32) -> i32 {
  %low = arith.constant 0.0 : f32
  %high = arith.constant 255.0 : f32
  %0 = arith.maximumf %x, %low : f32
  %1 = arith.minimumf %0, %high : f32
  %2 = arith.maximumf %1, %low : f32
  %3 = arith.minimumf %2, %high : f32
  %4 = arith.fptosi %3 : f32 to i32
  return %4 : i32
}

// The constant for NaN is none that the clamp lets through.
// CHECK-LABEL: func @nan_outside
// CHECK-COUNT-2: arith.select
func.func @nan_outside(%x: f32) -> i32 {
  %low = arith.constant 0.0 : f32
  %high = arith.constant 255.0 : f32
  %none = arith.constant -1.0 : f32
  %0 = arith.cmpf ogt, %x, %low : f32
  %1 = arith.select %0, %x, %low : f32
  %2 = arith.minimumf %1, %high : f32
  %3 = arith.cmpf uno, %x, %x : f32
  %4 = arith.select %3, %none, %2 : f32
  %5 = arith.fptosi %4 : f32 to i32
  return %5 : i32
}

// A bound that is no constant.
// CHECK-LABEL: func @runtime_bound
// CHECK-COUNT-3: arith.maxnumf
func.func @runtime_bound(%x: f32, %bound: f32) -> i32 {
  %low = arith.constant 0.0 : f32
  %high = arith.constant 255.0 : f32
  %0 = arith.maxnumf %x, %low : f32
  %1 = arith.maxnumf %0, %bound : f32
  %2 = arith.maxnumf %1, %low : f32
  %3 = arith.minnumf %2, %high : f32
  %4 = arith.fptosi %3 : f32 to i32
  return %4 : i32
}
}
