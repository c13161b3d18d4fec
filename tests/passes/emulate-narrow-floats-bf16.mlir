// RUN: kgen-opt "%s" --kgen-emulate-narrow-floats | FileCheck "%s"

// Nothing of bf16 is left, in no type and in no number, but for what instructions take.
// CHECK-LABEL: func.func @widen
// CHECK-SAME:    (%[[M:.*]]: memref<16xi16>) -> vector<16xf32>
// CHECK:         %[[V:.*]] = vector.load %[[M]]{{.*}} : memref<16xi16>, vector<16xi16>
// CHECK-NEXT:    %[[I:.*]] = arith.extui %[[V]] : vector<16xi16> to vector<16xi32>
// CHECK:         %[[S:.*]] = arith.shli %[[I]]
// CHECK-NEXT:    arith.bitcast %[[S]] : vector<16xi32> to vector<16xf32>
func.func @widen(%m: memref<16xbf16>) -> vector<16xf32> {
  %i = arith.constant 0 : index
  %v = vector.load %m[%i] : memref<16xbf16>, vector<16xbf16>
  %w = arith.extf %v : vector<16xbf16> to vector<16xf32>
  return %w : vector<16xf32>
}

// To nearest, ties to even: half a unit less one is added, and one more if the digit that stays is odd. NaN is chosen last.
// CHECK-LABEL: func.func @narrow
// CHECK-SAME:    (%[[X:.*]]: f32) -> i16
// CHECK:         %[[HALF:.*]] = arith.constant 32767 : i32
// CHECK:         %[[SUM:.*]] = arith.addi %{{.*}}, %[[HALF]]
// CHECK:         %[[GOOD:.*]] = arith.cmpf oeq, %[[X]], %[[X]]
// CHECK:         %[[NAN:.*]] = arith.constant 2143289344 : i32
// CHECK:         %[[R:.*]] = arith.select %[[GOOD]], %[[SUM]], %[[NAN]] : i32
// CHECK:         %[[UPPER:.*]] = arith.shrui %[[R]]
// CHECK:         arith.trunci %[[UPPER]] : i32 to i16
func.func @narrow(%x: f32) -> bf16 {
  %n = arith.truncf %x : f32 to bf16
  return %n : bf16
}

// Numbers become their bits; loops, selections and buffers hold integers.
// CHECK-LABEL: func.func @numbers
// CHECK-DAG:     arith.constant 16256 : i16
// CHECK-DAG:     arith.constant dense<[16256, -16384]> : vector<2xi16>
// CHECK-DAG:     arith.constant dense<16256> : vector<32xi16>
// CHECK:         memref.alloca() : memref<2xi16>
// CHECK:         scf.for {{.*}} -> (i16)
// CHECK:         arith.select {{.*}} : i16
// CHECK-NOT:     bf16
func.func @numbers(%c: i1, %n: index) -> (bf16, vector<2xbf16>, vector<32xbf16>) {
  %one = arith.constant 1.0 : bf16
  %pair = arith.constant dense<[1.0, -2.0]> : vector<2xbf16>
  %ones = arith.constant dense<1.0> : vector<32xbf16>
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %m = memref.alloca() : memref<2xbf16>
  %last = scf.for %i = %zero to %n step %step iter_args(%before = %one) -> bf16 {
    %now = memref.load %m[%zero] : memref<2xbf16>
    %chosen = arith.select %c, %now, %before : bf16
    scf.yield %chosen : bf16
  }
  return %last, %pair, %ones : bf16, vector<2xbf16>, vector<32xbf16>
}

// CHECK-LABEL: func.func @instructions
// CHECK-SAME:    %[[ACC:.*]]: vector<16xf32>, %[[A:.*]]: vector<32xi16>
// CHECK:         %[[B:.*]] = arith.bitcast %[[A]] : vector<32xi16> to vector<32xbf16>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%[[ACC]], %[[B]], %{{.*}})
// CHECK:         %[[N:.*]] = llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.512"(%{{.*}}) : (vector<16xf32>) -> vector<16xbf16>
// CHECK:         %[[R:.*]] = arith.bitcast %[[N]] : vector<16xbf16> to vector<16xi16>
// CHECK:         return %[[R]] : vector<16xi16>
func.func @instructions(%acc: vector<16xf32>, %a: vector<32xbf16>) -> vector<16xbf16> {
  %s = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%acc, %a, %a) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
  %n = llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.512"(%s) : (vector<16xf32>) -> vector<16xbf16>
  return %n : vector<16xbf16>
}

// Other types are left alone.
// CHECK-LABEL: func.func @others
// CHECK:         arith.truncf %{{.*}} : f64 to f32
// CHECK:         arith.constant 1.000000e+00 : f64
func.func @others(%x: f64) -> (f32, f64) {
  %n = arith.truncf %x : f64 to f32
  %h = arith.constant 1.0 : f64
  return %n, %h : f32, f64
}

// Integers by way of f32.
// CHECK-LABEL: func.func @from_integers
// CHECK:         arith.sitofp %{{.*}} : vector<4xi32> to vector<4xf32>
// CHECK:         arith.uitofp %{{.*}} : i8 to f32
// CHECK-NOT:     bf16
func.func @from_integers(%x: vector<4xi32>, %y: i8) -> (vector<4xbf16>, bf16) {
  %0 = arith.sitofp %x : vector<4xi32> to vector<4xbf16>
  %1 = arith.uitofp %y : i8 to bf16
  return %0, %1 : vector<4xbf16>, bf16
}

// The mode that is meant anyway.
// CHECK-LABEL: func.func @asked_for
// CHECK:         vector.shuffle %{{.*}} [1, 3, 5, 7] : vector<8xi16>, vector<8xi16>
// CHECK-NOT:     bf16
func.func @asked_for(%x: vector<4xf32>) -> vector<4xbf16> {
  %0 = arith.truncf %x to_nearest_even : vector<4xf32> to vector<4xbf16>
  return %0 : vector<4xbf16>
}

// The upper halves of a vector are one shuffle; ties of what a function of few digits made go anywhere.
// CHECK-LABEL: func.func @narrow_vector
// CHECK-DAG:     %[[HALF:.*]] = arith.constant dense<32768> : vector<4xi32>
// CHECK:         arith.addi %{{.*}}, %[[HALF]]
// CHECK-NOT:     arith.addi
// CHECK:         %[[BOTH:.*]] = vector.bitcast %{{.*}} : vector<4xi32> to vector<8xi16>
// CHECK:         vector.shuffle %[[BOTH]], %[[BOTH]] [1, 3, 5, 7]
func.func @narrow_vector(%x: vector<4xf32>) -> vector<4xbf16> {
  %n = arith.truncf %x {kgen.result_precision} : vector<4xf32> to vector<4xbf16>
  return %n : vector<4xbf16>
}

// A half that is added to the bits of such a NaN leaves it one.
// CHECK-LABEL: func.func @canonical_nans
// CHECK-NOT:     arith.cmpf
// CHECK:         vector.shuffle
func.func @canonical_nans(%x: vector<4xf32>) -> vector<4xbf16> {
  %n = arith.truncf %x {kgen.canonical_nans} : vector<4xf32> to vector<4xbf16>
  return %n : vector<4xbf16>
}
