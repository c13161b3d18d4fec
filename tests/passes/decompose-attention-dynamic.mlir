// Attention whose batch and length are known at run time.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-decompose-attention=task-work=1000 --canonicalize --cse --mlir-print-local-scope | FileCheck "%s"

// A task has one index of the batch and one head. Queries go in blocks of 32, then of a vector, the last of which
// is padded with zeros; keys in blocks of 128, then of 16, likewise.
// CHECK-LABEL: func.func @bert
// CHECK-SAME:    %[[BATCH:[a-z0-9]*]]: index {{{.*}}"batch"{{.*}}}, %[[LENGTH:[a-z0-9]*]]: index
// CHECK:         %[[OUT:.*]] = tensor.empty(%[[BATCH]], %[[LENGTH]]) : tensor<?x12x?x64xf32>
// CHECK:         scf.forall (%{{.*}}, %{{.*}}) in (%[[BATCH]], 12)
// CHECK:           scf.for {{.*}} step %c32
// CHECK:             linalg.fill {{.*}} -> tensor<32x64xf32>
// CHECK:             scf.for {{.*}} step %c128
// CHECK:               tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<128x64xf32>, tensor<64x32xf32>) epilogue_ins(%{{.*}} : tensor<128xf32>)
// CHECK:               tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<128x32xf32>, tensor<128x64xf32>) outs(%{{.*}} : tensor<32x64xf32>)
// CHECK:             scf.for {{.*}} step %c16
// CHECK:               tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<16x64xf32>, tensor<64x32xf32>) epilogue_ins(%{{.*}} : tensor<16xf32>)
// CHECK:             scf.for %[[FIRST:.*]] = {{.*}} step %c16
// CHECK:               %[[LEFT:.*]] = affine.apply affine_map<(d0)[s0] -> (-d0 + s0)>(%[[FIRST]])[%[[LENGTH]]]
// CHECK:               tensor.extract_slice %{{.*}} [1, 1, %[[LEFT]], 64] [1, 1, 1, 1] : tensor<?x12x?x64xf32> to tensor<?x64xf32>
// CHECK:               tensor.insert_slice %{{.*}} [%[[LEFT]], 64] [1, 1] : tensor<?x64xf32> into tensor<16x64xf32>
// CHECK:               tpp.gemm ins(%{{.*}}, %{{.*}} : tensor<16x64xf32>, tensor<64x32xf32>)
// CHECK:               scf.for %{{.*}} = %[[LEFT]] to %c16 step %c1
// CHECK:           scf.for {{.*}} step %c8
// CHECK:           scf.for %[[ROW:.*]] = {{.*}} step %c8
// CHECK:             tensor.insert_slice {{.*}} : tensor<?x64xf32> into tensor<8x64xf32>
// CHECK:             tensor.extract_slice {{.*}} : tensor<8x64xf32> to tensor<?x64xf32>
func.func @bert(%batch: index {kgen.size = #kgen.size<"batch", min = 1, max = 16, multiple = 1>},
    %length: index {kgen.size = #kgen.size<"length", min = 1, max = 512, multiple = 1>},
    %qm: memref<?x12x?x64xf32> {kgen.shape = affine_map<()[s0, s1] -> (s0, 12, s1, 64)>},
    %km: memref<?x12x?x64xf32> {kgen.shape = affine_map<()[s0, s1] -> (s0, 12, s1, 64)>},
    %vm: memref<?x12x?x64xf32> {kgen.shape = affine_map<()[s0, s1] -> (s0, 12, s1, 64)>},
    %am: memref<?x?xf32> {kgen.shape = affine_map<()[s0, s1] -> (s0, s1)>}) -> tensor<?x12x?x64xf32> {
  %q = bufferization.to_tensor %qm restrict : memref<?x12x?x64xf32> to tensor<?x12x?x64xf32>
  %k = bufferization.to_tensor %km restrict : memref<?x12x?x64xf32> to tensor<?x12x?x64xf32>
  %v = bufferization.to_tensor %vm restrict : memref<?x12x?x64xf32> to tensor<?x12x?x64xf32>
  %mask = bufferization.to_tensor %am restrict : memref<?x?xf32> to tensor<?x?xf32>
  %r = kgen.attention ins(%q, %k, %v : tensor<?x12x?x64xf32>, tensor<?x12x?x64xf32>, tensor<?x12x?x64xf32>) epilogue_ins(%mask : tensor<?x?xf32>)
      attributes {q_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>, k_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>,
      v_map = affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>, epilogue_maps = [affine_map<(b, h, m, n, d, e) -> (b, n)>],
      result_map = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>} {
  ^bb0(%p: f32, %a: f32):
    %s = arith.addf %p, %a : f32
    kgen.yield %s : f32
  } -> tensor<?x12x?x64xf32>
  return %r : tensor<?x12x?x64xf32>
}
