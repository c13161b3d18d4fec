// RUN: kgen-opt "%s" --kgen-fold-epilogue-add-into-dest --split-input-file --mlir-print-local-scope | FileCheck "%s"

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>

// The residual has been read before; its sum with the bias is not the accumulator's.
// CHECK-LABEL: func @residual
// CHECK:         %[[X:.*]] = tpp.gemm
// CHECK:         %[[Z:.*]] = tpp.gemm ins(%[[X]]
// CHECK:         %[[Y:.*]] = tpp.gemm ins(%[[Z]], %arg1 {{.*}} epilogue_ins(%arg2 : tensor<8xf32>) outs(%[[X]] : {{.*}} accumulate
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT:      %[[ADDED:.*]] = arith.addf %[[SUM]], %[[BIAS]]
// CHECK-NEXT:      %[[ABS:.*]] = math.absf %[[ADDED]]
// CHECK-NEXT:      tpp.yield %[[ABS]]
// CHECK:         return %[[Y]]
func.func @residual(%a: tensor<4x8xf32>, %b: tensor<8x8xf32>, %bias: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %x = tpp.gemm ins(%a, %b : tensor<4x8xf32>, tensor<8x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%s: f32):
    tpp.yield %s : f32
  } -> tensor<4x8xf32>
  %z = tpp.gemm ins(%x, %b : tensor<4x8xf32>, tensor<8x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%s: f32):
    tpp.yield %s : f32
  } -> tensor<4x8xf32>
  %y = tpp.gemm ins(%z, %b : tensor<4x8xf32>, tensor<8x8xf32>) epilogue_ins(%x, %bias : tensor<4x8xf32>, tensor<8xf32>)
      outs(%e : tensor<4x8xf32>) attributes {a_map = #a, b_map = #b, epilogue_maps = [#full, #column]} {
  ^bb0(%s: f32, %r: f32, %c: f32):
    %0 = arith.addf %r, %c : f32
    %1 = arith.addf %s, %0 : f32
    %2 = math.absf %1 : f32
    tpp.yield %2 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#full = affine_map<(m, n) -> (m, n)>

// What is multiplied, read again later, or of the caller stays an extra.
// CHECK-LABEL: func @multiplied
// CHECK-NOT:     accumulate
// CHECK:         math.absf
// CHECK-NOT:     accumulate
// CHECK-LABEL: func @read_later
// CHECK-NOT:     accumulate
// CHECK:         arith.addf
// CHECK-NOT:     accumulate
// CHECK-LABEL: func @argument
// CHECK-NOT:     accumulate
// CHECK:         arith.addf
// CHECK-NOT:     accumulate
func.func @multiplied(%a: tensor<4x8xf32>, %b: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %x = tpp.gemm ins(%a, %b : tensor<4x8xf32>, tensor<8x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%s: f32):
    tpp.yield %s : f32
  } -> tensor<4x8xf32>
  %y = tpp.gemm ins(%a, %b : tensor<4x8xf32>, tensor<8x8xf32>) epilogue_ins(%x : tensor<4x8xf32>)
      outs(%e : tensor<4x8xf32>) attributes {a_map = #a, b_map = #b, epilogue_maps = [#full]} {
  ^bb0(%s: f32, %r: f32):
    %0 = math.absf %s : f32
    %1 = arith.addf %0, %r : f32
    tpp.yield %1 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func @read_later(%a: tensor<4x8xf32>, %b: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %x = tpp.gemm ins(%a, %b : tensor<4x8xf32>, tensor<8x8xf32>) outs(%e : tensor<4x8xf32>)
      attributes {a_map = #a, b_map = #b, epilogue_maps = []} {
  ^bb0(%s: f32):
    tpp.yield %s : f32
  } -> tensor<4x8xf32>
  %y = tpp.gemm ins(%a, %b : tensor<4x8xf32>, tensor<8x8xf32>) epilogue_ins(%x : tensor<4x8xf32>)
      outs(%e : tensor<4x8xf32>) attributes {a_map = #a, b_map = #b, epilogue_maps = [#full]} {
  ^bb0(%s: f32, %r: f32):
    %0 = arith.addf %s, %r : f32
    tpp.yield %0 : f32
  } -> tensor<4x8xf32>
  return %x, %y : tensor<4x8xf32>, tensor<4x8xf32>
}
func.func @argument(%a: tensor<4x8xf32>, %b: tensor<8x8xf32>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = tpp.gemm ins(%a, %b : tensor<4x8xf32>, tensor<8x8xf32>) epilogue_ins(%x : tensor<4x8xf32>)
      outs(%e : tensor<4x8xf32>) attributes {a_map = #a, b_map = #b, epilogue_maps = [#full]} {
  ^bb0(%s: f32, %r: f32):
    %0 = arith.addf %s, %r : f32
    tpp.yield %0 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
