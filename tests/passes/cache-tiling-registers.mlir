// Tiles of a few vectors stay in registers from the first operation to the last one.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4 --kgen-reshape-reductions --linalg-generalize-named-ops --kgen-select-tiling=level=cache --kgen-cache-tiling --kgen-vectorize --canonicalize --cse --canonicalize | FileCheck "%s"
// RUN: kgen-opt "%s" --kgen-target=x86-64-v4 --kgen-reshape-reductions --linalg-generalize-named-ops --kgen-select-tiling=level=cache --kgen-cache-tiling | FileCheck "%s" --check-prefix=BLOCKS

#full = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#planes = affine_map<(b, c, i) -> (b, c, i)>
#columns = affine_map<(b, c, i) -> (b, i)>
module {
// Rows of three, 16 at a time: three vectors are read, beside one of sums, and three written. All that is between them is vectors.
// CHECK-LABEL: func @short_rows
// CHECK: scf.for %{{.*}} = %c0 to %c2048 step %c16
// CHECK-COUNT-4: vector.transfer_read %{{.*}} : tensor<{{.*}}xf32>, vector<16xf32>
// CHECK-NOT: {{scf.for|transfer}}
// CHECK-COUNT-3: arith.addf %{{.*}} : vector<16xf32>
// CHECK-NOT: {{scf.for|transfer}}
// CHECK-COUNT-3: arith.subf %{{.*}} : vector<16xf32>
// CHECK-COUNT-3: vector.transfer_write %{{.*}} : vector<16xf32>, tensor<
// CHECK-NOT: transfer
// CHECK: return
// BLOCKS-LABEL: func @short_rows
// BLOCKS-COUNT-4: unroll = 0
// BLOCKS: return
func.func @short_rows(%x: tensor<2048x3xf32>, %z: tensor<2048xf32>) -> tensor<2048x3xf32> {
  %s = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2048x3xf32>) outs(%z : tensor<2048xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<2048xf32>
  %e = tensor.empty() : tensor<2048x3xf32>
  %r = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<2048x3xf32>, tensor<2048xf32>) outs(%e : tensor<2048x3xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<2048x3xf32>
  return %r : tensor<2048x3xf32>
}

// A sum of ten elements alone is worth a transposition; one of twelve is not. Of ten vectors, each four are a chain.
// CHECK-LABEL: func @sums
// CHECK: scf.for %{{.*}} = %c0 to %c2048 step %c16
// CHECK: %[[START:.*]] = vector.transfer_read %{{.*}} : tensor<16xf32>, vector<16xf32>
// CHECK: %[[A:.*]] = arith.addf %{{.*}}, %[[START]]
// CHECK: %[[B:.*]] = arith.addf %{{.*}}, %[[A]]
// CHECK: %[[C:.*]] = arith.addf %{{.*}}, %[[B]]
// CHECK: %[[D:.*]] = arith.addf %{{.*}}, %[[C]]
// CHECK-COUNT-5: arith.addf
// CHECK: %[[SUM:.*]] = arith.addf %[[D]], %{{.*}}
// CHECK: vector.transfer_write %[[SUM]]
// BLOCKS-LABEL: func @sums
// BLOCKS: tensor<10x16xf32>
// BLOCKS-NOT: tensor<12x
// BLOCKS: return
func.func @sums(%x: tensor<2048x10xf32>, %y: tensor<2048x12xf32>, %z: tensor<2048xf32>) -> (tensor<2048xf32>, tensor<2048xf32>) {
  %s = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2048x10xf32>) outs(%z : tensor<2048xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<2048xf32>
  %t = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<2048x12xf32>) outs(%z : tensor<2048xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<2048xf32>
  return %s, %t : tensor<2048xf32>, tensor<2048xf32>
}

// Five planes from memory, two vectors of each at a time. Nine would take more than half of the registers, and planes that a
// cache has are done loop by loop.
// BLOCKS-LABEL: func @planes
// BLOCKS: tensor<1x5x32xf32>
// BLOCKS: unroll = 0
// BLOCKS: return
// CHECK-LABEL: func @planes
// CHECK: scf.for {{.*}} step %c1
// CHECK: scf.for {{.*}} step %c32
// CHECK-NOT: scf.for
// CHECK: return
func.func @planes(%x: tensor<500x5x16384xf32>) -> tensor<500x5x16384xf32> {
  %zero = arith.constant -0.0 : f32
  %a = tensor.empty() : tensor<500x16384xf32>
  %z = linalg.fill ins(%zero : f32) outs(%a : tensor<500x16384xf32>) -> tensor<500x16384xf32>
  %s = linalg.generic {indexing_maps = [#planes, #columns], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<500x5x16384xf32>) outs(%z : tensor<500x16384xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<500x16384xf32>
  %e = tensor.empty() : tensor<500x5x16384xf32>
  %r = linalg.generic {indexing_maps = [#planes, #columns, #planes], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<500x5x16384xf32>, tensor<500x16384xf32>) outs(%e : tensor<500x5x16384xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<500x5x16384xf32>
  return %r : tensor<500x5x16384xf32>
}

// BLOCKS-LABEL: func @nine_planes
// BLOCKS-NOT: unroll = 0
// BLOCKS:     scf.for
// BLOCKS-NOT: unroll = 0
func.func @nine_planes(%x: tensor<300x9x16384xf32>) -> tensor<300x9x16384xf32> {
  %zero = arith.constant -0.0 : f32
  %a = tensor.empty() : tensor<300x16384xf32>
  %z = linalg.fill ins(%zero : f32) outs(%a : tensor<300x16384xf32>) -> tensor<300x16384xf32>
  %s = linalg.generic {indexing_maps = [#planes, #columns], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<300x9x16384xf32>) outs(%z : tensor<300x16384xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<300x16384xf32>
  %e = tensor.empty() : tensor<300x9x16384xf32>
  %r = linalg.generic {indexing_maps = [#planes, #columns, #planes], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<300x9x16384xf32>, tensor<300x16384xf32>) outs(%e : tensor<300x9x16384xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.subf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<300x9x16384xf32>
  return %r : tensor<300x9x16384xf32>
}
}
