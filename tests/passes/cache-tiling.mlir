// Chains that read rows several times, in tiles of rows that the L1 holds.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --kgen-select-tiling=level=cache --kgen-cache-tiling --cse --canonicalize | FileCheck "%s"

// A made-up target: an L2 of 256 KiB.
#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 262144, gemm_tiles = {}>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
module attributes {kgen.target = #target} {
// Half of the L1, 16384 bytes, holds 4 rows of 400 elements of x, as many of the result, and a sum for each.
// CHECK-LABEL: func @sums
// CHECK: scf.for %[[I:.*]] = %c0 to %c128 step %c4
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[%[[I]], 0] [4, 400]
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x400xf32>) outs(%{{.*}} : tensor<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[S]] : tensor<4x400xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<4x400xf32>)
// CHECK: tensor.insert_slice
func.func @sums(%x: tensor<128x400xf32>) -> tensor<128x400xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<128x400xf32>) outs(%z : tensor<128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<128xf32>
  %f = tensor.empty() : tensor<128x400xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<128x400xf32>, tensor<128xf32>) outs(%f : tensor<128x400xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<128x400xf32>
  return %r : tensor<128x400xf32>
}

// A vertical reduction of the second dimension: it stays whole, and the third one is tiled. A quarter of the L2, 65536
// bytes, holds 7 columns of 64 by 16 numbers of x and of the result each, with their sums, and 5 divides the 40.
// CHECK-LABEL: func @vertical_reduction
// CHECK: scf.for %[[B:.*]] = %c0 to %c2 step %c1
// CHECK: scf.for %[[I:.*]] = %c0 to %c40 step %c5
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[%[[B]], 0, %[[I]], 0] [1, 64, 5, 16]
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<1x64x5x16xf32>) outs(%{{.*}} : tensor<1x5x16xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[S]] :
// CHECK: tensor.insert_slice
func.func @vertical_reduction(%x: tensor<2x64x40x16xf32>) -> tensor<2x64x40x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x40x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x40x16xf32>) -> tensor<2x40x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, c, i, j) -> (b, c, i, j)>, affine_map<(b, c, i, j) -> (b, i, j)>],
                       iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
      ins(%x : tensor<2x64x40x16xf32>) outs(%z : tensor<2x40x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x40x16xf32>
  %f = tensor.empty() : tensor<2x64x40x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, c, i, j) -> (b, c, i, j)>, affine_map<(b, c, i, j) -> (b, i, j)>,
                                        affine_map<(b, c, i, j) -> (b, c, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<2x64x40x16xf32>, tensor<2x40x16xf32>) outs(%f : tensor<2x64x40x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<2x64x40x16xf32>
  return %r : tensor<2x64x40x16xf32>
}

// The same with contiguous columns: they are tiled in multiples of 256 bytes. Half of the L2, 131072
// bytes, holds 64 columns of x and of the result, with their sums, but not 128.
// CHECK-LABEL: func @wide_columns
// CHECK: scf.for %[[J:.*]] = %c0 to %c512 step %c64
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[0, %[[J]]] [128, 64]
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<128x64xf32>) outs(%{{.*}} : tensor<64xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[S]] : tensor<128x64xf32>, tensor<64xf32>) outs(%{{.*}} : tensor<128x64xf32>)
// CHECK: tensor.insert_slice
func.func @wide_columns(%x: tensor<128x512xf32>) -> tensor<128x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %s = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<128x512xf32>) outs(%z : tensor<512xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<512xf32>
  %f = tensor.empty() : tensor<128x512xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<128x512xf32>, tensor<512xf32>) outs(%f : tensor<128x512xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<128x512xf32>
  return %r : tensor<128x512xf32>
}

// An intermediate result counts once: 128 rows of 64 elements of x, of the intermediate and of the final result, with sums.
// Half of the L1, 16384 bytes, holds 16 rows of these three, and not 32.
// CHECK-LABEL: func @intermediate
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c16
func.func @intermediate(%x: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %e1 = tensor.empty() : tensor<128x64xf32>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x64xf32>) outs(%e1 : tensor<128x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.negf %p : f32
    linalg.yield %t : f32
  } -> tensor<128x64xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%m : tensor<128x64xf32>) outs(%z : tensor<128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<128xf32>
  %f = tensor.empty() : tensor<128x64xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m, %s : tensor<128x64xf32>, tensor<128xf32>) outs(%f : tensor<128x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<128x64xf32>
  return %r : tensor<128x64xf32>
}

// A task for one of several batches: its rows are tiled, although the results of row reductions are tiled along their only dimension.
// CHECK-LABEL: func @batch
// CHECK: scf.for %[[I:.*]] = %c0 to %c128 step %c4
// CHECK: tensor.extract_slice %arg0[0, %[[I]], 0] [1, 4, 400]
func.func @batch(%x: tensor<1x128x400xf32>) -> tensor<1x128x400xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x128xf32>) -> tensor<1x128xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<1x128x400xf32>) outs(%z : tensor<1x128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<1x128xf32>
  %f = tensor.empty() : tensor<1x128x400xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<1x128x400xf32>, tensor<1x128xf32>) outs(%f : tensor<1x128x400xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x128x400xf32>
  return %r : tensor<1x128x400xf32>
}

// An operation on the results of row reductions ends the chain if it reads the rows twice.
// CHECK-LABEL: func @ends_with_reductions
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c128{{.*}} step %c{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<128xf32>)
// CHECK-COUNT-3: linalg.generic
// CHECK: tensor.insert_slice
func.func @ends_with_reductions(%x: tensor<128x400xf32>, %least: tensor<128xf32>, %zero: tensor<128xf32>) -> tensor<128xf32> {
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<128x400xf32>) outs(%least : tensor<128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.maximumf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<128xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<128x400xf32>, tensor<128xf32>) outs(%zero : tensor<128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %d = arith.subf %p, %q : f32
    %t = arith.addf %o, %d : f32
    linalg.yield %t : f32
  } -> tensor<128xf32>
  %e = tensor.empty() : tensor<128xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s, %m : tensor<128xf32>, tensor<128xf32>) outs(%e : tensor<128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<128xf32>
  return %r : tensor<128xf32>
}

// A single operation reads everything once; small tensors stay in the cache; a vertical reduction needs all rows.
// CHECK-LABEL: func @single_operation
// CHECK-NOT: scf.for
// CHECK:     linalg.generic
// CHECK-NOT: scf.for
// CHECK-LABEL: func @small
// CHECK-NOT: scf.for
// CHECK:     linalg.generic {{.*}}["parallel", "reduction"]
// CHECK-NOT: scf.for
// CHECK-LABEL: func @columns
// CHECK-NOT: scf.for
// CHECK:     linalg.generic {{.*}}["parallel", "reduction"]
// CHECK-NOT: scf.for
func.func @single_operation(%x: tensor<128x400xf32>) -> tensor<128x400xf32> {
  %f = tensor.empty() : tensor<128x400xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x400xf32>) outs(%f : tensor<128x400xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.negf %p : f32
    linalg.yield %t : f32
  } -> tensor<128x400xf32>
  return %r : tensor<128x400xf32>
}
func.func @small(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x16xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %f = tensor.empty() : tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<8x16xf32>, tensor<8xf32>) outs(%f : tensor<8x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
func.func @columns(%x: tensor<128x400xf32>) -> tensor<128x400xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<400xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<400xf32>) -> tensor<400xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<128x400xf32>) outs(%z : tensor<400xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<400xf32>
  %f = tensor.empty() : tensor<128x400xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<128x400xf32>, tensor<400xf32>) outs(%f : tensor<128x400xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<128x400xf32>
  return %r : tensor<128x400xf32>
}

// Columns that are no multiple of 256 bytes are tiled if three operations read them: the remainder is peeled.
// CHECK-LABEL: func @uneven_columns
// CHECK: scf.for %{{.*}} = %c0 to %c4864 step %c64
// CHECK: tensor.extract_slice %{{.*}}[0, 4864] [128, 36] [1, 1]
// CHECK: tensor.insert_slice %{{.*}}[0, 4864] [128, 36] [1, 1]
func.func @uneven_columns(%x: tensor<128x4900xf32>) -> tensor<128x4900xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4900xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4900xf32>) -> tensor<4900xf32>
  %m = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<128x4900xf32>) outs(%z : tensor<4900xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.maximumf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<4900xf32>
  %s = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x, %m : tensor<128x4900xf32>, tensor<4900xf32>) outs(%z : tensor<4900xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %d = arith.subf %p, %q : f32
    %t = arith.addf %o, %d : f32
    linalg.yield %t : f32
  } -> tensor<4900xf32>
  %f = tensor.empty() : tensor<128x4900xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<128x4900xf32>, tensor<4900xf32>) outs(%f : tensor<128x4900xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<128x4900xf32>
  return %r : tensor<128x4900xf32>
}
}

// -----

// A made-up target: an L2 of 16 KiB.
#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 16384, gemm_tiles = {}>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
module attributes {kgen.target = #target} {
// Rows of 31 elements from memory, written with non-temporal stores: tiles end at a cache line, and take 8192 bytes with the result.
// CHECK-LABEL: func @from_memory
// CHECK: scf.for %{{.*}} = %c0 to %c8192 step %c32
func.func @from_memory(%x: tensor<8192x31xf32>) -> tensor<8192x31xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8192xf32>) -> tensor<8192xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8192x31xf32>) outs(%z : tensor<8192xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8192xf32>
  %f = tensor.empty() : tensor<8192x31xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<8192x31xf32>, tensor<8192xf32>) outs(%f : tensor<8192x31xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<8192x31xf32>
  return %r : tensor<8192x31xf32>
}

// With an operand per column, as full lines: tiles of as many rows as begin and end with a cache line.
// CHECK-LABEL: func @columns
// CHECK: scf.for %{{.*}} = %c0 to %c8192 step %c16
func.func @columns(%x: tensor<8192x31xf32>, %c: tensor<31xf32>) -> tensor<8192x31xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8192xf32>) -> tensor<8192xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8192x31xf32>) outs(%z : tensor<8192xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8192xf32>
  %f = tensor.empty() : tensor<8192x31xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %c : tensor<8192x31xf32>, tensor<8192xf32>, tensor<31xf32>) outs(%f : tensor<8192x31xf32>) {
  ^bb0(%p: f32, %q: f32, %r0: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    %u = arith.mulf %t, %r0 : f32
    linalg.yield %u : f32
  } -> tensor<8192x31xf32>
  return %r : tensor<8192x31xf32>
}

// Rows of 32 elements are aligned; rows of a smaller tensor are in the cache.
// CHECK-LABEL: func @non_temporal
// CHECK: scf.for %{{.*}} = %c0 to %c8192 step %c32
func.func @non_temporal(%x: tensor<8192x32xf32>) -> tensor<8192x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8192xf32>) -> tensor<8192xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8192x32xf32>) outs(%z : tensor<8192xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8192xf32>
  %f = tensor.empty() : tensor<8192x32xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<8192x32xf32>, tensor<8192xf32>) outs(%f : tensor<8192x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<8192x32xf32>
  return %r : tensor<8192x32xf32>
}

// CHECK-LABEL: func @cached
// CHECK: scf.for %{{.*}} = %c0 to %c2048 step %c64
func.func @cached(%x: tensor<2048x31xf32>) -> tensor<2048x31xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2048xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2048xf32>) -> tensor<2048xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2048x31xf32>) outs(%z : tensor<2048xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<2048xf32>
  %f = tensor.empty() : tensor<2048x31xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<2048x31xf32>, tensor<2048xf32>) outs(%f : tensor<2048x31xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<2048x31xf32>
  return %r : tensor<2048x31xf32>
}

// Tiles of transposed rows have at least one transpose block, though 4096 bytes hold less.
// CHECK-LABEL: func @transposed
// CHECK: scf.for %{{.*}} = %c0 to %c16384 step %c32
// CHECK: linalg.transpose ins(%{{.*}} : tensor<32x13xf32>)
// CHECK: linalg.transpose ins(%{{.*}} : tensor<13x32xf32>)
func.func @transposed(%x: tensor<16384x13xf32>) -> tensor<16384x13xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16384xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16384xf32>) -> tensor<16384xf32>
  %f = tensor.empty() : tensor<13x16384xf32>
  %t = linalg.transpose ins(%x : tensor<16384x13xf32>) outs(%f : tensor<13x16384xf32>) permutation = [1, 0]
  %m = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%t : tensor<13x16384xf32>) outs(%z : tensor<16384xf32>) {
  ^bb0(%p: f32, %o: f32):
    %v = arith.maximumf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<16384xf32>
  %d = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t, %m : tensor<13x16384xf32>, tensor<16384xf32>) outs(%f : tensor<13x16384xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %v = arith.subf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<13x16384xf32>
  %s = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%d : tensor<13x16384xf32>) outs(%z : tensor<16384xf32>) {
  ^bb0(%p: f32, %o: f32):
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<16384xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %s : tensor<13x16384xf32>, tensor<16384xf32>) outs(%f : tensor<13x16384xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %v = arith.divf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<13x16384xf32>
  %g = tensor.empty() : tensor<16384x13xf32>
  %y = linalg.transpose ins(%r : tensor<13x16384xf32>) outs(%g : tensor<16384x13xf32>) permutation = [1, 0]
  return %y : tensor<16384x13xf32>
}

// If the number of rows has no good divisor, the remainder is peeled.
// CHECK-LABEL: func @transposed_unevenly
// CHECK: scf.for %{{.*}} = %c0 to %c16368 step %c48
// CHECK: linalg.transpose ins(%{{.*}} : tensor<48x13xf32>)
// CHECK: linalg.transpose ins(%{{.*}} : tensor<13x48xf32>)
// CHECK: linalg.transpose ins(%{{.*}} : tensor<43x13xf32>)
// CHECK: linalg.transpose ins(%{{.*}} : tensor<13x43xf32>)
// CHECK-NOT: tensor<?
// CHECK: return
func.func @transposed_unevenly(%x: tensor<16411x13xf32>) -> tensor<16411x13xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16411xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16411xf32>) -> tensor<16411xf32>
  %f = tensor.empty() : tensor<13x16411xf32>
  %t = linalg.transpose ins(%x : tensor<16411x13xf32>) outs(%f : tensor<13x16411xf32>) permutation = [1, 0]
  %m = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%t : tensor<13x16411xf32>) outs(%z : tensor<16411xf32>) {
  ^bb0(%p: f32, %o: f32):
    %v = arith.maximumf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<16411xf32>
  %d = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t, %m : tensor<13x16411xf32>, tensor<16411xf32>) outs(%f : tensor<13x16411xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %v = arith.subf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<13x16411xf32>
  %s = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%d : tensor<13x16411xf32>) outs(%z : tensor<16411xf32>) {
  ^bb0(%p: f32, %o: f32):
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<16411xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %s : tensor<13x16411xf32>, tensor<16411xf32>) outs(%f : tensor<13x16411xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %v = arith.divf %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<13x16411xf32>
  %g = tensor.empty() : tensor<16411x13xf32>
  %y = linalg.transpose ins(%r : tensor<13x16411xf32>) outs(%g : tensor<16411x13xf32>) permutation = [1, 0]
  return %y : tensor<16411x13xf32>
}
}

// -----

#blocks = affine_map<(b, i, j) -> (b, i, j)>
#kept = affine_map<(b, i, j) -> (b, j)>
module {
// Blocks of rows that are reduced twice are tiled one after another. The loop yields both results to the operations after it.
// CHECK-LABEL: func @blocks_of_rows
// CHECK: %[[BOTH:.*]]:2 = scf.for %[[B:.*]] = %c0 to %c16 step %c1
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[%[[B]], 0, 0] [1, 64, 128]
// CHECK: %[[M:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<1x64x128xf32>)
// CHECK: arith.maxnumf
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[M]] : tensor<1x64x128xf32>, tensor<1x128xf32>)
// CHECK: scf.yield
// CHECK: linalg.generic {{.*}} ins(%[[BOTH]]#{{[01]}} : tensor<16x128xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[BOTH]]#{{[01]}}, %[[BOTH]]#{{[01]}}, %{{.*}} : tensor<16x128xf32>, tensor<16x128xf32>, tensor<128xf32>)
func.func @blocks_of_rows(%x: tensor<16x64x128xf32>, %least: tensor<16x128xf32>, %zero: tensor<16x128xf32>, %z: tensor<128xf32>) -> tensor<128xf32> {
  %m = linalg.generic {indexing_maps = [#blocks, #kept], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<16x64x128xf32>) outs(%least : tensor<16x128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.maxnumf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<16x128xf32>
  %most = linalg.generic {indexing_maps = [affine_map<(b, j) -> (b, j)>, affine_map<(b, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%m : tensor<16x128xf32>) outs(%z : tensor<128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.maximumf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<128xf32>
  %s = linalg.generic {indexing_maps = [#blocks, #kept, #kept], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x, %m : tensor<16x64x128xf32>, tensor<16x128xf32>) outs(%zero : tensor<16x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    %u = arith.addf %t, %o : f32
    linalg.yield %u : f32
  } -> tensor<16x128xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, j) -> (b, j)>, affine_map<(b, j) -> (b, j)>, affine_map<(b, j) -> (j)>, affine_map<(b, j) -> (j)>],
                       iterator_types = ["reduction", "parallel"]}
      ins(%s, %m, %most : tensor<16x128xf32>, tensor<16x128xf32>, tensor<128xf32>) outs(%z : tensor<128xf32>) {
  ^bb0(%p: f32, %q: f32, %w: f32, %o: f32):
    %t = arith.subf %q, %w : f32
    %u = arith.mulf %p, %t : f32
    %v = arith.addf %u, %o : f32
    linalg.yield %v : f32
  } -> tensor<128xf32>
  return %r : tensor<128xf32>
}

// Tiles of images are contiguous: as many as half of the L1 holds.
// CHECK-LABEL: func @images
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c2
func.func @images(%x: tensor<64x16x32xf32>, %z: tensor<64x32xf32>) -> tensor<64x16x32xf32> {
  %s = linalg.generic {indexing_maps = [#blocks, #kept], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<64x16x32xf32>) outs(%z : tensor<64x32xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<64x32xf32>
  %f = tensor.empty() : tensor<64x16x32xf32>
  %r = linalg.generic {indexing_maps = [#blocks, #kept, #blocks], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<64x16x32xf32>, tensor<64x32xf32>) outs(%f : tensor<64x16x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<64x16x32xf32>
  return %r : tensor<64x16x32xf32>
}
}
