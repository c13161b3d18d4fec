// RUN: kgen-opt "%s" --kgen-batch-reduce-to-matmul --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-recognize-batch-reduce --mlir-print-local-scope | FileCheck "%s" --check-prefix=FORM
// RUN: kgen-opt "%s" --kgen-recognize-batch-reduce=outer-loops --mlir-print-local-scope | FileCheck "%s" --check-prefix=LOOPS
// RUN: kgen-opt "%s" --kgen-matmul-to-batch-reduce=k-block=32 --mlir-print-local-scope | FileCheck "%s" --check-prefix=BLOCKS
// RUN: kgen-opt "%s" --kgen-matmul-to-batch-reduce --mlir-print-local-scope | FileCheck "%s" --check-prefix=TARGET
// Contractions over two reductions: without the one that has a single step, in one form, and made by blocking.

// CHECK-LABEL: func @one
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8x5xf32>) outs(%arg2 : tensor<4x5xf32>)
// What is left has A's rows and steps in another order than linalg.matmul.
// CHECK-LABEL: func @unit_k
// CHECK-NOT:     linalg.matmul
// CHECK:         iterator_types = ["reduction", "parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<3x5xf32>)
// CHECK-LABEL: func @blocked
// CHECK-NEXT:    linalg.generic {{.*}}"parallel", "parallel", "reduction", "parallel", "parallel", "reduction"
// CHECK-LABEL: func @three
// CHECK-NEXT:    linalg.generic
// CHECK-LABEL: func @plain
// CHECK-NEXT:    linalg.matmul

// FORM-LABEL: func @one
// FORM-NEXT:    linalg.batch_reduce_matmul
// FORM-LABEL: func @blocked
// FORM-NEXT:    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d4, d5, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
// FORM-LABEL: func @three
// FORM-NEXT:    linalg.batch_reduce_matmul ins(%arg0, %arg1
// Other operands than linalg.batch_reduce_matmul has, and other operations.
// FORM-LABEL: func @rows_first
// FORM-NEXT:    linalg.generic {{.*}}["parallel", "parallel", "reduction", "reduction"]
// FORM-LABEL: func @widening
// FORM-NOT:     linalg.batch_reduce_matmul
// FORM-LABEL: func @plain
// FORM-NEXT:    linalg.matmul

// LOOPS-LABEL: func @blocked
// LOOPS:         scf.forall ({{.*}}) in (4, 2)
// LOOPS:           linalg.batch_reduce_matmul ins({{.*}} : tensor<8x16x64xf32>, tensor<8x64x32xf32>) outs({{.*}} : tensor<16x32xf32>)

// BLOCKS-LABEL: func @one
// BLOCKS-NEXT:    linalg.batch_reduce_matmul
// BLOCKS-LABEL: func @plain
// BLOCKS:         %[[A:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [4, 3, 32]
// BLOCKS:         %[[B:.*]] = tensor.expand_shape %arg1 {{\[\[}}0, 1], [2]] output_shape [3, 32, 5]
// BLOCKS:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%[[A]], %[[B]]
// BLOCKS-LABEL: func @prime
// BLOCKS-NEXT:    linalg.matmul

// TARGET-LABEL: func @plain
// TARGET:         output_shape [4, 2, 48]
// TARGET-LABEL: func @prime
// TARGET-NEXT:    linalg.matmul

// A made-up target: an L2 of 256 KiB and a blocked layout.
module attributes {kgen.target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma",
    tune = "haswell", vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 262144,
    gemm_tiles = {block_layout_f32 = {m = 32 : i64, n = 64 : i64, k = 48 : i64}}>} {
func.func @one(%a: tensor<1x4x8xf32>, %b: tensor<1x8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.batch_reduce_matmul ins(%a, %b : tensor<1x4x8xf32>, tensor<1x8x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @unit_k(%a: tensor<3x4x1xf32>, %b: tensor<3x1x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(r, m, n, k) -> (r, m, k)>, affine_map<(r, m, n, k) -> (r, k, n)>, affine_map<(r, m, n, k) -> (m, n)>],
      iterator_types = ["reduction", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x4x1xf32>, tensor<3x1x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @blocked(%a: tensor<4x8x16x64xf32>, %b: tensor<2x8x64x32xf32>, %c: tensor<4x2x16x32xf32>) -> tensor<4x2x16x32xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, r, i, j, k) -> (m, r, i, k)>, affine_map<(m, n, r, i, j, k) -> (n, r, k, j)>, affine_map<(m, n, r, i, j, k) -> (m, n, i, j)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8x16x64xf32>, tensor<2x8x64x32xf32>) outs(%c : tensor<4x2x16x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x2x16x32xf32>
  return %r : tensor<4x2x16x32xf32>
}
func.func @three(%a: tensor<3x4x8xf32>, %b: tensor<3x8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(k, m, n, r) -> (r, m, k)>, affine_map<(k, m, n, r) -> (r, k, n)>, affine_map<(k, m, n, r) -> (m, n)>],
      iterator_types = ["reduction", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x4x8xf32>, tensor<3x8x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @rows_first(%a: tensor<4x3x8xf32>, %b: tensor<3x8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(r, m, n, k) -> (m, r, k)>, affine_map<(r, m, n, k) -> (r, k, n)>, affine_map<(r, m, n, k) -> (m, n)>],
      iterator_types = ["reduction", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x3x8xf32>, tensor<3x8x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @widening(%a: tensor<3x4x8xbf16>, %b: tensor<3x8x5xbf16>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(r, m, n, k) -> (r, m, k)>, affine_map<(r, m, n, k) -> (r, k, n)>, affine_map<(r, m, n, k) -> (m, n)>],
      iterator_types = ["reduction", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x4x8xbf16>, tensor<3x8x5xbf16>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%p: bf16, %q: bf16, %o: f32):
    %x = arith.extf %p : bf16 to f32
    %y = arith.extf %q : bf16 to f32
    %s = arith.mulf %x, %y : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @plain(%a: tensor<4x96xf32>, %b: tensor<96x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x96xf32>, tensor<96x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @prime(%a: tensor<4x97xf32>, %b: tensor<97x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x97xf32>, tensor<97x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
}
