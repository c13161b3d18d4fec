// RUN: kgen-opt "%s" --kgen-target --kgen-emulate-narrow-floats --split-input-file | FileCheck "%s"

// Without a target, or with one that cannot convert f16, nothing of it is left, in no type and in no number.
// CHECK-LABEL: func.func @widen
// CHECK-SAME:    (%[[M:.*]]: memref<16xi16>) -> vector<16xf32>
// CHECK:         %[[V:.*]] = vector.load %[[M]]{{.*}} : memref<16xi16>, vector<16xi16>
// CHECK-NEXT:    %[[I:.*]] = arith.extui %[[V]] : vector<16xi16> to vector<16xi32>
// CHECK:         arith.shli
// CHECK:         arith.subf {{.*}} : vector<16xf32>
// CHECK:         arith.select {{.*}} : vector<16xi1>, vector<16xf32>
// CHECK-NOT:     {{[ x<]f16}}
func.func @widen(%m: memref<16xf16>) -> vector<16xf32> {
  %i = arith.constant 0 : index
  %v = vector.load %m[%i] : memref<16xf16>, vector<16xf16>
  %w = arith.extf %v : vector<16xf16> to vector<16xf32>
  return %w : vector<16xf32>
}

// CHECK-LABEL: func.func @narrow
// CHECK-SAME:    (%[[X:.*]]: f32) -> i16
// CHECK:         arith.cmpf uno
// CHECK:         %[[N:.*]] = arith.trunci %{{.*}} : i32 to i16
// CHECK:         return %[[N]] : i16
func.func @narrow(%x: f32) -> f16 {
  %n = arith.truncf %x : f32 to f16
  return %n : f16
}

// CHECK-LABEL: func.func @numbers
// CHECK-DAG:     arith.constant 15360 : i16
// CHECK-DAG:     arith.constant dense<[15360, -16384]> : vector<2xi16>
// CHECK-NOT:     {{[ x<]f16}}
func.func @numbers() -> (f16, vector<2xf16>) {
  %one = arith.constant 1.0 : f16
  %pair = arith.constant dense<[1.0, -2.0]> : vector<2xf16>
  return %one, %pair : f16, vector<2xf16>
}

// -----

// A target with F16C has instructions for it.
module attributes {kgen.target = "x86-64-v3"} {
  // CHECK-LABEL: func.func @kept
  // CHECK-NEXT:    arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
  func.func @kept(%x: vector<8xf16>) -> vector<8xf32> {
    %w = arith.extf %x : vector<8xf16> to vector<8xf32>
    return %w : vector<8xf32>
  }
}

// -----

// What the canonicalizer makes one conversion of is two again.
// CHECK-LABEL: func.func @by_f32
// CHECK:         arith.sitofp %{{.*}} : i8 to f32
// CHECK:         arith.extf %{{.*}} : f32 to f64
func.func @by_f32(%i: i8, %x: f16) -> (f16, f64) {
  %h = arith.sitofp %i : i8 to f16
  %d = arith.extf %x : f16 to f64
  return %h, %d : f16, f64
}

// -----

// The mode says that the graph asked for the rounding; instructions round to nearest anyway.
module attributes {kgen.target = "x86-64-v3"} {
  // CHECK-LABEL: func.func @asked_for
  // CHECK-NEXT:    arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
  func.func @asked_for(%x: vector<8xf32>) -> vector<8xf16> {
    %n = arith.truncf %x to_nearest_even : vector<8xf32> to vector<8xf16>
    return %n : vector<8xf16>
  }
}

// -----

// LLVM would turn this into floors of f16, one for each element, but for the sign.
module attributes {kgen.target = "x86-64-v3"} {
  // CHECK-LABEL: func.func @whole
  // CHECK:         %[[W:.*]] = arith.extf
  // CHECK:         %[[F:.*]] = math.floor %[[W]]
  // CHECK:         %[[S:.*]] = math.copysign %[[F]], %[[W]] : vector<8xf32>
  // CHECK:         arith.truncf %[[S]] : vector<8xf32> to vector<8xf16>
  func.func @whole(%x: vector<8xf16>) -> vector<8xf16> {
    %w = arith.extf %x : vector<8xf16> to vector<8xf32>
    %f = math.floor %w : vector<8xf32>
    %n = arith.truncf %f : vector<8xf32> to vector<8xf16>
    return %n : vector<8xf16>
  }
}
