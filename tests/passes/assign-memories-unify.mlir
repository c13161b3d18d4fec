// RUN: kgen-opt "%s" --pass-pipeline="builtin.module(func.func(kgen-assign-memories{unify}))" | FileCheck "%s"

// CHECK-LABEL: func.func @f
// CHECK-NEXT:  bufferization.alloc_tensor() : tensor<4xf32>
// CHECK-NEXT:  bufferization.alloc_tensor() : tensor<8xf32>
// CHECK-NEXT:  bufferization.alloc_tensor() : tensor<16xf32>
// CHECK-NEXT:  return
func.func @f() -> (tensor<4xf32>, tensor<8xf32>, tensor<16xf32>) {
  %a = bufferization.alloc_tensor() {memory_space = 2 : i64} : tensor<4xf32>
  %b = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<8xf32>
  %c = bufferization.alloc_tensor() : tensor<16xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<8xf32>, tensor<16xf32>
}
