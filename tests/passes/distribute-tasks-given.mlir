// The pass makes tasks of the tiles that are written on operations, however small, and decides nothing.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --kgen-distribute-tasks | FileCheck "%s"

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @grid
// CHECK: scf.forall (%{{.*}}) = (0) to (96) step (48) shared_outs
// CHECK: math.exp
// CHECK: tpp.gemm ins({{.*}} : tensor<48x16xf32>, tensor<4x16x32xf32>)
func.func @grid(%x: tensor<96x16xf32>, %b: tensor<4x16x32xf32>, %c: tensor<96x128xf32>) -> tensor<96x128xf32> {
  %e = tensor.empty() : tensor<96x16xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<96x16xf32>) outs(%e : tensor<96x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = math.exp %p : f32
    linalg.yield %t : f32
  } -> tensor<96x16xf32>
  %r = tpp.gemm ins(%a, %b : tensor<96x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<96x128xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32, lowering_config = #kgen.lowering_config<distribution = [48, 0, 0]>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<96x128xf32>
  return %r : tensor<96x128xf32>
}

// Tiles that do not divide a loop: a grid of whole ones, one of what is left. A producer that stays whole is in neither.
// CHECK-LABEL: func @uneven
// CHECK: math.exp
// CHECK: scf.forall (%{{.*}}) = (0) to (80) step (40)
// CHECK-NOT: math.exp
// CHECK: {mapping = [#kgen.grid_partition]}
// CHECK: scf.forall (%{{.*}}) = (80) to (96) step (16)
// CHECK: {mapping = [#kgen.grid_partition]}
func.func @uneven(%x: tensor<96x16xf32>, %b: tensor<4x16x32xf32>, %c: tensor<96x128xf32>) -> tensor<96x128xf32> {
  %e = tensor.empty() : tensor<96x16xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<96x16xf32>) outs(%e : tensor<96x16xf32>)
      attrs = {lowering_config = #kgen.lowering_config<distribution = [0, 0]>} {
  ^bb0(%p: f32, %o: f32):
    %t = math.exp %p : f32
    linalg.yield %t : f32
  } -> tensor<96x16xf32>
  %r = tpp.gemm ins(%a, %b : tensor<96x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<96x128xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32, lowering_config = #kgen.lowering_config<distribution = [40, 0, 0]>} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<96x128xf32>
  return %r : tensor<96x128xf32>
}

// CHECK-LABEL: func @undecided
// CHECK-NOT: scf.forall
// CHECK: return
func.func @undecided(%a: tensor<4096x1024xf32>, %b: tensor<4x1024x32xf32>, %c: tensor<4096x128xf32>) -> tensor<4096x128xf32> {
  %r = tpp.gemm ins(%a, %b : tensor<4096x1024xf32>, tensor<4x1024x32xf32>) outs(%c : tensor<4096x128xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<4096x128xf32>
  return %r : tensor<4096x128xf32>
}
