// RUN: kgen-opt "%s" --kgen-target=wasm32-relaxed-simd --kgen-lower-to-wasm | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=wasm32-simd128 --kgen-lower-to-wasm | FileCheck "%s" --check-prefix=EXACT

// LLVM would take a relaxed minimum, which may lose NaN.
// CHECK-LABEL: func.func @minimum
// CHECK-SAME:    %[[X:.*]]: vector<4xf32>, %[[Y:.*]]: vector<4xf32>)
// CHECK-NEXT:    %[[LESS:.*]] = arith.cmpf olt, %[[X]], %[[Y]]
// CHECK-NEXT:    %[[HIDDEN:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence"(%[[X]]) : (vector<4xf32>) -> vector<4xf32>
// CHECK-NEXT:    arith.select %[[LESS]], %[[HIDDEN]], %[[Y]]
// EXACT-LABEL: func.func @minimum
// EXACT-NEXT:    %[[LESS:.*]] = arith.cmpf olt
// EXACT-NEXT:    arith.select %[[LESS]]
func.func @minimum(%x: vector<4xf32>, %y: vector<4xf32>) -> vector<4xf32> {
  %c = arith.cmpf olt, %x, %y : vector<4xf32>
  %r = arith.select %c, %x, %y : vector<4xi1>, vector<4xf32>
  return %r : vector<4xf32>
}

// Numbers have no relaxed minimum, and other conditions none of floats.
// CHECK-LABEL: func.func @others
// CHECK-NEXT:    arith.cmpf
// CHECK-NEXT:    arith.select
// CHECK-NEXT:    arith.select
// CHECK-NEXT:    return
func.func @others(%x: f32, %y: f32, %c: vector<4xi1>, %a: vector<4xf32>, %b: vector<4xf32>) -> (f32, vector<4xf32>) {
  %less = arith.cmpf olt, %x, %y : f32
  %r = arith.select %less, %x, %y : f32
  %s = arith.select %c, %a, %b : vector<4xi1>, vector<4xf32>
  return %r, %s : f32, vector<4xf32>
}
