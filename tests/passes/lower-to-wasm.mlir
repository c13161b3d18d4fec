// RUN: kgen-opt "%s" --kgen-lower-to-wasm | FileCheck "%s"

// Products of pairs of words have an instruction, which adds nothing to them.
// CHECK-LABEL: func.func @words
// CHECK-SAME:    %[[A:.*]]: vector<8xi16>, %[[B:.*]]: vector<8xi16>, %[[SUM:.*]]: vector<4xi32>)
// CHECK-NEXT:    %[[P:.*]] = llvm.call_intrinsic "llvm.wasm.dot"(%[[A]], %[[B]]) : (vector<8xi16>, vector<8xi16>) -> vector<4xi32>
// CHECK-NEXT:    arith.addi %[[SUM]], %[[P]]
func.func @words(%a: vector<8xi16>, %b: vector<8xi16>, %sum: vector<4xi32>) -> vector<4xi32> {
  %r = kgen.dot %a, %b, %sum : vector<8xi16>, vector<4xi32>
  return %r : vector<4xi32>
}

// Bytes are left to kgen-lower-instructions.
// CHECK-LABEL: func.func @bytes
// CHECK:         kgen.dot
func.func @bytes(%a: vector<16xi8>, %b: vector<16xi8>, %sum: vector<4xi32>) -> vector<4xi32> {
  %r = kgen.dot %a, %b, %sum : vector<16xi8>, vector<4xi32>
  return %r : vector<4xi32>
}

// LLVM would call libm. A comparison with NaN is false.
// CHECK-LABEL: func.func @maximum
// CHECK-SAME:    %[[X:.*]]: vector<4xf32>, %[[Y:.*]]: vector<4xf32>)
// CHECK-NEXT:    %[[GREATER:.*]] = arith.cmpf ogt, %[[Y]], %[[X]]
// CHECK-NEXT:    %[[CHOSEN:.*]] = arith.select %[[GREATER]], %[[Y]], %[[X]]
// CHECK-NEXT:    %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK-NEXT:    arith.select %[[NAN]], %[[Y]], %[[CHOSEN]]
func.func @maximum(%x: vector<4xf32>, %y: vector<4xf32>) -> vector<4xf32> {
  %r = arith.maxnumf %x, %y : vector<4xf32>
  return %r : vector<4xf32>
}

// Halves are compared, then the last two numbers.
// CHECK-LABEL: func.func @reduction
// CHECK:         vector.shuffle %{{.*}} [0, 1] : vector<4xf32>, vector<4xf32>
// CHECK:         vector.shuffle %{{.*}} [2, 3] : vector<4xf32>, vector<4xf32>
// CHECK:         arith.cmpf olt, {{.*}} : vector<2xf32>
// CHECK:         arith.cmpf olt, {{.*}} : vector<1xf32>
// CHECK:         arith.cmpf olt, {{.*}} : f32
// CHECK-NOT:     vector.reduction
func.func @reduction(%x: vector<4xf32>, %start: f32) -> f32 {
  %r = vector.reduction <minnumf>, %x, %start : vector<4xf32> into f32
  return %r : f32
}

// There are no prefetches.
// CHECK-LABEL: func.func @prefetch
// CHECK-NEXT:    return
func.func @prefetch(%p: !llvm.ptr, %m: memref<8xf32>, %i: index) {
  "llvm.intr.prefetch"(%p) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}> : (!llvm.ptr) -> ()
  memref.prefetch %m[%i], read, locality<3>, data : memref<8xf32>
  return
}

// A vector of one float is a number.
// CHECK-LABEL: func.func @one
// CHECK:         %[[CHOSEN:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK:         vector.broadcast %[[CHOSEN]] : f32 to vector<1xf32>
func.func @one(%x: vector<1xf32>, %y: vector<1xf32>) -> vector<1xf32> {
  %c = arith.cmpf ogt, %x, %y : vector<1xf32>
  %r = arith.select %c, %x, %y : vector<1xi1>, vector<1xf32>
  return %r : vector<1xf32>
}
