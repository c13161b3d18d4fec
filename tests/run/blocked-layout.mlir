// Two layers in blocks of 32: the matrices are packed, propagation leaves one pack and one unpack, each block is a
// batch-reduce GEMM. The results are those of plain loops.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 | FileCheck "%s" %}
// CHECK: 1 check holds
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<64x96xf32>, %w: tensor<96x128xf32>, %v: tensor<128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %xe = tensor.empty() : tensor<2x3x32x32xf32>
  %xp = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [32, 32] into %xe : tensor<64x96xf32> -> tensor<2x3x32x32xf32>
  %we = tensor.empty() : tensor<4x3x32x32xf32>
  %wp = linalg.pack %w outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [32, 32] into %we : tensor<96x128xf32> -> tensor<4x3x32x32xf32>
  %he = tensor.empty() : tensor<2x4x32x32xf32>
  %hz = linalg.fill ins(%zero : f32) outs(%he : tensor<2x4x32x32xf32>) -> tensor<2x4x32x32xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(mb, nb, kb, m, n, k) -> (mb, kb, m, k)>,
      affine_map<(mb, nb, kb, m, n, k) -> (nb, kb, k, n)>, affine_map<(mb, nb, kb, m, n, k) -> (mb, nb, m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]}
      ins(%xp, %wp : tensor<2x3x32x32xf32>, tensor<4x3x32x32xf32>) outs(%hz : tensor<2x4x32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<2x4x32x32xf32>
  %ue = tensor.empty() : tensor<64x128xf32>
  %u = linalg.unpack %h inner_dims_pos = [0, 1] inner_tiles = [32, 32] into %ue : tensor<2x4x32x32xf32> -> tensor<64x128xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%u : tensor<64x128xf32>) outs(%ue : tensor<64x128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.maximumf %p, %zero : f32
    linalg.yield %s : f32
  } -> tensor<64x128xf32>
  %ye = tensor.empty() : tensor<64x64xf32>
  %yz = linalg.fill ins(%zero : f32) outs(%ye : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = linalg.matmul ins(%r, %v : tensor<64x128xf32>, tensor<128x64xf32>) outs(%yz : tensor<64x64xf32>) -> tensor<64x64xf32>
  // The same by scalar loops.
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 64 : index
  %k = arith.constant 96 : index
  %n = arith.constant 128 : index
  %hidden = scf.for %i = %c0 to %m step %c1 iter_args(%ti = %ue) -> tensor<64x128xf32> {
    %tj = scf.for %j = %c0 to %n step %c1 iter_args(%tk = %ti) -> tensor<64x128xf32> {
      %sum = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %zero) -> f32 {
        %p = tensor.extract %x[%i, %l] : tensor<64x96xf32>
        %q = tensor.extract %w[%l, %j] : tensor<96x128xf32>
        %pq = arith.mulf %p, %q : f32
        %next = arith.addf %acc, %pq : f32
        scf.yield %next : f32
      }
      %relu = arith.maximumf %sum, %zero : f32
      %ins = tensor.insert %relu into %tk[%i, %j] : tensor<64x128xf32>
      scf.yield %ins : tensor<64x128xf32>
    }
    scf.yield %tj : tensor<64x128xf32>
  }
  %expected = scf.for %i = %c0 to %m step %c1 iter_args(%ti = %ye) -> tensor<64x64xf32> {
    %tj = scf.for %j = %c0 to %m step %c1 iter_args(%tk = %ti) -> tensor<64x64xf32> {
      %sum = scf.for %l = %c0 to %n step %c1 iter_args(%acc = %zero) -> f32 {
        %p = tensor.extract %hidden[%i, %l] : tensor<64x128xf32>
        %q = tensor.extract %v[%l, %j] : tensor<128x64xf32>
        %pq = arith.mulf %p, %q : f32
        %next = arith.addf %acc, %pq : f32
        scf.yield %next : f32
      }
      %ins = tensor.insert %sum into %tk[%i, %j] : tensor<64x64xf32>
      scf.yield %ins : tensor<64x64xf32>
    }
    scf.yield %tj : tensor<64x64xf32>
  }
  bench.expect_close %y, %expected {absolute = 1.0e-4, relative = 1.0e-4} : tensor<64x64xf32>
  return
}
