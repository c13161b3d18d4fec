// RUN: kgen explain "%s" --target x86-64-v3 | FileCheck "%s"
// RUN: kgen check "%s" 2>&1 | FileCheck "%s" --check-prefix=UNREAD
// UNREAD: forms.mlir:{{[0-9]+}}:{{[0-9]+}}: warning: nobody reads argument 2 of 'destination': the function does not take it
// CHECK: named on x86-64-v3
// CHECK: contraction 24 x 64 x 96
// CHECK: contract on x86-64-v3
// CHECK: contraction 24 x 64 x 96
// CHECK: packed on x86-64-v3
// CHECK: contraction 12 x 8 x 16 x 96, {{.*}} B in place
// CHECK: vnni on x86-64-v3
// CHECK: contraction
// One product in the forms that compilers write it in; weights are arguments.
func.func @named(%arg0: tensor<24x96xf32>, %arg1: tensor<96x64xf32>) -> tensor<24x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x64xf32>) -> tensor<24x64xf32>
  %r = linalg.matmul ins(%arg0, %arg1 : tensor<24x96xf32>, tensor<96x64xf32>) outs(%f : tensor<24x64xf32>) -> tensor<24x64xf32>
  return %r : tensor<24x64xf32>
}

// Sums start from an argument.
func.func @accumulating(%arg0: tensor<24x96xf32>, %arg1: tensor<96x64xf32>, %arg2: tensor<24x64xf32>) -> tensor<24x64xf32> {
  %r = linalg.matmul ins(%arg0, %arg1 : tensor<24x96xf32>, tensor<96x64xf32>) outs(%arg2 : tensor<24x64xf32>) -> tensor<24x64xf32>
  return %r : tensor<24x64xf32>
}

// The result is an argument that nobody reads.
func.func @destination(%arg0: tensor<24x96xf32>, %arg1: tensor<96x64xf32>, %arg2: tensor<24x64xf32>) -> tensor<24x64xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%arg2 : tensor<24x64xf32>) -> tensor<24x64xf32>
  %r = linalg.matmul ins(%arg0, %arg1 : tensor<24x96xf32>, tensor<96x64xf32>) outs(%f : tensor<24x64xf32>) -> tensor<24x64xf32>
  return %r : tensor<24x64xf32>
}

func.func @transposed(%arg0: tensor<24x96xf32>, %arg1: tensor<64x96xf32>) -> tensor<24x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x64xf32>) -> tensor<24x64xf32>
  %t = tensor.empty() : tensor<96x64xf32>
  %w = linalg.transpose ins(%arg1 : tensor<64x96xf32>) outs(%t : tensor<96x64xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%arg0, %w : tensor<24x96xf32>, tensor<96x64xf32>) outs(%f : tensor<24x64xf32>) -> tensor<24x64xf32>
  return %r : tensor<24x64xf32>
}

func.func @contract(%arg0: tensor<24x96xf32>, %arg1: tensor<64x96xf32>) -> tensor<24x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x64xf32>) -> tensor<24x64xf32>
  %r = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%arg0, %arg1 : tensor<24x96xf32>, tensor<64x96xf32>) outs(%f : tensor<24x64xf32>) -> tensor<24x64xf32>
  return %r : tensor<24x64xf32>
}

func.func @batch_reduce(%arg0: tensor<3x24x32xf32>, %arg1: tensor<3x32x64xf32>) -> tensor<24x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x64xf32>) -> tensor<24x64xf32>
  %r = linalg.batch_reduce_matmul ins(%arg0, %arg1 : tensor<3x24x32xf32>, tensor<3x32x64xf32>) outs(%f : tensor<24x64xf32>) -> tensor<24x64xf32>
  return %r : tensor<24x64xf32>
}

// Blocks of 8 x 32 and 32 x 16, packed by hand.
func.func @packed(%arg0: tensor<3x3x8x32xf32>, %arg1: tensor<4x3x32x16xf32>) -> tensor<3x4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4x8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4x8x16xf32>) -> tensor<3x4x8x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, k, m, n, l) -> (a, k, m, l)>, affine_map<(a, b, k, m, n, l) -> (b, k, l, n)>,
      affine_map<(a, b, k, m, n, l) -> (a, b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]}
      ins(%arg0, %arg1 : tensor<3x3x8x32xf32>, tensor<4x3x32x16xf32>) outs(%f : tensor<3x4x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x4x8x16xf32>
  return %r : tensor<3x4x8x16xf32>
}

// Pairs of k lie side by side in B, as VNNI instructions read them.
func.func @vnni(%arg0: tensor<3x3x8x16x2xbf16>, %arg1: tensor<4x3x16x16x2xbf16>) -> tensor<3x4x8x16xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<3x4x8x16xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<3x4x8x16xbf16>) -> tensor<3x4x8x16xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, k, m, n, l, v) -> (a, k, m, l, v)>, affine_map<(a, b, k, m, n, l, v) -> (b, k, l, n, v)>,
      affine_map<(a, b, k, m, n, l, v) -> (a, b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction", "reduction"]}
      ins(%arg0, %arg1 : tensor<3x3x8x16x2xbf16>, tensor<4x3x16x16x2xbf16>) outs(%f : tensor<3x4x8x16xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16):
    %0 = arith.mulf %a, %b : bf16
    %1 = arith.addf %c, %0 : bf16
    linalg.yield %1 : bf16
  } -> tensor<3x4x8x16xbf16>
  return %r : tensor<3x4x8x16xbf16>
}
