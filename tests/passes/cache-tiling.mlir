// Chains that read rows several times, in blocks of rows that the first cache holds.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --kgen-cache-tiling --cse --canonicalize | FileCheck "%s"

// A made-up target: an L2 of 256 KiB.
#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 262144, gemm_tiles = {}>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
module attributes {kgen.target = #target} {
// Half of the cache, 16384 bytes, holds 4 rows of 400 numbers of x and as many of the result and a sum each.
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

// Sums across rows, along the second dimension: it stays whole, and the third one is cut. A quarter of the second cache, 65536
// bytes, holds 7 columns of 64 by 16 numbers of x and of the result each, with their sums, and 5 divides the 40.
// CHECK-LABEL: func @across
// CHECK: scf.for %[[B:.*]] = %c0 to %c2 step %c1
// CHECK: scf.for %[[I:.*]] = %c0 to %c40 step %c5
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[%[[B]], 0, %[[I]], 0] [1, 64, 5, 16]
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<1x64x5x16xf32>) outs(%{{.*}} : tensor<1x5x16xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[S]] :
// CHECK: tensor.insert_slice
func.func @across(%x: tensor<2x64x40x16xf32>) -> tensor<2x64x40x16xf32> {
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

// The same with columns that lie next to each other: they are cut, in whole pieces of 256 bytes. Half of the second cache, 131072
// bytes, holds 64 columns of x and of the result, with their sums, but not 128.
// CHECK-LABEL: func @apart
// CHECK: scf.for %[[J:.*]] = %c0 to %c512 step %c64
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[0, %[[J]]] [128, 64]
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<128x64xf32>) outs(%{{.*}} : tensor<64xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[S]] : tensor<128x64xf32>, tensor<64xf32>) outs(%{{.*}} : tensor<128x64xf32>)
// CHECK: tensor.insert_slice
func.func @apart(%x: tensor<128x512xf32>) -> tensor<128x512xf32> {
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

// What is between two operations counts once: 128 rows of 64 numbers of x, of what is between and of the result, with sums.
// Half of the first cache, 16384 bytes, holds 16 rows of these three, and not 32.
// CHECK-LABEL: func @between
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c16
func.func @between(%x: tensor<128x64xf32>) -> tensor<128x64xf32> {
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

// A task for one of several batches: its rows are blocked, although sums of rows are cut along their only dimension.
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

// What is computed of the sums ends the chain, where rows are read twice.
// CHECK-LABEL: func @ends
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c128{{.*}} step %c{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<128xf32>)
// CHECK-COUNT-3: linalg.generic
// CHECK: tensor.insert_slice
func.func @ends(%x: tensor<128x400xf32>, %least: tensor<128xf32>, %zero: tensor<128xf32>) -> tensor<128xf32> {
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

// One operation alone reads everything once; what is small stays in the cache as it is; sums over rows need all of them.
// CHECK-LABEL: func @alone
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
func.func @alone(%x: tensor<128x400xf32>) -> tensor<128x400xf32> {
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

// Columns that no multiple of a line divides are cut where three operations read them: what is left is a piece of its own.
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
// Rows of 31 numbers that come from memory are streamed in blocks of whole lines: few of them, 8192 bytes with the result's.
// CHECK-LABEL: func @memory
// CHECK: scf.for %{{.*}} = %c0 to %c8192 step %c32
func.func @memory(%x: tensor<8192x31xf32>) -> tensor<8192x31xf32> {
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

// So are those that need a number for each column, line by line: as many of them as begin and end with a line.
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

// Those of 32 are, and those of a smaller tensor are in a cache.
// CHECK-LABEL: func @streamed
// CHECK: scf.for %{{.*}} = %c0 to %c8192 step %c32
func.func @streamed(%x: tensor<8192x32xf32>) -> tensor<8192x32xf32> {
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

// Rows that are turned stay in blocks of at least those that are turned at a time, where 4096 bytes have room for less.
// CHECK-LABEL: func @turned
// CHECK: scf.for %{{.*}} = %c0 to %c16384 step %c32
// CHECK: linalg.transpose ins(%{{.*}} : tensor<32x13xf32>)
// CHECK: linalg.transpose ins(%{{.*}} : tensor<13x32xf32>)
func.func @turned(%x: tensor<16384x13xf32>) -> tensor<16384x13xf32> {
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

// Where that divides their number badly, the last ones are a block of their own.
// CHECK-LABEL: func @turned_unevenly
// CHECK: scf.for %{{.*}} = %c0 to %c16368 step %c48
// CHECK: linalg.transpose ins(%{{.*}} : tensor<48x13xf32>)
// CHECK: linalg.transpose ins(%{{.*}} : tensor<13x48xf32>)
// CHECK: linalg.transpose ins(%{{.*}} : tensor<43x13xf32>)
// CHECK: linalg.transpose ins(%{{.*}} : tensor<13x43xf32>)
// CHECK-NOT: tensor<?
// CHECK: return
func.func @turned_unevenly(%x: tensor<16411x13xf32>) -> tensor<16411x13xf32> {
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
// Blocks of rows that are reduction_sizes twice: one after another, although others read what both come to. They are read after the loop.
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

// Images one behind the other are whole pieces of memory: as many as half of the first cache holds.
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
