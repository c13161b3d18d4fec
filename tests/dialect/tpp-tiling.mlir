// RUN: kgen-opt "%s" --transform-interpreter --canonicalize --split-input-file --mlir-print-local-scope | FileCheck "%s"
// Upstream's tiling cuts tile operations by their interface: a tile is the same operation on slices.

// Rows and columns; an epilogue operand is cut with the dimensions that it has.
// CHECK-LABEL: func.func @gemm
// CHECK:         scf.for %[[I:.*]] = %{{.*}} iter_args(
// CHECK:           scf.for %[[J:.*]] = %{{.*}} iter_args(%[[C:.*]] = %{{.*}})
// CHECK-DAG:         %[[A:.*]] = tensor.extract_slice %{{.*}}[%[[I]], 0] [4, 6] [1, 1] : tensor<8x6xf32>
// CHECK-DAG:         %[[B:.*]] = tensor.extract_slice %{{.*}}[0, %[[J]]] [6, 16] [1, 1] : tensor<6x32xf32>
// CHECK-DAG:         %[[X:.*]] = tensor.extract_slice %{{.*}}[%[[J]]] [16] [1] : tensor<32xf32>
// CHECK-DAG:         %[[E:.*]] = tensor.extract_slice %[[C]][%[[I]], %[[J]]] [4, 16] [1, 1]
// CHECK:             %[[R:.*]] = tpp.gemm ins(%[[A]], %[[B]] : {{.*}}) epilogue_ins(%[[X]] : tensor<16xf32>) outs(%[[E]] : tensor<4x16xf32>)
// CHECK:               arith.addf
// CHECK:             tensor.insert_slice %[[R]] into %[[C]][%[[I]], %[[J]]]
module attributes {transform.with_named_sequence} {
  func.func @gemm(%a: tensor<8x6xf32>, %b: tensor<6x32xf32>, %x: tensor<32xf32>, %c: tensor<8x32xf32>) -> tensor<8x32xf32> {
    %r = tpp.gemm ins(%a, %b : tensor<8x6xf32>, tensor<6x32xf32>) epilogue_ins(%x : tensor<32xf32>) outs(%c : tensor<8x32xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [affine_map<(m, n) -> (n)>]} {
    ^bb0(%acc: f32, %y: f32):
      %s = arith.addf %acc, %y : f32
      tpp.yield %s : f32
    } -> tensor<8x32xf32>
    return %r : tensor<8x32xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tpp.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loops:2 = transform.structured.tile_using_for %op tile_sizes [4, 16, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Panels are cut whole; products are added up in every tile.
// CHECK-LABEL: func.func @brgemm_panels
// CHECK:         scf.forall (%[[J:.*]]) in (2)
// CHECK:           %[[P:.*]] = affine.apply affine_map<(d0) -> (d0 * 2)>(%[[J]])
// CHECK:           tensor.extract_slice %{{.*}}[0, %[[P]], 0, 0, 0] [3, 2, 4, 16, 2] {{.*}} : tensor<3x4x4x16x2xbf16>
// CHECK:           tpp.brgemm {{.*}} : tensor<3x8x7xbf16>, tensor<3x2x4x16x2xbf16>) outs(%{{.*}} : tensor<8x32xf32>)
module attributes {transform.with_named_sequence} {
  func.func @brgemm_panels(%a: tensor<3x8x7xbf16>, %b: tensor<3x4x4x16x2xbf16>, %c: tensor<8x64xf32>) -> tensor<8x64xf32> {
    %r = tpp.brgemm ins(%a, %b : tensor<3x8x7xbf16>, tensor<3x4x4x16x2xbf16>) outs(%c : tensor<8x64xf32>)
        attributes {a_map = affine_map<(m, n, r, k) -> (r, m, k)>, b_map = affine_map<(m, n, r, k) -> (r, k, n)>, epilogue_maps = [], panel = 16 : i64, vnni = 2 : i64} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<8x64xf32>
    return %r : tensor<8x64xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tpp.brgemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_forall %op tile_sizes [0, 32, 0, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// What only adds to C may be cut along what is summed over.
// CHECK-LABEL: func.func @depth
// CHECK:         scf.for %[[K:.*]] = %{{.*}} iter_args(%[[C:.*]] = %{{.*}})
// CHECK:           %[[A:.*]] = tensor.extract_slice %{{.*}}[0, %[[K]]] [8, 16]
// CHECK:           %[[B:.*]] = tensor.extract_slice %{{.*}}[%[[K]], 0] [16, 32]
// CHECK:           %[[R:.*]] = tpp.gemm ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}}) attributes {{.*}}accumulate
// CHECK:           scf.yield %[[R]]
module attributes {transform.with_named_sequence} {
  func.func @depth(%a: tensor<8x64xf32>, %b: tensor<64x32xf32>, %c: tensor<8x32xf32>) -> tensor<8x32xf32> {
    %r = tpp.gemm ins(%a, %b : tensor<8x64xf32>, tensor<64x32xf32>) outs(%c : tensor<8x32xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], accumulate} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<8x32xf32>
    return %r : tensor<8x32xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tpp.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// As a producer, a gemm is computed for the tile that its consumer asks for.
// CHECK-LABEL: func.func @fused
// CHECK:         scf.forall
// CHECK:           tpp.gemm {{.*}} outs(%{{.*}} : tensor<4x32xf32>)
// CHECK:           linalg.exp {{.*}} outs(%{{.*}} : tensor<4x32xf32>)
module attributes {transform.with_named_sequence} {
  func.func @fused(%a: tensor<8x64xf32>, %b: tensor<64x32xf32>, %c: tensor<8x32xf32>, %d: tensor<8x32xf32>) -> tensor<8x32xf32> {
    %r = tpp.gemm ins(%a, %b : tensor<8x64xf32>, tensor<64x32xf32>) outs(%c : tensor<8x32xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<8x32xf32>
    %e = linalg.exp ins(%r : tensor<8x32xf32>) outs(%d : tensor<8x32xf32>) -> tensor<8x32xf32>
    return %e : tensor<8x32xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %exp = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %gemm = transform.structured.match ops{["tpp.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_forall %exp tile_sizes [4, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %fused, %new = transform.structured.fuse_into_containing_op %gemm into %loop : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// 16 x 1024 by 1024 x 33 in tiles of 2 x 4 by 4 x 3: tile sizes that divide m, n and k.
// CHECK-LABEL: func.func @matmul_16x1024x33
// CHECK-SAME:    %[[A:.*]]: tensor<16x1024xf32>, %[[B:.*]]: tensor<1024x33xf32>, %[[C:.*]]: tensor<16x33xf32>
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[C]])
// CHECK:           scf.for %[[J:.*]] = %{{.*}} iter_args
// CHECK:             scf.for %[[K:.*]] = %{{.*}} iter_args(%[[T:.*]] =
// CHECK-DAG:           %[[AT:.*]] = tensor.extract_slice %[[A]][%[[I]], %[[K]]] [2, 4] [1, 1] : tensor<16x1024xf32> to tensor<2x4xf32>
// CHECK-DAG:           %[[BT:.*]] = tensor.extract_slice %[[B]][%[[K]], %[[J]]] [4, 3] [1, 1] : tensor<1024x33xf32> to tensor<4x3xf32>
// CHECK-DAG:           %[[CT:.*]] = tensor.extract_slice %[[T]][%[[I]], %[[J]]] [2, 3] [1, 1] : tensor<16x33xf32> to tensor<2x3xf32>
// CHECK:               %[[R:.*]] = tpp.gemm ins(%[[AT]], %[[BT]] : tensor<2x4xf32>, tensor<4x3xf32>) outs(%[[CT]] : tensor<2x3xf32>) attributes {{.*}}accumulate
// CHECK:               tensor.insert_slice %[[R]] into %[[T]][%[[I]], %[[J]]] [2, 3] [1, 1]
module attributes {transform.with_named_sequence} {
  func.func @matmul_16x1024x33(%a: tensor<16x1024xf32>, %b: tensor<1024x33xf32>, %c: tensor<16x33xf32>) -> tensor<16x33xf32> {
    %r = tpp.gemm ins(%a, %b : tensor<16x1024xf32>, tensor<1024x33xf32>) outs(%c : tensor<16x33xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], accumulate} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<16x33xf32>
    return %r : tensor<16x33xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tpp.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loops:3 = transform.structured.tile_using_for %op tile_sizes [2, 3, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
