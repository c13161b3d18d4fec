// A softmax by name between two products is an attention; one along another dimension, a logarithm, and one whose scores are read again are none.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-contractions-to-tpp --linalg-generalize-named-ops --kgen-fuse-attention --mlir-print-local-scope | FileCheck "%s"

module attributes {kgen.decisions = []} {
  // CHECK-LABEL: func.func @named
  // CHECK:         %[[R:.*]] = kgen.attention ins(%arg0, %arg1, %arg2 :
  // CHECK-NOT:     masked_to_zero
  // CHECK:         return %[[R]]
  func.func @named(%q: tensor<24x8xf32>, %k: tensor<8x40xf32>, %v: tensor<40x8xf32>) -> tensor<24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<24x40xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<24x40xf32>) -> tensor<24x40xf32>
    %s = linalg.matmul ins(%q, %k : tensor<24x8xf32>, tensor<8x40xf32>) outs(%z : tensor<24x40xf32>) -> tensor<24x40xf32>
    %w = kgen.softmax %s along [1] : tensor<24x40xf32> -> tensor<24x40xf32>
    %f = tensor.empty() : tensor<24x8xf32>
    %y = linalg.fill ins(%zero : f32) outs(%f : tensor<24x8xf32>) -> tensor<24x8xf32>
    %r = linalg.matmul ins(%w, %v : tensor<24x40xf32>, tensor<40x8xf32>) outs(%y : tensor<24x8xf32>) -> tensor<24x8xf32>
    return %r : tensor<24x8xf32>
  }

  // CHECK-LABEL: func.func @masked
  // CHECK:         kgen.attention
  // CHECK-SAME:    masked_to_zero
  func.func @masked(%q: tensor<24x8xf32>, %k: tensor<8x40xf32>, %v: tensor<40x8xf32>) -> tensor<24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<24x40xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<24x40xf32>) -> tensor<24x40xf32>
    %s = linalg.matmul ins(%q, %k : tensor<24x8xf32>, tensor<8x40xf32>) outs(%z : tensor<24x40xf32>) -> tensor<24x40xf32>
    %w = kgen.softmax %s along [1] {masked_to_zero} : tensor<24x40xf32> -> tensor<24x40xf32>
    %f = tensor.empty() : tensor<24x8xf32>
    %y = linalg.fill ins(%zero : f32) outs(%f : tensor<24x8xf32>) -> tensor<24x8xf32>
    %r = linalg.matmul ins(%w, %v : tensor<24x40xf32>, tensor<40x8xf32>) outs(%y : tensor<24x8xf32>) -> tensor<24x8xf32>
    return %r : tensor<24x8xf32>
  }

  // CHECK-LABEL: func.func @queries
  // CHECK-SAME:    why = "no attention: the softmax is along another dimension than the keys"
  // CHECK-NOT:     kgen.attention
  // CHECK:         kgen.softmax
  func.func @queries(%q: tensor<24x8xf32>, %k: tensor<8x40xf32>, %v: tensor<40x8xf32>) -> tensor<24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<24x40xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<24x40xf32>) -> tensor<24x40xf32>
    %s = linalg.matmul ins(%q, %k : tensor<24x8xf32>, tensor<8x40xf32>) outs(%z : tensor<24x40xf32>) -> tensor<24x40xf32>
    %w = kgen.softmax %s along [0] : tensor<24x40xf32> -> tensor<24x40xf32>
    %f = tensor.empty() : tensor<24x8xf32>
    %y = linalg.fill ins(%zero : f32) outs(%f : tensor<24x8xf32>) -> tensor<24x8xf32>
    %r = linalg.matmul ins(%w, %v : tensor<24x40xf32>, tensor<40x8xf32>) outs(%y : tensor<24x8xf32>) -> tensor<24x8xf32>
    return %r : tensor<24x8xf32>
  }

  // CHECK-LABEL: func.func @shared
  // CHECK-SAME:    why = "no attention: something else reads the scores or the weights"
  // CHECK-NOT:     kgen.attention
  // CHECK:         kgen.softmax
  func.func @shared(%q: tensor<24x8xf32>, %k: tensor<8x40xf32>, %v: tensor<40x8xf32>) -> (tensor<24x8xf32>, tensor<24x40xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<24x40xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<24x40xf32>) -> tensor<24x40xf32>
    %s = linalg.matmul ins(%q, %k : tensor<24x8xf32>, tensor<8x40xf32>) outs(%z : tensor<24x40xf32>) -> tensor<24x40xf32>
    %w = kgen.softmax %s along [1] : tensor<24x40xf32> -> tensor<24x40xf32>
    %f = tensor.empty() : tensor<24x8xf32>
    %y = linalg.fill ins(%zero : f32) outs(%f : tensor<24x8xf32>) -> tensor<24x8xf32>
    %r = linalg.matmul ins(%w, %v : tensor<24x40xf32>, tensor<40x8xf32>) outs(%y : tensor<24x8xf32>) -> tensor<24x8xf32>
    return %r, %s : tensor<24x8xf32>, tensor<24x40xf32>
  }

  // CHECK-LABEL: func.func @logarithm
  // CHECK-SAME:    why = "no attention: what is between the gemms is no softmax of the scores"
  // CHECK-NOT:     kgen.attention
  // CHECK:         kgen.softmax {{.*}}logarithm
  func.func @logarithm(%q: tensor<24x8xf32>, %k: tensor<8x40xf32>, %v: tensor<40x8xf32>) -> tensor<24x8xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<24x40xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<24x40xf32>) -> tensor<24x40xf32>
    %s = linalg.matmul ins(%q, %k : tensor<24x8xf32>, tensor<8x40xf32>) outs(%z : tensor<24x40xf32>) -> tensor<24x40xf32>
    %w = kgen.softmax %s along [1] {logarithm} : tensor<24x40xf32> -> tensor<24x40xf32>
    %f = tensor.empty() : tensor<24x8xf32>
    %y = linalg.fill ins(%zero : f32) outs(%f : tensor<24x8xf32>) -> tensor<24x8xf32>
    %r = linalg.matmul ins(%w, %v : tensor<24x40xf32>, tensor<40x8xf32>) outs(%y : tensor<24x8xf32>) -> tensor<24x8xf32>
    return %r : tensor<24x8xf32>
  }
}
