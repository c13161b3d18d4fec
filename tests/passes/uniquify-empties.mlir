// RUN: kgen-opt "%s" --kgen-uniquify-empties | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-uniquify-empties --cse | FileCheck "%s" --check-prefix=CSE

// CHECK-LABEL: func.func @two_uses
// CHECK: %[[A:.*]] = tensor.empty() {kgen.unique_id = 0 : i64}
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[A]]
// CHECK: %[[B:.*]] = tensor.empty() {kgen.unique_id = 1 : i64}
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

// Two sums that start from the same zeros get zeros of their own; an operation that only reads them does not.
// CHECK-LABEL: func @fills
// CHECK-DAG:     %[[A:.*]] = linalg.fill
// CHECK-DAG:     %[[B:.*]] = linalg.fill
// CHECK-DAG:     %[[C:.*]] = linalg.fill
// CHECK:         linalg.reduce { arith.addf } {{.*}} outs(%[[X:.*]] : tensor<8xf32>)
// CHECK:         linalg.reduce { arith.addf } {{.*}} outs(%[[Y:.*]] : tensor<8xf32>)
// CHECK-NOT:     linalg.fill
// CHECK:         return
func.func @fills(%x: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %g = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.reduce { arith.addf } ins(%x : tensor<8x4xf32>) outs(%z : tensor<8xf32>) dimensions = [1]
  %b = linalg.reduce { arith.addf } ins(%x : tensor<8x4xf32>) outs(%z : tensor<8xf32>) dimensions = [1]
  %c = linalg.exp ins(%z : tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  %d = linalg.log ins(%z : tensor<8xf32>) outs(%g : tensor<8xf32>) -> tensor<8xf32>
  return %a, %b, %c, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
