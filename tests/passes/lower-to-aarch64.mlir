// RUN: kgen-opt "%s" --kgen-lower-to-aarch64 --split-input-file | FileCheck "%s"

// Of factors with one sign the first one is the last operand, which may be a lane.
// CHECK-LABEL: func.func @signed
// CHECK-SAME:    %[[A:.*]]: vector<16xi8>, %[[B:.*]]: vector<16xi8>, %[[SUM:.*]]: vector<4xi32>)
// CHECK-NEXT:    llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%[[SUM]], %[[B]], %[[A]])
func.func @signed(%a: vector<16xi8>, %b: vector<16xi8>, %sum: vector<4xi32>) -> vector<4xi32> {
  %r = kgen.dot %a, %b, %sum {both_signed} : vector<16xi8>, vector<4xi32>
  return %r : vector<4xi32>
}

// CHECK-LABEL: func.func @unsigned
// CHECK-SAME:    %[[A:.*]]: vector<8xi8>, %[[B:.*]]: vector<8xi8>, %[[SUM:.*]]: vector<2xi32>)
// CHECK-NEXT:    llvm.call_intrinsic "llvm.aarch64.neon.udot.v2i32.v8i8"(%[[SUM]], %[[B]], %[[A]])
func.func @unsigned(%a: vector<8xi8>, %b: vector<8xi8>, %sum: vector<2xi32>) -> vector<2xi32> {
  %r = kgen.dot %a, %b, %sum {both_unsigned} : vector<8xi8>, vector<2xi32>
  return %r : vector<2xi32>
}

// CHECK-LABEL: func.func @mixed
// CHECK-SAME:    %[[A:.*]]: vector<16xi8>, %[[B:.*]]: vector<16xi8>, %[[SUM:.*]]: vector<4xi32>)
// CHECK-NEXT:    llvm.call_intrinsic "llvm.aarch64.neon.usdot.v4i32.v16i8"(%[[SUM]], %[[A]], %[[B]])
func.func @mixed(%a: vector<16xi8>, %b: vector<16xi8>, %sum: vector<4xi32>) -> vector<4xi32> {
  %r = kgen.dot %a, %b, %sum : vector<16xi8>, vector<4xi32>
  return %r : vector<4xi32>
}

// CHECK-LABEL: func.func @floats
// CHECK-SAME:    %[[A:.*]]: vector<8xbf16>, %[[B:.*]]: vector<8xbf16>, %[[SUM:.*]]: vector<4xf32>)
// CHECK-NEXT:    llvm.call_intrinsic "llvm.aarch64.neon.bfdot.v4f32.v8bf16"(%[[SUM]], %[[B]], %[[A]])
func.func @floats(%a: vector<8xbf16>, %b: vector<8xbf16>, %sum: vector<4xf32>) -> vector<4xf32> {
  %r = kgen.dot %a, %b, %sum : vector<8xbf16>, vector<4xf32>
  return %r : vector<4xf32>
}

// -----

// Rows of A stay the first factor: no lane is taken.
// CHECK-LABEL: func.func @matrices
// CHECK-SAME:    %[[A:.*]]: vector<16xi8>, %[[B:.*]]: vector<16xi8>, %[[SUM:.*]]: vector<4xi32>)
// CHECK-NEXT:    %[[S:.*]] = llvm.call_intrinsic "llvm.aarch64.neon.smmla.v4i32.v16i8"(%[[SUM]], %[[A]], %[[B]])
// CHECK-NEXT:    %[[U:.*]] = llvm.call_intrinsic "llvm.aarch64.neon.ummla.v4i32.v16i8"(%[[S]], %[[A]], %[[B]])
// CHECK-NEXT:    llvm.call_intrinsic "llvm.aarch64.neon.usmmla.v4i32.v16i8"(%[[U]], %[[A]], %[[B]])
func.func @matrices(%a: vector<16xi8>, %b: vector<16xi8>, %sum: vector<4xi32>) -> vector<4xi32> {
  %0 = kgen.matrix_dot %a, %b, %sum {both_signed} : vector<16xi8>, vector<4xi32>
  %1 = kgen.matrix_dot %a, %b, %0 {both_unsigned} : vector<16xi8>, vector<4xi32>
  %2 = kgen.matrix_dot %a, %b, %1 : vector<16xi8>, vector<4xi32>
  return %2 : vector<4xi32>
}

// CHECK-LABEL: func.func @matrix_of_floats
// CHECK:         llvm.call_intrinsic "llvm.aarch64.neon.bfmmla"(%{{.*}}) : (vector<4xf32>, vector<8xbf16>, vector<8xbf16>) -> vector<4xf32>
func.func @matrix_of_floats(%a: vector<8xbf16>, %b: vector<8xbf16>, %sum: vector<4xf32>) -> vector<4xf32> {
  %r = kgen.matrix_dot %a, %b, %sum : vector<8xbf16>, vector<4xf32>
  return %r : vector<4xf32>
}

// -----

// Words, sums of 16 bits and longer vectors are left to kgen-lower-instructions.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: kgen.dot
func.func @others(%a: vector<8xi16>, %b: vector<4xi32>, %c: vector<16xi8>, %d: vector<8xi16>, %e: vector<32xi8>, %f: vector<8xi32>)
    -> (vector<4xi32>, vector<8xi16>, vector<8xi32>) {
  %0 = kgen.dot %a, %a, %b : vector<8xi16>, vector<4xi32>
  %1 = kgen.dot %c, %c, %d : vector<16xi8>, vector<8xi16>
  %2 = kgen.dot %e, %e, %f : vector<32xi8>, vector<8xi32>
  return %0, %1, %2 : vector<4xi32>, vector<8xi16>, vector<8xi32>
}
