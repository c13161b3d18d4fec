// RUN: kgen-opt "%s" --kgen-split-empties | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-split-empties --cse | FileCheck "%s" --check-prefix=CSE

// CHECK-LABEL: func.func @two_uses
// CHECK: %[[A:.*]] = tensor.empty() {kgen.number = 0 : i64}
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[A]]
// CHECK: %[[B:.*]] = tensor.empty() {kgen.number = 1 : i64}
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[B]]
func.func @two_uses(%x: f32, %y: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.fill ins(%y : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// Equal values stay two.
// CSE-LABEL:     func.func @equal
// CSE-COUNT-2:   linalg.fill
func.func @equal(%x: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// Other values stay shared.
// CHECK-LABEL: func.func @other_values
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK-NOT: tensor.empty
// CHECK: return %[[X]], %[[X]]
func.func @other_values(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %unused = tensor.empty() : tensor<4xf32>
  return %x, %x : tensor<8xf32>, tensor<8xf32>
}
