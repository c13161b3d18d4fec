// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-decompose-attention --canonicalize --mlir-print-local-scope | FileCheck "%s"

// Two queries read blocks of 32 keys up to what is filled: all of whole blocks, then a block with keys that are hidden. Lanes are
// elements of keys for the products, keys for their exponentials, elements of values for the sums of these.
// CHECK-LABEL: func.func @filled
// CHECK:         %[[COUNT:.*]] = tensor.extract %arg3[%[[B:.*]]] : tensor<3xi64>
// CHECK:         %[[INDEX:.*]] = arith.index_cast %[[COUNT]] : i64 to index
// CHECK:         %[[WHOLE:.*]] = affine.apply affine_map<()[s0] -> ((s0 floordiv 32) * 32)>
// CHECK:         scf.for %[[KEY:.*]] = %c0 to %[[WHOLE]] step %c32
// CHECK:           vector.transfer_read %arg1[%[[B]], %[[KEY]], %c0]
// CHECK:           vector.fma
// CHECK:           vector.shuffle
// CHECK:           kgen.exp2_or_zero
// CHECK:           scf.for %[[I:.*]] = %c0 to %c32 step %c1
// CHECK:             vector.transfer_read %arg2
// CHECK:             vector.fma
// CHECK:         scf.for %{{.*}} = %[[WHOLE]] to %{{.*}} step %c32
// CHECK:           arith.minsi
// CHECK:           arith.cmpi {{slt|sgt}}, %{{.*}} : vector<8xi32>
// CHECK:           kgen.exp2_or_zero
// CHECK:         arith.divf
func.func @filled(%q: tensor<3x2x8xf32>, %k: tensor<3x40x8xf32>, %v: tensor<3x40x8xf32>, %filled: tensor<3xi64>) -> tensor<3x2x8xf32> {
  %r = kgen.attention ins(%q, %k, %v : tensor<3x2x8xf32>, tensor<3x40x8xf32>, tensor<3x40x8xf32>) key_counts(%filled : tensor<3xi64>)
      attributes {q_map = affine_map<(b, m, n, d, e) -> (b, m, d)>, k_map = affine_map<(b, m, n, d, e) -> (b, n, d)>, v_map = affine_map<(b, m, n, d, e) -> (b, n, e)>,
      counts_map = affine_map<(b, m, n, d, e) -> (b)>, epilogue_maps = [], result_map = affine_map<(b, m, n, d, e) -> (b, m, e)>, masked_to_zero} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<3x2x8xf32>
  return %r : tensor<3x2x8xf32>
}

// Keys that do not fit L2 are prefetched, a block before they are read.
// CHECK-LABEL: func.func @distant
// CHECK:         %[[K:.*]] = bufferization.to_buffer %arg1 read_only
// CHECK:         memref.prefetch %[[K]]
func.func @distant(%q: tensor<12x1x64xf32>, %k: tensor<4096x12x64xf32>, %v: tensor<4096x12x64xf32>, %filled: tensor<i64>) -> tensor<12x1x64xf32> {
  %r = kgen.attention ins(%q, %k, %v : tensor<12x1x64xf32>, tensor<4096x12x64xf32>, tensor<4096x12x64xf32>) key_counts(%filled : tensor<i64>)
      attributes {q_map = affine_map<(b, m, n, d, e) -> (b, m, d)>, k_map = affine_map<(b, m, n, d, e) -> (n, b, d)>, v_map = affine_map<(b, m, n, d, e) -> (n, b, e)>,
      counts_map = affine_map<(b, m, n, d, e) -> ()>, epilogue_maps = [], result_map = affine_map<(b, m, n, d, e) -> (b, m, e)>} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<12x1x64xf32>
  return %r : tensor<12x1x64xf32>
}
