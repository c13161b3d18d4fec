// RUN: kgen-opt "%s" --kgen-normalize-contractions --mlir-print-local-scope | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-normalize-contractions=outer-loops --mlir-print-local-scope | FileCheck "%s" --check-prefix=LOOPS

// CHECK-LABEL: func @unit_batch
// CHECK:         %[[A:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32>
// CHECK:         %[[B:.*]] = tensor.collapse_shape %arg1
// CHECK:         %[[C:.*]] = tensor.collapse_shape %arg2
// CHECK:         %[[R:.*]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<4x8xf32>, tensor<8x5xf32>) outs(%[[C]] : tensor<4x5xf32>)
// CHECK:         tensor.expand_shape %[[R]] {{.*}} : tensor<4x5xf32> into tensor<1x4x5xf32>

// A batch that shares its B becomes rows.
// CHECK-LABEL: func @shared_b
// CHECK:         %[[A:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : tensor<3x4x8xf32> into tensor<12x8xf32>
// CHECK:         linalg.matmul ins(%[[A]], %arg1 : tensor<12x8xf32>, tensor<8x5xf32>)

// CHECK-LABEL: func @broadcast_b
// CHECK:         linalg.matmul ins(%{{.*}}, %arg1 : tensor<12x8xf32>, tensor<8x5xf32>)

// A batch with a B for each of its elements stays.
// CHECK-LABEL: func @batch
// CHECK-NEXT:    linalg.batch_matmul ins(%arg0, %arg1

// A has rows and batch in another order than C.
// CHECK-LABEL: func @transposed_batch
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<4x3x8xf32>, tensor<8x5xf32>)

// CHECK-LABEL: func @integers
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<4x8xi8>, tensor<8x5xi8>) outs(%{{.*}} : tensor<4x5xi32>)

// CHECK-LABEL: func @unit_reduction
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8x5xf32>) outs(%arg2 : tensor<4x5xf32>)
// The remaining operands have the rows and the reduction of A in another order than linalg.matmul.
// CHECK-LABEL: func @unit_k
// CHECK-NOT:     linalg.matmul
// CHECK:         iterator_types = ["reduction", "parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<3x5xf32>)

// Batch-reduce contractions have the loops (batch..., m, n, r, k), and a name if the operands allow it.
// CHECK-LABEL: func @blocked
// CHECK-NEXT:    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d4, d5, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
// CHECK-LABEL: func @named
// CHECK-NEXT:    linalg.batch_reduce_matmul ins(%arg0, %arg1
// Other operands than linalg.batch_reduce_matmul has, and other operations.
// CHECK-LABEL: func @rows_first
// CHECK-NEXT:    linalg.generic {{.*}}["parallel", "parallel", "reduction", "reduction"]
// CHECK-LABEL: func @bf16
// CHECK-NEXT:    linalg.generic
// CHECK-LABEL: func @named_bf16
// CHECK-NEXT:    linalg.batch_reduce_matmul
// CHECK-LABEL: func @plain
// CHECK-NEXT:    linalg.matmul

// LOOPS-LABEL: func @blocked
// LOOPS:         scf.forall ({{.*}}) in (4, 2)
// LOOPS:           linalg.batch_reduce_matmul ins({{.*}} : tensor<8x16x64xf32>, tensor<8x64x32xf32>) outs({{.*}} : tensor<16x32xf32>)

func.func @unit_batch(%a: tensor<1x4x8xf32>, %b: tensor<1x8x5xf32>, %c: tensor<1x4x5xf32>) -> tensor<1x4x5xf32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<1x4x8xf32>, tensor<1x8x5xf32>) outs(%c : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  return %r : tensor<1x4x5xf32>
}
func.func @shared_b(%a: tensor<3x4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<3x4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}
func.func @broadcast_b(%a: tensor<3x4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %e = tensor.empty() : tensor<3x8x5xf32>
  %b3 = linalg.broadcast ins(%b : tensor<8x5xf32>) outs(%e : tensor<3x8x5xf32>) dimensions = [0]
  %r = linalg.batch_matmul ins(%a, %b3 : tensor<3x4x8xf32>, tensor<3x8x5xf32>) outs(%c : tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}
func.func @batch(%a: tensor<3x4x8xf32>, %b: tensor<3x8x5xf32>, %c: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<3x4x8xf32>, tensor<3x8x5xf32>) outs(%c : tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}
func.func @transposed_batch(%a: tensor<4x3x8xf32>, %b: tensor<8x5xf32>, %c: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x3x8xf32>, tensor<8x5xf32>) outs(%c : tensor<3x4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}
func.func @integers(%a: tensor<1x4x8xi8>, %b: tensor<1x8x5xi8>, %c: tensor<1x4x5xi32>) -> tensor<1x4x5xi32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<1x4x8xi8>, tensor<1x8x5xi8>) outs(%c : tensor<1x4x5xi32>) -> tensor<1x4x5xi32>
  return %r : tensor<1x4x5xi32>
}
func.func @unit_reduction(%a: tensor<1x4x8xf32>, %b: tensor<1x8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
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
func.func @named(%a: tensor<3x4x8xf32>, %b: tensor<3x8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
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
func.func @bf16(%a: tensor<3x4x8xbf16>, %b: tensor<3x8x5xbf16>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
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
func.func @named_bf16(%a: tensor<3x4x8xbf16>, %b: tensor<3x8x5xbf16>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.batch_reduce_matmul ins(%a, %b : tensor<3x4x8xbf16>, tensor<3x8x5xbf16>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @plain(%a: tensor<4x96xf32>, %b: tensor<96x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x96xf32>, tensor<96x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
