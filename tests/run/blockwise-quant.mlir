// Blocks given by hand: a matrix product on operands packed by 2 x 2 x 2 is that of the plain ones, bit by bit; a batch-reduce
// product with strides that are not those of its tiles; and a relu on part of a matrix, with NaN, infinity and -0.
// RUN: kgen-run "%s" --target x86-64-v2 | FileCheck "%s"
// RUN: kgen-run "%s" --target x86-64-v2 --reference | FileCheck "%s"
// RUN: %if x86-64-v3 %{ kgen-run "%s" --target x86-64-v3 | FileCheck "%s" %}
// RUN: %if x86-64-v4 %{ kgen-run "%s" --target x86-64-v4 | FileCheck "%s" %}
// CHECK: 3 checks hold
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %p: tensor<24x8x64xf32>, %q: tensor<8x64x32xf32>, %x: tensor<12x9xf32>) {
  %zero = arith.constant 0.0 : f32
  // Packed, multiplied, unpacked.
  %ae = tensor.empty() : tensor<2x4x2x2xf32>
  %ap = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %ae : tensor<4x8xf32> -> tensor<2x4x2x2xf32>
  %be = tensor.empty() : tensor<2x4x2x2xf32>
  %bp = linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %be : tensor<8x4xf32> -> tensor<2x4x2x2xf32>
  %ce = tensor.empty() : tensor<2x2x2x2xf32>
  %cz = linalg.fill ins(%zero : f32) outs(%ce : tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32>
  %cp = linalg.generic {indexing_maps = [affine_map<(mb, nb, kb, m, n, k) -> (mb, kb, m, k)>,
      affine_map<(mb, nb, kb, m, n, k) -> (nb, kb, k, n)>, affine_map<(mb, nb, kb, m, n, k) -> (mb, nb, m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]}
      ins(%ap, %bp : tensor<2x4x2x2xf32>, tensor<2x4x2x2xf32>) outs(%cz : tensor<2x2x2x2xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.mulf %u, %v : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<2x2x2x2xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %c = linalg.unpack %cp inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e : tensor<2x2x2x2xf32> -> tensor<4x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %plain = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  bench.expect_close %c, %plain {absolute = 1.0e-6, relative = 1.0e-6} : tensor<4x4xf32>

  // A is permuted: a step of the batch is one row of it.
  %re = tensor.empty() : tensor<24x32xf32>
  %rz = linalg.fill ins(%zero : f32) outs(%re : tensor<24x32xf32>) -> tensor<24x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, r, k) -> (m, r, k)>, affine_map<(m, n, r, k) -> (r, k, n)>,
      affine_map<(m, n, r, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %q : tensor<24x8x64xf32>, tensor<8x64x32xf32>) outs(%rz : tensor<24x32xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.mulf %u, %v : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<24x32xf32>
  %pf = tensor.collapse_shape %p [[0], [1, 2]] : tensor<24x8x64xf32> into tensor<24x512xf32>
  %qf = tensor.collapse_shape %q [[0, 1], [2]] : tensor<8x64x32xf32> into tensor<512x32xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 24 : index
  %n = arith.constant 32 : index
  %k = arith.constant 512 : index
  %d0 = arith.constant 0.0 : f64
  %expected = scf.for %i = %c0 to %m step %c1 iter_args(%ti = %re) -> tensor<24x32xf32> {
    %tj = scf.for %j = %c0 to %n step %c1 iter_args(%tk = %ti) -> tensor<24x32xf32> {
      %sum = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %d0) -> f64 {
        %u = tensor.extract %pf[%i, %l] : tensor<24x512xf32>
        %v = tensor.extract %qf[%l, %j] : tensor<512x32xf32>
        %u64 = arith.extf %u : f32 to f64
        %v64 = arith.extf %v : f32 to f64
        %uv = arith.mulf %u64, %v64 : f64
        %next = arith.addf %acc, %uv : f64
        scf.yield %next : f64
      }
      %f = arith.truncf %sum : f64 to f32
      %ins = tensor.insert %f into %tk[%i, %j] : tensor<24x32xf32>
      scf.yield %ins : tensor<24x32xf32>
    }
    scf.yield %tj : tensor<24x32xf32>
  }
  bench.expect_close %r, %expected {absolute = 1.0e-4, relative = 1.0e-4} : tensor<24x32xf32>

  // 9 x 6 of 12 x 9 elements, five of them special.
  %special = arith.constant dense<[[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, -1.0]]> : tensor<1x5xf32>
  %in = tensor.insert_slice %special into %x[4, 3] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<12x9xf32>
  %part = tensor.extract_slice %in[2, 3] [9, 6] [1, 1] : tensor<12x9xf32> to tensor<9x6xf32>
  %ye = tensor.empty() : tensor<9x6xf32>
  %relu = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%part : tensor<9x6xf32>) outs(%ye : tensor<9x6xf32>) {
  ^bb0(%u: f32, %o: f32):
    %s = arith.maximumf %u, %zero : f32
    linalg.yield %s : f32
  } -> tensor<9x6xf32>
  %back = tensor.insert_slice %relu into %in[2, 3] [9, 6] [1, 1] : tensor<9x6xf32> into tensor<12x9xf32>
  %first = arith.constant 2 : index
  %last = arith.constant 11 : index
  %left = arith.constant 3 : index
  %right = arith.constant 9 : index
  %scalar = scf.for %i = %first to %last step %c1 iter_args(%ti = %in) -> tensor<12x9xf32> {
    %tj = scf.for %j = %left to %right step %c1 iter_args(%tk = %ti) -> tensor<12x9xf32> {
      %u = tensor.extract %in[%i, %j] : tensor<12x9xf32>
      %negative = arith.cmpf olt, %u, %zero : f32
      %v = arith.select %negative, %zero, %u : f32
      %ins = tensor.insert %v into %tk[%i, %j] : tensor<12x9xf32>
      scf.yield %ins : tensor<12x9xf32>
    }
    scf.yield %tj : tensor<12x9xf32>
  }
  bench.expect_close %back, %scalar {absolute = 0.0, relative = 0.0} : tensor<12x9xf32>
  return
}
