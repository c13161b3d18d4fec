// Activation functions in the body of an operation become one operation; those with other factors stay, with the reason.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --kgen-raise-idioms=idioms=activations --canonicalize | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v2 --split-input-file --kgen-raise-idioms=idioms=activations --canonicalize | FileCheck "%s" --check-prefix=V2

#id = affine_map<(i) -> (i)>
module attributes {kgen.decisions = []} {
// CHECK-LABEL: func @gelu
// CHECK-SAME: what = "gelu"
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[Y:.*]] = kgen.gelu %[[X]]
// CHECK-NEXT: linalg.yield %[[Y]]
func.func @gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %root2 = arith.constant 1.41421354 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.divf %a, %root2 : f32
    %1 = math.erf %0 : f32
    %2 = arith.addf %one, %1 : f32
    %3 = arith.mulf %half, %2 : f32
    %4 = arith.mulf %3, %a : f32
    linalg.yield %4 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Of a sum, with the cube as a power.
// CHECK-LABEL: func @gelu_tanh
// CHECK: %[[S:.*]] = arith.addf
// CHECK-NEXT: %[[Y:.*]] = kgen.gelu_tanh %[[S]]
// CHECK-NEXT: linalg.yield %[[Y]]
func.func @gelu_tanh(%x: tensor<8xf32>, %bias: tensor<8xf32>) -> tensor<8xf32> {
  %factor = arith.constant 0.797884583 : f32
  %cubic = arith.constant 4.471500e-02 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %three = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %bias : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %0 = math.powf %s, %three : f32
    %1 = arith.mulf %0, %cubic : f32
    %2 = arith.addf %s, %1 : f32
    %3 = arith.mulf %2, %factor : f32
    %4 = math.tanh %3 : f32
    %5 = arith.addf %4, %one : f32
    %6 = arith.mulf %s, %half : f32
    %7 = arith.mulf %6, %5 : f32
    linalg.yield %7 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// In the epilogue of a contraction.
// CHECK-LABEL: func @silu
// CHECK: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: %[[Y:.*]] = kgen.sigmoid_product %[[X]], %[[X]]
// CHECK-NEXT: tpp.yield %[[Y]]
func.func @silu(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    %one = arith.constant 1.0 : f32
    %0 = arith.negf %acc : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.divf %acc, %2 : f32
    tpp.yield %3 : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// A quotient by 6 is the product with its inverse in two parts; that takes fused multiply-adds.
// CHECK-LABEL: func @hard_swish
// CHECK-DAG: %[[HIGH:.*]] = arith.constant 0.166666672
// CHECK-DAG: %[[LOW:.*]] = arith.constant -4.96705{{.*}}E-9
// CHECK: %[[K:.*]] = arith.minimumf
// CHECK: %[[L:.*]] = arith.mulf %[[K]], %[[LOW]]
// CHECK: %[[Q:.*]] = math.fma %[[K]], %[[HIGH]], %[[L]]
// CHECK: arith.mulf %{{.*}}, %[[Q]]
// CHECK-NOT: arith.divf
// CHECK: return
// V2-LABEL: func @hard_swish
// V2: arith.divf
func.func @hard_swish(%x: tensor<8xf32>) -> tensor<8xf32> {
  %three = arith.constant 3.0 : f32
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %three : f32
    %c = arith.cmpf ogt, %zero, %0 : f32
    %1 = arith.select %c, %zero, %0 : f32
    %2 = arith.minimumf %1, %six : f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.divf %3, %six : f32
    linalg.yield %4 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// What is bounded on one side only may be infinite: a product in two parts would be NaN.
// CHECK-LABEL: func @relu_by_6
// CHECK: arith.divf
func.func @relu_by_6(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %zero : f32
    %1 = arith.divf %0, %six : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func @row_of_softmax
// CHECK: %[[R:.*]] = arith.divf %{{.*}}, %[[S:.*]] :
// CHECK: %[[REST:.*]] = math.fma %{{.*}}, %[[R]], %{{.*}}
// CHECK: %[[LOW:.*]] = arith.mulf %[[REST]], %[[R]]
// CHECK: %[[L:.*]] = arith.mulf %[[P:.*]], %[[LOW]]
// CHECK: math.fma %[[P]], %[[R]], %[[L]]
func.func @row_of_softmax(%x: tensor<8xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %s : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b {kgen.normal_quotient} : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
}

// -----

#id = affine_map<(i) -> (i)>
module attributes {kgen.decisions = []} {
// A factor of four digits makes another function.
// CHECK-LABEL: func @rounded_factor
// CHECK-SAME: why = "no gelu: its factors are other numbers"
// CHECK: math.erf
// CHECK-NOT: kgen.gelu
// CHECK: return
func.func @rounded_factor(%x: tensor<8xf32>) -> tensor<8xf32> {
  %root = arith.constant 0.7071 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %root : f32
    %1 = math.erf %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.mulf %3, %half : f32
    linalg.yield %4 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Another number is multiplied than the one that erf is of; and exp(x) is not exp(-x).
// CHECK-LABEL: func @other_operand
// CHECK: math.erf
// CHECK: math.exp
// CHECK: arith.divf
// CHECK-NOT: kgen.
// CHECK: return
func.func @other_operand(%x: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %root = arith.constant 0.707106769 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %z : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %root : f32
    %1 = math.erf %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.mulf %b, %2 : f32
    %4 = arith.mulf %3, %half : f32
    %5 = math.exp %4 : f32
    %6 = arith.addf %5, %one : f32
    %7 = arith.divf %4, %6 : f32
    linalg.yield %7 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
}
