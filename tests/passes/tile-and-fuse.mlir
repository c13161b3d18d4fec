// Grids of tasks: rows before panels, producers that each task needs a part of, and what stays whole.
// RUN: kgen-opt "%s" --split-input-file --kgen-tile-and-fuse="task-work=1024" --cse --canonicalize | FileCheck "%s"
// RUN: kgen-opt "%s" --split-input-file --kgen-tile-and-fuse="task-work=100000000" | FileCheck "%s" --check-prefix=LITTLE

// LITTLE-NOT: scf.forall

#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 262144, blocks = {gemm_f32 = {mr = 6 : i64, nr = 16 : i64, mc = 48 : i64, kc = 1024 : i64}}>
module attributes {kgen.target = #target} {
// CHECK-LABEL: func @grid
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (96, 128) step (24, 32) shared_outs
// CHECK: tensor.extract_slice %{{.*}}[%[[I]], 0] [24, 16]
// CHECK: %[[P:.*]] = affine.apply {{.*}}(%[[J]])
// CHECK: tensor.extract_slice %{{.*}}[%[[P]], 0, 0] [1, 16, 32]
// CHECK: tpp.gemm ins({{.*}} : tensor<24x16xf32>, tensor<1x16x32xf32>) outs({{.*}} : tensor<24x32xf32>)
func.func @grid(%a: tensor<96x16xf32>, %b: tensor<4x16x32xf32>, %c: tensor<96x128xf32>) -> tensor<96x128xf32> {
  %r = tpp.gemm ins(%a, %b : tensor<96x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<96x128xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, extra_maps = [], panel = 32} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<96x128xf32>
  return %r : tensor<96x128xf32>
}
}

// -----

#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 262144, blocks = {gemm_f32 = {mr = 6 : i64, nr = 16 : i64, mc = 48 : i64, kc = 1024 : i64}}>
#id3 = affine_map<(i, j, k) -> (i, j, k)>
#id2 = affine_map<(i, j) -> (i, j)>
module attributes {kgen.target = #target} {
// The producer of A is needed by one task in each part: it moves into the loop. That of B is needed whole by all.
// CHECK-LABEL: func @producers
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<16x8xf32>)
// CHECK: scf.forall (%{{.*}}) = (0) to (8) step (2) shared_outs
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<2x16x16xf32>)
// CHECK: tpp.gemm ins({{.*}} : tensor<2x16x16xf32>, tensor<16x8xf32>) outs({{.*}} : tensor<2x16x8xf32>)
// CHECK-NOT: linalg.generic
func.func @producers(%x: tensor<8x16x16xf32>, %y: tensor<16x8xf32>) -> tensor<8x16x8xf32> {
  %e = tensor.empty() : tensor<8x16x16xf32>
  %a = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<8x16x16xf32>) outs(%e : tensor<8x16x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x16x16xf32>
  %f = tensor.empty() : tensor<16x8xf32>
  %b = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<16x8xf32>) outs(%f : tensor<16x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.mulf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  %c = tensor.empty() : tensor<8x16x8xf32>
  %r = tpp.gemm ins(%a, %b : tensor<8x16x16xf32>, tensor<16x8xf32>) outs(%c : tensor<8x16x8xf32>)
      attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (k, n)>, extra_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<8x16x8xf32>
  return %r : tensor<8x16x8xf32>
}
}

// -----

#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 262144, blocks = {}>
#id = affine_map<(i, j) -> (i, j)>
module attributes {kgen.target = #target} {
// A producer with another user is cut on its own; prime sizes stay whole; sums are not cut.
// CHECK-LABEL: func @kept
// CHECK: scf.forall (%{{.*}}) in (8) shared_outs
// CHECK: math.exp
// CHECK: scf.forall (%{{.*}}) = (0) to (8) step (4) shared_outs
// CHECK-NOT: math.exp
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x64xf32>) outs(%{{.*}} : tensor<4xf32>)
// CHECK-LABEL: func @prime
// CHECK-NOT: scf.forall
// CHECK: return
func.func @kept(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8x64xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = math.exp %p : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  %f = tensor.empty() : tensor<8xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x64xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %a, %r : tensor<8x64xf32>, tensor<8xf32>
}
func.func @prime(%x: tensor<127x31xf32>, %y: tensor<31x13xf32>, %c: tensor<127x13xf32>) -> tensor<127x13xf32> {
  %r = tpp.gemm ins(%x, %y : tensor<127x31xf32>, tensor<31x13xf32>) outs(%c : tensor<127x13xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, extra_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<127x13xf32>
  return %r : tensor<127x13xf32>
}
}
