// A loop whose size is known at run time: tiles are static, and the last one has what is left.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-distribute-tasks --kgen-resolve-sizes --canonicalize --mlir-print-local-scope --split-input-file | FileCheck "%s"

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[B:[a-z0-9]+]]: index
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (%[[B]], 128) step (48, 64) shared_outs
// CHECK:           %[[SIZE:.*]] = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 48)>(%[[I]])[%[[B]]]
// CHECK:           tensor.extract_slice %{{.*}}[%[[I]], 0] [%[[SIZE]], 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
// CHECK:           tpp.gemm ins({{.*}} : tensor<?x16xf32>, tensor<2x16x32xf32>) outs({{.*}} : tensor<?x64xf32>)
func.func @rows(%batch: index {kgen.size = #kgen.size<"batch", min = 1, max = 128, multiple = 1>},
    %x: memref<?x16xf32> {kgen.shape = affine_map<()[s0] -> (s0, 16)>}, %b: tensor<4x16x32xf32>) -> tensor<?x128xf32> {
  %a = bufferization.to_tensor %x restrict : memref<?x16xf32> to tensor<?x16xf32>
  %c = tensor.empty(%batch) : tensor<?x128xf32>
  %r = tpp.gemm ins(%a, %b : tensor<?x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<?x128xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32, lowering_config = #kgen.lowering_config<distribution = [48, 64, 0]>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// -----

// If tiles divide all sizes that there can be, all of them are whole.
// CHECK-LABEL: func.func @multiple(
// CHECK-NOT:     affine.min
// CHECK:         tpp.gemm ins({{.*}} : tensor<48x16xf32>, tensor<4x16x32xf32>) outs({{.*}} : tensor<48x128xf32>)
func.func @multiple(%batch: index {kgen.size = #kgen.size<"batch", min = 48, max = 144, multiple = 48>},
    %x: memref<?x16xf32> {kgen.shape = affine_map<()[s0] -> (s0, 16)>}, %b: tensor<4x16x32xf32>) -> tensor<?x128xf32> {
  %a = bufferization.to_tensor %x restrict : memref<?x16xf32> to tensor<?x16xf32>
  %c = tensor.empty(%batch) : tensor<?x128xf32>
  %r = tpp.gemm ins(%a, %b : tensor<?x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<?x128xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32, lowering_config = #kgen.lowering_config<distribution = [48, 0, 0]>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// -----

// A loop that stays whole beside one that is tiled.
// CHECK-LABEL: func.func @whole_rows(
// CHECK-SAME:    %[[B:[a-z0-9]+]]: index
// CHECK:         scf.forall (%{{.*}}) = (0) to (128) step (64) shared_outs
// CHECK:           tpp.gemm ins({{.*}} : tensor<?x16xf32>, tensor<2x16x32xf32>) outs({{.*}} : tensor<?x64xf32>)
func.func @whole_rows(%batch: index {kgen.size = #kgen.size<"batch", min = 1, max = 128, multiple = 1>},
    %x: memref<?x16xf32> {kgen.shape = affine_map<()[s0] -> (s0, 16)>}, %b: tensor<4x16x32xf32>) -> tensor<?x128xf32> {
  %a = bufferization.to_tensor %x restrict : memref<?x16xf32> to tensor<?x16xf32>
  %c = tensor.empty(%batch) : tensor<?x128xf32>
  %r = tpp.gemm ins(%a, %b : tensor<?x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<?x128xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32, lowering_config = #kgen.lowering_config<distribution = [0, 64, 0]>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}
