// RUN: kgen-opt "%s" --kgen-target=zen4 --kgen-assign-layouts=plan --kgen-decompose-attention=task-work=1000 --canonicalize --mlir-print-local-scope | FileCheck "%s"

// With dot products of bf16 (VNNI), as the plan says that kgen-assign-layouts wrote: Q is transposed in pairs along d, V as a whole. Probabilities are written in pairs of keys; the last
// pair has a zero. Weighted sums are [e, queries], and transposed when they are divided.
module {
// CHECK-LABEL: func.func @vnni
// CHECK-SAME:    (%{{.*}}: tensor<2x32x9xbf16>, %{{.*}}: tensor<2x45x9xbf16>, %[[V:.*]]: tensor<2x45x6xbf16>)
// CHECK:         %[[TRANSPOSED:.*]] = scf.forall (%[[I:.*]]) in (2) shared_outs(%{{.*}}) -> (tensor<2x6x48xbf16>)
// CHECK:           tensor.extract_slice %[[V]][%[[I]], 0, 0] [1, 45, 6] [1, 1, 1] : tensor<2x45x6xbf16> to tensor<45x6xbf16>
// CHECK:           arith.truncf %{{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK:         scf.forall
// CHECK:           vector.bitcast %{{.*}} : vector<32xbf16> to vector<16xi32>
// CHECK:           %[[Q:.*]] = tensor.expand_shape %{{.*}} output_shape [1, 5, 32, 2] : tensor<5x64xbf16> into tensor<1x5x32x2xbf16>
// CHECK:           tpp.gemm ins(%{{.*}}, %[[Q]] : tensor<45x9xbf16>, tensor<1x5x32x2xbf16>) outs(%{{.*}} : tensor<45x32xf32>)
// CHECK-SAME:        kgen.gemm_plan = #kgen.gemm_plan<form = "dot_product", {{[^>]*}}, depth = 2>, panel = 32 : i64, vnni = 2 : i64
// CHECK:           ^bb0(%[[SUM:.*]]: f32):
// CHECK:             arith.mulf %[[SUM]]
// CHECK:           kgen.exp2_or_zero
// CHECK:           arith.ori
// CHECK:           vector.bitcast %{{.*}} : vector<16xi32> to vector<32xbf16>
// CHECK:           %[[P:.*]] = tensor.expand_shape %{{.*}} output_shape [1, 23, 32, 2] : tensor<23x64xbf16> into tensor<1x23x32x2xbf16>
// CHECK:           tpp.gemm ins(%{{.*}}, %[[P]] : tensor<6x45xbf16>, tensor<1x23x32x2xbf16>) outs(%{{.*}} : tensor<6x32xf32>)
// CHECK:           linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
func.func @vnni(%q: tensor<2x32x9xbf16>, %k: tensor<2x45x9xbf16>, %v: tensor<2x45x6xbf16>) -> tensor<2x32x6xf32> {
  %r = kgen.attention ins(%q, %k, %v : tensor<2x32x9xbf16>, tensor<2x45x9xbf16>, tensor<2x45x6xbf16>)
      attributes {q_map = affine_map<(b, m, n, d, e) -> (b, m, d)>, k_map = affine_map<(b, m, n, d, e) -> (b, n, d)>, v_map = affine_map<(b, m, n, d, e) -> (b, n, e)>,
      epilogue_maps = [], result_map = affine_map<(b, m, n, d, e) -> (b, m, e)>, probability_type = bf16} {
  ^bb0(%p: f32):
    kgen.yield %p : f32
  } -> tensor<2x32x6xf32>
  return %r : tensor<2x32x6xf32>
}
}
