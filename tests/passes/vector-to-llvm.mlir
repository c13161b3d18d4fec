// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(kgen-target{wasm32-simd128},func.func(kgen-vector-to-llvm))" | FileCheck "%s"

// Indices have the width of addresses.
// CHECK-LABEL: func.func @load
// CHECK:         %[[I:.*]] = builtin.unrealized_conversion_cast %{{.*}} : index to i32
// CHECK:         %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[I]]] : (!llvm.ptr, i32) -> !llvm.ptr, f32
// CHECK:         llvm.load %[[AT]] {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
func.func @load(%m: memref<64xf32>, %i: index) -> vector<4xf32> {
  %v = vector.load %m[%i] : memref<64xf32>, vector<4xf32>
  return %v : vector<4xf32>
}

// Vectors of two dimensions become several of one.
// CHECK-LABEL: func.func @transpose
// CHECK:         llvm.insertelement
// CHECK-NOT:     vector.transpose
func.func @transpose(%v: vector<2x4xf32>) -> vector<4x2xf32> {
  %t = vector.transpose %v, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  return %t : vector<4x2xf32>
}
