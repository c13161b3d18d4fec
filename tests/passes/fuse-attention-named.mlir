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

  // A causal mask that selects the bits of floats of 16 bits.
  // CHECK-LABEL: func.func @bits
  // CHECK:         kgen.attention
  // CHECK-SAME:      causal = 0 : i64
  // CHECK-SAME:      epilogue_maps = []
  // CHECK:         return
  func.func @bits(%q: tensor<4x8xbf16>, %k: tensor<8x4xbf16>, %v: tensor<4x8xbf16>) -> tensor<4x8xf32> {
    %zero = arith.constant 0.0 : f32
    %mask = arith.constant dense<[[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]> : tensor<4x4xi8>
    %e = tensor.empty() : tensor<4x4xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = linalg.matmul ins(%q, %k : tensor<4x8xbf16>, tensor<8x4xbf16>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
    %n = tensor.empty() : tensor<4x4xbf16>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x4xf32>) outs(%n : tensor<4x4xbf16>) {
    ^bb0(%a: f32, %o: bf16):
      %0 = arith.truncf %a : f32 to bf16
      linalg.yield %0 : bf16
    } -> tensor<4x4xbf16>
    %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%r, %mask : tensor<4x4xbf16>, tensor<4x4xi8>) outs(%n : tensor<4x4xbf16>) {
    ^bb0(%a: bf16, %b: i8, %o: bf16):
      %c = arith.constant 0 : i8
      %none = arith.constant 0xFF80 : bf16
      %0 = arith.bitcast %a : bf16 to i16
      %1 = arith.bitcast %none : bf16 to i16
      %2 = arith.cmpi ne, %b, %c : i8
      %3 = arith.select %2, %0, %1 : i16
      %4 = arith.bitcast %3 : i16 to bf16
      linalg.yield %4 : bf16
    } -> tensor<4x4xbf16>
    %w = kgen.softmax %m along [1] : tensor<4x4xbf16> -> tensor<4x4xbf16>
    %f = tensor.empty() : tensor<4x8xf32>
    %y = linalg.fill ins(%zero : f32) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
    %t = linalg.matmul ins(%w, %v : tensor<4x4xbf16>, tensor<4x8xbf16>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %t : tensor<4x8xf32>
  }

  // One that is added, and the sum rounded.
  // CHECK-LABEL: func.func @rounded_sum
  // CHECK:         kgen.attention
  // CHECK-SAME:      causal = 0 : i64
  // CHECK-SAME:      epilogue_maps = []
  // CHECK:         return
  func.func @rounded_sum(%q: tensor<4x8xf16>, %k: tensor<8x4xf16>, %v: tensor<4x8xf16>) -> tensor<4x8xf32> {
    %zero = arith.constant 0.0 : f32
    %mask = arith.constant dense<[[0x0000, 0xFC00, 0xFC00, 0xFC00], [0x0000, 0x0000, 0xFC00, 0xFC00], [0x0000, 0x0000, 0x0000, 0xFC00], [0x0000, 0x0000, 0x0000, 0x0000]]> : tensor<4x4xf16>
    %e = tensor.empty() : tensor<4x4xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = linalg.matmul ins(%q, %k : tensor<4x8xf16>, tensor<8x4xf16>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
    %n = tensor.empty() : tensor<4x4xf16>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x4xf32>) outs(%n : tensor<4x4xf16>) {
    ^bb0(%a: f32, %o: f16):
      %0 = arith.truncf %a : f32 to f16
      linalg.yield %0 : f16
    } -> tensor<4x4xf16>
    %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%r, %mask : tensor<4x4xf16>, tensor<4x4xf16>) outs(%n : tensor<4x4xf16>) {
    ^bb0(%a: f16, %b: f16, %o: f16):
      %0 = arith.extf %a : f16 to f32
      %1 = arith.extf %b : f16 to f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.truncf %2 : f32 to f16
      linalg.yield %3 : f16
    } -> tensor<4x4xf16>
    %w = kgen.softmax %m along [1] : tensor<4x4xf16> -> tensor<4x4xf16>
    %f = tensor.empty() : tensor<4x8xf32>
    %y = linalg.fill ins(%zero : f32) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
    %t = linalg.matmul ins(%w, %v : tensor<4x4xf16>, tensor<4x8xf16>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %t : tensor<4x8xf32>
  }

  // The lowest number of f16 hides nothing: scores of f32 are lower.
  // CHECK-LABEL: func.func @small_numbers
  // CHECK-NOT:     causal = 
  // CHECK:         return
  func.func @small_numbers(%q: tensor<4x8xf16>, %k: tensor<8x4xf16>, %v: tensor<4x8xf16>) -> tensor<4x8xf32> {
    %zero = arith.constant 0.0 : f32
    %mask = arith.constant dense<[[0x0000, 0xFBFF, 0xFBFF, 0xFBFF], [0x0000, 0x0000, 0xFBFF, 0xFBFF], [0x0000, 0x0000, 0x0000, 0xFBFF], [0x0000, 0x0000, 0x0000, 0x0000]]> : tensor<4x4xf16>
    %e = tensor.empty() : tensor<4x4xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = linalg.matmul ins(%q, %k : tensor<4x8xf16>, tensor<8x4xf16>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
    %n = tensor.empty() : tensor<4x4xf16>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x4xf32>) outs(%n : tensor<4x4xf16>) {
    ^bb0(%a: f32, %o: f16):
      %0 = arith.truncf %a : f32 to f16
      linalg.yield %0 : f16
    } -> tensor<4x4xf16>
    %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%r, %mask : tensor<4x4xf16>, tensor<4x4xf16>) outs(%n : tensor<4x4xf16>) {
    ^bb0(%a: f16, %b: f16, %o: f16):
      %0 = arith.extf %a : f16 to f32
      %1 = arith.extf %b : f16 to f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.truncf %2 : f32 to f16
      linalg.yield %3 : f16
    } -> tensor<4x4xf16>
    %w = kgen.softmax %m along [1] : tensor<4x4xf16> -> tensor<4x4xf16>
    %f = tensor.empty() : tensor<4x8xf32>
    %y = linalg.fill ins(%zero : f32) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
    %t = linalg.matmul ins(%w, %v : tensor<4x4xf16>, tensor<4x8xf16>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %t : tensor<4x8xf32>
  }
}
