// Grids of tasks: rows before panels, fused producers, and what stays whole.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --kgen-select-tiling="level=distribution task-work=1200" --kgen-distribute-tasks --cse --canonicalize | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --split-input-file --kgen-select-tiling="level=distribution task-work=100000000" --kgen-distribute-tasks | FileCheck "%s" --check-prefix=LITTLE

// LITTLE-NOT: scf.forall

// A made-up target: an L2 of 256 KiB and register tiles of 6 x 16 and cache blocks of 48 x 1024.
#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 262144, gemm_tiles = {gemm_f32 = {mr = 6 : i64, nr = 16 : i64, mc = 48 : i64, kc = 1024 : i64}}>
module attributes {kgen.target = #target} {
// CHECK-LABEL: func @grid
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (96, 128) step (24, 64) shared_outs
// CHECK: tensor.extract_slice %{{.*}}[%[[I]], 0] [24, 16]
// CHECK: %[[P:.*]] = affine.apply {{.*}}(%[[J]])
// CHECK: tensor.extract_slice %{{.*}}[%[[P]], 0, 0] [2, 16, 32]
// CHECK: tpp.gemm ins({{.*}} : tensor<24x16xf32>, tensor<2x16x32xf32>) outs({{.*}} : tensor<24x64xf32>)
func.func @grid(%a: tensor<96x16xf32>, %b: tensor<4x16x32xf32>, %c: tensor<96x128xf32>) -> tensor<96x128xf32> {
  %r = tpp.gemm ins(%a, %b : tensor<96x16xf32>, tensor<4x16x32xf32>) outs(%c : tensor<96x128xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<96x128xf32>
  return %r : tensor<96x128xf32>
}
}

// -----

module {
// Rows of an image are rows, although one group, with a B of its own, lies between: all tasks read the few of them, each a
// part of the large B.
// CHECK-LABEL: func @rows_around_groups
// CHECK: scf.forall (%{{.*}}) = (0) to (256) step (32) shared_outs
// CHECK: tpp.gemm ins({{.*}} : tensor<9x1x5x256xf32>, tensor<1x1x256x32xf32>) outs({{.*}} : tensor<9x1x5x32xf32>)
func.func @rows_around_groups(%a: tensor<9x1x5x256xf32>, %b: tensor<1x8x256x32xf32>, %c: tensor<9x1x5x256xf32>) -> tensor<9x1x5x256xf32> {
  %r = tpp.gemm ins(%a, %b : tensor<9x1x5x256xf32>, tensor<1x8x256x32xf32>) outs(%c : tensor<9x1x5x256xf32>)
      attributes {a_map = affine_map<(h, g, m, n, k) -> (h, g, m, k)>, b_map = affine_map<(h, g, m, n, k) -> (g, k, n)>, epilogue_maps = [], panel = 32} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<9x1x5x256xf32>
  return %r : tensor<9x1x5x256xf32>
}
}

// -----

#id3 = affine_map<(i, j, k) -> (i, j, k)>
#id2 = affine_map<(i, j) -> (i, j)>
module {
// Each slice of A is needed by one task: its producer is fused. All tasks need all of B.
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
      attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<8x16x8xf32>
  return %r : tensor<8x16x8xf32>
}
}

// -----

// A made-up target: an L2 of 256 KiB.
#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 262144, gemm_tiles = {}>
#id = affine_map<(i, j) -> (i, j)>
module attributes {kgen.target = #target} {
// A producer with another user is cut on its own; what is left of a prime size is a grid of its own, which writes to the result of the
// first one; sums are not cut.
// CHECK-LABEL: func @kept
// CHECK: scf.forall (%{{.*}}) in (8) shared_outs
// CHECK: math.exp
// CHECK: scf.forall (%{{.*}}) in (8) shared_outs
// CHECK-NOT: math.exp
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<1x64xf32>) outs(%{{.*}} : tensor<1xf32>)
// CHECK-LABEL: func @prime
// CHECK: %[[MAIN:.*]] = scf.forall (%{{.*}}) = (0) to (96) step (48) shared_outs(%{{.*}} = %arg2)
// CHECK: tpp.gemm ins({{.*}} : tensor<48x31xf32>, tensor<31x13xf32>)
// CHECK: {mapping = [#kgen.grid_partition]}
// CHECK: %[[ALL:.*]] = scf.forall (%{{.*}}) = (96) to (127) step (31) shared_outs(%{{.*}} = %[[MAIN]])
// CHECK: tensor.extract_slice %arg0[96, 0] [31, 31]
// CHECK: tpp.gemm ins({{.*}} : tensor<31x31xf32>, tensor<31x13xf32>)
// CHECK: {mapping = [#kgen.grid_partition]}
// CHECK: return %[[ALL]]
// The producer of the destination is fused, also into the second grid.
// CHECK-LABEL: func @destination
// CHECK: %[[MAIN:.*]] = scf.forall (%{{.*}}) = (0) to ({{.*}}) step ({{.*}}) shared_outs(%{{.*}} = %arg2)
// CHECK: tpp.gemm
// CHECK: linalg.generic
// CHECK: scf.forall (%{{.*}}) = ({{.*}}) to (127) step ({{.*}}) shared_outs(%{{.*}} = %[[MAIN]])
// CHECK: tpp.gemm
// CHECK: linalg.generic
// CHECK-NOT: tpp.gemm
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
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<127x13xf32>
  return %r : tensor<127x13xf32>
}

func.func @destination(%x: tensor<127x31xf32>, %y: tensor<31x13xf32>, %c: tensor<127x13xf32>) -> tensor<127x13xf32> {
  %g = tpp.gemm ins(%x, %y : tensor<127x31xf32>, tensor<31x13xf32>) outs(%c : tensor<127x13xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<127x13xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%g : tensor<127x13xf32>) {
  ^bb0(%o: f32):
    %v = math.exp %o : f32
    linalg.yield %v : f32
  } -> tensor<127x13xf32>
  return %r : tensor<127x13xf32>
}

// In a loop: operations that read the loop-carried tensor stay in front of the tasks that overwrite it.
// CHECK-LABEL: func @state
// CHECK:         scf.for {{.*}} iter_args(%[[S:.*]] =
// CHECK:           %[[A:.*]] = scf.forall
// CHECK:             math.exp
// CHECK:           %[[N:.*]] = scf.forall {{.*}} shared_outs(%{{.*}} = %[[S]])
// CHECK-NOT:         math.exp
// CHECK:           scf.yield %[[N]]
func.func @state(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %x) -> tensor<8x64xf32> {
    %e = tensor.empty() : tensor<8x64xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%s : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %v = math.exp %p : f32
      linalg.yield %v : f32
    } -> tensor<8x64xf32>
    %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<8x64xf32>) outs(%s : tensor<8x64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %v = math.tanh %o : f32
      %w = arith.addf %p, %v : f32
      linalg.yield %w : f32
    } -> tensor<8x64xf32>
    scf.yield %n : tensor<8x64xf32>
  }
  return %r : tensor<8x64xf32>
}
}

// -----

#id = affine_map<(i, j) -> (i, j)>
module {
// Tasks of the row sums would have few rows; the product, which would read all of B for each of them, is excluded and tiled by columns.
// CHECK-LABEL: func @excluded
// CHECK: scf.forall (%{{.*}}) = (0) to (256) step (32)
// CHECK: tpp.gemm ins({{.*}} : tensor<24x64xf32>, tensor<1x64x32xf32>) outs({{.*}} : tensor<24x32xf32>)
// CHECK: scf.forall (%{{.*}}) in (24)
// CHECK-NOT: tpp.gemm
// CHECK: linalg.generic
func.func @excluded(%a: tensor<24x64xf32>, %b: tensor<8x64x32xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24x256xf32>
  %p = tpp.gemm ins(%a, %b : tensor<24x64xf32>, tensor<8x64x32xf32>) outs(%e : tensor<24x256xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = [], panel = 32} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<24x256xf32>
  %f = tensor.empty() : tensor<24xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<24xf32>) -> tensor<24xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<24x256xf32>) outs(%z : tensor<24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<24xf32>
  return %r : tensor<24xf32>
}
}

// -----

module {
// A copy would be cut by its outer dimension; it follows the product, which wants whole heads.
// CHECK-LABEL: func @matching_tiles
// CHECK: scf.forall (%[[H:.*]]) in (12)
// CHECK: tpp.gemm ins({{.*}} : tensor<1x32x16xf32>, tensor<1x16x8xf32>) outs({{.*}} : tensor<1x32x8xf32>)
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<32x1x8xf32>)
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[0, %[[H]], 0] [32, 1, 8]
func.func @matching_tiles(%a: tensor<12x32x16xf32>, %b: tensor<12x16x8xf32>) -> tensor<32x12x8xf32> {
  %e = tensor.empty() : tensor<12x32x8xf32>
  %p = tpp.gemm ins(%a, %b : tensor<12x32x16xf32>, tensor<12x16x8xf32>) outs(%e : tensor<12x32x8xf32>)
      attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (b, k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<12x32x8xf32>
  %f = tensor.empty() : tensor<32x12x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, i, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<12x32x8xf32>) outs(%f : tensor<32x12x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<32x12x8xf32>
  return %r : tensor<32x12x8xf32>
}
}

// -----

module {
// A loop-carried tensor that is overwritten by a product of itself: both grids read its old value.
// CHECK-LABEL: func.func @state
// CHECK:         scf.for {{.*}} iter_args(%[[STATE:.*]] = %{{.*}})
// CHECK:           %[[FIRST:.*]] = scf.forall {{.*}} shared_outs(%{{.*}} = %[[STATE]])
// CHECK:             tpp.gemm ins(%[[STATE]], %{{.*}}) outs(
// CHECK:           scf.forall {{.*}} shared_outs(%{{.*}} = %[[FIRST]])
// CHECK:             tpp.gemm ins(%[[STATE]], %{{.*}}) outs(
func.func @state(%h: tensor<9x50xf32>, %w: tensor<50x50xf32>) -> tensor<9x50xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %last = scf.for %t = %c0 to %c5 step %c1 iter_args(%state = %h) -> (tensor<9x50xf32>) {
    %next = tpp.gemm ins(%state, %w : tensor<9x50xf32>, tensor<50x50xf32>) outs(%state : tensor<9x50xf32>)
        attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<9x50xf32>
    scf.yield %next : tensor<9x50xf32>
  }
  return %last : tensor<9x50xf32>
}
}

// -----

module {
// A large B in place: each task reads a page of every row, or half a row where that is less, but no less than eight lines; many rows
// of A, whose B's rows are not further apart, have smaller tasks.
// CHECK-LABEL: func @run_of_page
// CHECK: scf.forall (%{{.*}}) = (0) to (4096) step (1024)
// CHECK: tpp.gemm {{.*}} outs({{.*}} : tensor<2x1024xf32>)
func.func @run_of_page(%a: tensor<2x256xf32>, %b: tensor<256x4096xf32>) -> tensor<2x4096xf32> {
  %e = tensor.empty() : tensor<2x4096xf32>
  %r = tpp.gemm ins(%a, %b : tensor<2x256xf32>, tensor<256x4096xf32>) outs(%e : tensor<2x4096xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<2x4096xf32>
  return %r : tensor<2x4096xf32>
}
// CHECK-LABEL: func @half_a_row
// CHECK: scf.forall (%{{.*}}) = (0) to (1024) step (512)
// CHECK: tpp.gemm {{.*}} outs({{.*}} : tensor<2x512xf32>)
func.func @half_a_row(%a: tensor<2x256xf32>, %b: tensor<256x1024xf32>) -> tensor<2x1024xf32> {
  %e = tensor.empty() : tensor<2x1024xf32>
  %r = tpp.gemm ins(%a, %b : tensor<2x256xf32>, tensor<256x1024xf32>) outs(%e : tensor<2x1024xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<2x1024xf32>
  return %r : tensor<2x1024xf32>
}
// CHECK-LABEL: func @short_rows
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: tpp.gemm {{.*}} outs({{.*}} : tensor<1x1x64xf32>)
func.func @short_rows(%a: tensor<2x1x1024xf32>, %b: tensor<2x1024x64xf32>) -> tensor<2x1x64xf32> {
  %e = tensor.empty() : tensor<2x1x64xf32>
  %r = tpp.gemm ins(%a, %b : tensor<2x1x1024xf32>, tensor<2x1024x64xf32>) outs(%e : tensor<2x1x64xf32>)
      attributes {a_map = affine_map<(b, m, n, k) -> (b, m, k)>, b_map = affine_map<(b, m, n, k) -> (b, k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<2x1x64xf32>
  return %r : tensor<2x1x64xf32>
}
// CHECK-LABEL: func @many_rows
// CHECK: tpp.gemm {{.*}} outs({{.*}} : tensor<24x{{128|256}}xf32>)
func.func @many_rows(%a: tensor<24x256xf32>, %b: tensor<256x1024xf32>) -> tensor<24x1024xf32> {
  %e = tensor.empty() : tensor<24x1024xf32>
  %r = tpp.gemm ins(%a, %b : tensor<24x256xf32>, tensor<256x1024xf32>) outs(%e : tensor<24x1024xf32>)
      attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>, epilogue_maps = []} {
  ^bb0(%acc: f32):
    tpp.yield %acc : f32
  } -> tensor<24x1024xf32>
  return %r : tensor<24x1024xf32>
}
}

// -----

// A made-up target: an L2 of 256 KiB.
#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 262144, gemm_tiles = {}>
module attributes {kgen.target = #target} {
// Columns with their sums, not rows that need the sums of others; unless a piece of them is more than L2 keeps,
// and there are few pages of them.
// CHECK-LABEL: func.func @columns
// CHECK:         scf.forall (%[[J:.*]]) = (0) to (1024) step (
// CHECK:           linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
// CHECK:           linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK-NOT:     = scf.forall
// CHECK-LABEL: func.func @long
// CHECK:         scf.forall (%{{.*}}) = (0) to (256) step (
// CHECK:           linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
// CHECK:         scf.forall (%{{.*}}) = (0) to (1024) step (
// CHECK:           linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK-LABEL: func.func @pages
// CHECK:         scf.forall (%{{.*}}) = (0) to (8192) step (1024)
// CHECK:           linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
// CHECK:           linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK-NOT:     = scf.forall
// A prime number of images, each with classes that are reduced: tasks have images; classes are not tiled.
// CHECK-LABEL: func.func @classes
// CHECK:         scf.forall (%{{.*}}) in (37)
// CHECK:           linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]
// CHECK:           linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
// CHECK-NOT:     = scf.forall
// CHECK:         return
func.func @columns(%x: tensor<128x1024xf32>, %zero: tensor<1024xf32>) -> tensor<128x1024xf32> {
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<128x1024xf32>) outs(%zero : tensor<1024xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<1024xf32>
  %e = tensor.empty() : tensor<128x1024xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<128x1024xf32>, tensor<1024xf32>) outs(%e : tensor<128x1024xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<128x1024xf32>
  return %p : tensor<128x1024xf32>
}
func.func @long(%x: tensor<1024x256xf32>, %zero: tensor<256xf32>) -> tensor<1024x256xf32> {
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<1024x256xf32>) outs(%zero : tensor<256xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<256xf32>
  %e = tensor.empty() : tensor<1024x256xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<1024x256xf32>, tensor<256xf32>) outs(%e : tensor<1024x256xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<1024x256xf32>
  return %p : tensor<1024x256xf32>
}
func.func @pages(%x: tensor<256x8192xf32>, %zero: tensor<8192xf32>) -> tensor<256x8192xf32> {
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<256x8192xf32>) outs(%zero : tensor<8192xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<8192xf32>
  %e = tensor.empty() : tensor<256x8192xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<256x8192xf32>, tensor<8192xf32>) outs(%e : tensor<256x8192xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<256x8192xf32>
  return %p : tensor<256x8192xf32>
}
func.func @classes(%x: tensor<37x21x1000xf32>, %zero: tensor<37x1000xf32>) -> tensor<37x21x1000xf32> {
  %s = linalg.generic {indexing_maps = [affine_map<(b, c, i) -> (b, c, i)>, affine_map<(b, c, i) -> (b, i)>],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<37x21x1000xf32>) outs(%zero : tensor<37x1000xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<37x1000xf32>
  %e = tensor.empty() : tensor<37x21x1000xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b, c, i) -> (b, c, i)>, affine_map<(b, c, i) -> (b, i)>, affine_map<(b, c, i) -> (b, c, i)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<37x21x1000xf32>, tensor<37x1000xf32>) outs(%e : tensor<37x21x1000xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<37x21x1000xf32>
  return %p : tensor<37x21x1000xf32>
}
}

// -----

module {
// An elementwise operation that is fused with no other one gets a single loop.
// CHECK-LABEL: func.func @unfused
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2]] : tensor<13x111x111xf32> into tensor<160173xf32>
// CHECK:         scf.forall
// CHECK:           tensor.extract_slice {{.*}} : tensor<160173xf32> to tensor<
// CHECK:         tensor.expand_shape
func.func @unfused(%x: tensor<13x111x111xf32>, %e: tensor<13x111x111xf32>) -> tensor<13x111x111xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<13x111x111xf32>) outs(%e : tensor<13x111x111xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %v : f32
    linalg.yield %w : f32
  } -> tensor<13x111x111xf32>
  return %p : tensor<13x111x111xf32>
}
}

// -----

module {
// Partial reductions are not tiled as the final reduction is, into narrow slices.
// CHECK-LABEL: func.func @partial_sums
// CHECK:         scf.forall (%{{.*}}) in (32)
// CHECK:           linalg.generic {{.*}} ins(%{{.*}} : tensor<1x64x1024xf32>)
// CHECK:         scf.forall
// CHECK-NOT:       tensor<32x64x
// CHECK:           linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
func.func @partial_sums(%x: tensor<32x64x1024xf32>, %zeros: tensor<32x1024xf32>, %zero: tensor<1024xf32>) -> tensor<1024xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, k, j)>, affine_map<(i, k, j) -> (i, j)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<32x64x1024xf32>) outs(%zeros : tensor<32x1024xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<32x1024xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%p : tensor<32x1024xf32>) outs(%zero : tensor<1024xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<1024xf32>
  return %s : tensor<1024xf32>
}
}

// -----

module {
// Partial sums have tasks of their own where tasks for the few columns of the last operation would cut their rows, be it that
// something else than their sum is the last operation.
// CHECK-LABEL: func @mean_of_columns
// CHECK: scf.forall {{.*}} -> (tensor<8x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<{{.*}}x512x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<8x{{.*}}xf32>)
// CHECK: linalg.generic
func.func @mean_of_columns(%x: tensor<8x512x64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %parts = linalg.generic {indexing_maps = [affine_map<(p, i, j) -> (p, i, j)>, affine_map<(p, i, j) -> (p, j)>],
      iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : tensor<8x512x64xf32>) outs(%f : tensor<8x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  %g = tensor.empty() : tensor<64xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(p, j) -> (p, j)>, affine_map<(p, j) -> (j)>],
      iterator_types = ["reduction", "parallel"]} ins(%parts : tensor<8x64xf32>) outs(%h : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %count = arith.constant 4096.0 : f32
  %mean = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<64xf32>) outs(%g : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.divf %a, %count : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %mean : tensor<64xf32>
}
}

// -----

// A made-up target: an L2 of 256 KiB.
#target = #kgen.target<name = "t", triple = "x86_64-unknown-linux-gnu", features = "+avx2,+fma", tune = "haswell", vector_bits = 256,
    vector_registers = 16, l1d = 32768, l2 = 262144, gemm_tiles = {}>
#id = affine_map<(n, c, i) -> (n, c, i)>
#channel = affine_map<(n, c, i) -> (c)>
module attributes {kgen.target = #target} {
// A large result: whole images, though their number is prime; equal tiles would be some channels of all images.
// CHECK-LABEL: func @images
// CHECK:         scf.forall (%{{.*}}) in (37)
// CHECK:           tensor.extract_slice %arg0[%{{.*}}, 0, 0] [1, 64, 49]
func.func @images(%x: tensor<37x64x49xf32>, %s: tensor<64xf32>) -> tensor<37x64x49xf32> {
  %e = tensor.empty() : tensor<37x64x49xf32>
  %r = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<37x64x49xf32>, tensor<64xf32>) outs(%e : tensor<37x64x49xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<37x64x49xf32>
  return %r : tensor<37x64x49xf32>
}

// A small result: equal tiles.
// CHECK-LABEL: func @few_images
// CHECK:         scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (5, 64) step (1, 4)
func.func @few_images(%x: tensor<5x64x49xf32>, %s: tensor<64xf32>) -> tensor<5x64x49xf32> {
  %e = tensor.empty() : tensor<5x64x49xf32>
  %r = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<5x64x49xf32>, tensor<64xf32>) outs(%e : tensor<5x64x49xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<5x64x49xf32>
  return %r : tensor<5x64x49xf32>
}
}
