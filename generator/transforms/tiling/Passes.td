#ifndef KGEN_TRANSFORMS_TILING_PASSES_TD
#define KGEN_TRANSFORMS_TILING_PASSES_TD

include "mlir/Pass/PassBase.td"

def OverlappedTilingPass : Pass<"kgen-overlapped-tiling", "::mlir::func::FuncOp"> {
  let summary =
      "Compute a 1x1 convolution and the windows that read it for some rows at a time, with "
      "overlap.";
  let description = [{
    Precondition: contractions are tpp ops on tensors, packs are lowered, pads of windows are not
    (kgen-lower-packs with `pads=none`). Postcondition: an scf.for over row tiles of an image, whose
    body holds the same ops on slices. kgen-distribute-tasks makes a grid of tasks in each
    iteration, kgen-lower-packs lowers the pads of the tiles.

    A 1x1 convolution that widens the channels often has a result several times as large as the
    images around it. Applies if all hold:

    - the result of the convolution has a single use, the pad of windows along each channel
    - the image between them is larger than the L2
    - three quarters of the L2 hold the rows of at least one tile: the rows of a tile and the rows
      above and below that its windows reach
    - only the first tile has padding above, only the last one below; these two stand outside of the
      loop
    - at most one row in eight is computed twice, because two tiles need it

    The elementwise ops and the contraction along channels that read the windows row by row join the
    tile. Tiles have equal sizes if at most twice as many of them do.

    ```mlir
    %w = tpp.gemm ins(%x, %b : tensor<1x56x56x24xf32>, tensor<5x24x32xf32>) ... -> tensor<1x56x56x144xf32>
    %p = tensor.pad %w low[0, 1, 1, 0] high[0, 1, 1, 0] ... to tensor<1x58x58x144xf32>
    %r = linalg.generic ... ins(%p, %taps) ... -> tensor<1x56x56x144xf32>
    ```
    becomes
    ```mlir
    %first = ... // rows 0 to 18 of the windows, of rows 0 to 19 of the contraction
    %more = scf.for %y = %c19 to %c38 step %c19 iter_args(%o = %first) -> (tensor<1x56x56x144xf32>) {
      %w = tpp.gemm ins(%xs, %b : tensor<1x21x56x24xf32>, tensor<5x24x32xf32>) ... -> tensor<1x21x56x144xf32>
      %p = tensor.pad %w low[0, 0, 1, 0] high[0, 0, 1, 0] ... to tensor<1x21x58x144xf32>
      %r = linalg.generic ... ins(%p, %taps) ... -> tensor<1x19x56x144xf32>
      %n = tensor.insert_slice %r into %o[0, %y, 0, 0] [1, 19, 56, 144] [1, 1, 1, 1] ...
      scf.yield %n
    }
    ... // rows 38 to 55
    ```
  }];
  let statistics = [
    Statistic<"numTiled", "tiled",
              "Windows computed together with their producer, some rows at a time">,
    Statistic<"numRefused", "refused", "Windows of a matching producer that no row tile suits">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def SelectTilingPass : Pass<"kgen-select-tiling", "::mlir::func::FuncOp"> {
  let summary =
      "Choose the tiles of tasks, those of caches, or vectors, and write them on the operations.";
  let description = [{
    Precondition of the level `distribution`: tpp ops and linalg.generic on tensors; large
    reductions are split (kgen-split-reductions). Of the level `cache`: the tasks are scf.forall
    (kgen-distribute-tasks), and kgen-reshape-reductions has run. Of the level `vector`: all tiles
    are made (kgen-cache-tiling). Postcondition: each op that is to be tiled, and each op that is to
    stay out of other ops' tasks or tiles, has a `lowering_config` with that part; after the level
    `cache` each op has `kgen.stores`; after the level `vector` each linalg.generic has `strategy`,
    `vector` and, of loops over vectors, `unroll`, unless another one fuses it.
    kgen-distribute-tasks, kgen-cache-tiling and kgen-vectorize read it, and decide nothing. A part
    that an op has already, written by hand or by a schedule, is kept, and the decisions about other
    ops respect it.

    **`distribution`** goes from the end of a function to its begin. The grid has a dimension for
    each tiled dimension of the result, and reductions are never tiled, so that results do not
    depend on the threads. An op is tiled if it has the work of two tasks, alone or with its
    producers:

    | op | order in which dimensions are tiled |
    |---|---|
    | contraction | batch dimensions with a B of their own, blocks of rows, panels of columns, rows in smaller blocks; first the columns if every task may read all of A and B is large |
    | elementwise op, reduction | outer dimensions; the innermost one if it is the only one, in whole cache lines |
    | op whose rows share a reduction | columns, if half of the L2 holds 256 of them, or in pages of a row if not; else the shared dimension |
    | transpose | both contiguous dimensions, in transpose blocks |
    | reduction across rows to one row | runs of 32 pages, less if there would be fewer than four tasks |
    | layout transpose after a depthwise convolution | channels, in tiles whose image the L1 or L2 holds; the layout transpose in front joins the tasks |

    Tile sizes divide a dimension unless a large result would be written in runs of less than four
    pages, or tasks would be too few. An elementwise op that is tiled with no other one first gets a
    single loop, so that its tasks are whole cache lines, and layout transposes get the dimensions
    in which windows read their result.

    A producer joins the tasks if all of its users are in them and if each of its elements is needed
    by one task only: the scores, the softmax and the weighted sum of an attention head become one
    task. If there is a contraction among the producers, the tiles are those that the one with the
    most work would choose, if possible. Three kinds of producers get tasks of their own, or stay
    whole (tiles of 0):

    - a contraction that would get fewer rows or columns per tile than it would choose, as it would
      read its operands more often
    - a contraction that would get fewer tasks than it has alone, and fewer than the `cores` that
      the target states
    - a reduction of large slices whose results another one reduces, as it would be tiled into
      narrow slices

    **`cache`**: a normalization reads its input for the mean, for the variance and for the result;
    a softmax for the maximum, the powers and the quotients. Such a chain is tiled if the rows of a
    task exceed the budget of a tile: what comes from memory is read once, and what is between the
    ops never leaves the cache. A reduced dimension stays whole, and the dimensions inside of it are
    tiled. An op that only computes on the results of row reductions ends a chain, too, if it reads
    the rows twice. Contractions join no chain.

    | tiles of | budget |
    |---|---|
    | rows | half of the L1 |
    | rows from memory that are written through the caches, as they are not aligned for non-temporal stores (kgen-non-temporal-stores) | an eighth of the L1, so that reading and writing overlap; a quarter if they are written as flattened rows (kgen-vectorize) |
    | rows that a reduction goes across, unless a tile is contiguous | a quarter of the L2, as longer runs of memory are faster |
    | columns of these, in multiples of 256 bytes, if rows do not fit | three times the L1; half of the L2 for runs of at most a page |
    | columns of a result that is computed from a tensor of its size | three times the L1; a quarter of the L2 for the two smallest tiles; half of the L2 for runs of at most a page if rows come from memory at a pitch that uses all sets of the cache |

    The number of rows divides all rows, and is a multiple of 16 if that is at least a quarter of
    the largest possible number. Transposed rows (kgen-reshape-reductions) come in multiples of 16.

    Where results go, and by which stores (`kgen.stores`, see
    [#kgen.lowering_config](Dialects.md#loweringconfigattr)), is chosen before, for each op, by the
    sizes of tensors as a whole: of a chain, all but what enters and leaves it is a tile. Its result
    waits for memory if any of its ops does. Then the strategy that writes it is chosen together
    with the rows of a tile, as the cheapest one for rows of this length. Flattened rows and full
    lines (kgen-vectorize) need as many as begin and end at a cache line boundary, or a multiple
    of 16; they are written as `strategy`. The last tile has fewer rows if the number of rows is no
    multiple: the level `vector` chooses its strategy.

    A tile stays in registers (`unroll = 0`) if it takes at most half of them and there are 32, or
    the ops compute little: 16 transposed rows, or two vectors of columns of few rows from memory
    that are reduced vertically.

    **`vector`** is last, as a strategy depends on the tiles. Ops get the form that they are
    vectorized in: dimensions that are contiguous in every operand are collapsed; divisions and
    mathematical functions whose operands are broadcast along some loops, like 1 / sum of a row,
    become an op over the other loops. Then the cheapest strategy that matches is taken, by cycles
    for an element (`costmodel/VectorLoops.h`); of equal costs, the first one of
    `vectorize/VectorizationStrategies.def`. `vector` says along which loop vectors go, and how many
    of its iterations a vector operation does; `unroll`, how many of these an iteration of the loop
    over vectors does: one, or of a reduction along vectors four, each for a chain of its own, two
    with mathematical functions. `kgen explain` shows costs and refusals of all. Ops that have
    `vector` stay in their form. An elementwise op that windows fuse, and the fill that they begin
    with, get nothing.

    ```mlir
    %s = linalg.generic ... -> tensor<12x128x128xf32>
    %r = tpp.gemm ins(%s, %v : tensor<12x128x128xf32>, tensor<12x128x64xf32>) ... -> tensor<12x128x64xf32>
    ```
    becomes
    ```mlir
    %s = linalg.generic ... -> tensor<12x128x128xf32>
    %r = tpp.gemm ins(%s, %v : ...) ... {lowering_config = #kgen.lowering_config<distribution = [1, 0, 0, 0]>} -> tensor<12x128x64xf32>
    ```
  }];
  let options = [
    Option<"level", "level", "::kgen::TilingLevel", /*default=*/"::kgen::TilingLevel::distribution",
           "Tiles that are chosen",
           [{::llvm::cl::values(
             clEnumValN(::kgen::TilingLevel::distribution, "distribution", "tiles of tasks"),
             clEnumValN(::kgen::TilingLevel::cache, "cache", "tiles of sequential loops, in tasks and outside of them"),
             clEnumValN(::kgen::TilingLevel::vector, "vector", "how loops over vectors are made"))}]>,
    Option<"taskWork", "task-work", "int64_t", /*default=*/"1 << 20",
           "Scalar operations that a task has to take to be worth its start">
  ];
  let statistics = [
    Statistic<"numSelected", "selected", "Operations whose tiles or vectors were chosen">,
    Statistic<"numPreset", "given", "Operations that had some already">,
    Statistic<"numRefused", "refused",
              "Operations of a task's work that stay whole, contractions that get tasks of their "
              "own, chains without cache tiles">
  ];
  let dependentDialects = ["::kgen::KgenDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect"];
}

def DistributeTasksPass : Pass<"kgen-distribute-tasks", "::mlir::func::FuncOp"> {
  let summary =
      "Tile operations and the producers of their operands into grids of independent tasks.";
  let description = [{
    Precondition: tpp ops and linalg.generic on tensors; those that are to be tiled have a
    `lowering_config` with the tile sizes of tasks (`distribution`, by kgen-select-tiling).
    Postcondition: each of them is inside of an scf.forall, one iteration of which is a task.
    kgen-cache-tiling tiles inside of the tasks, kgen-fuse-parallel-loops relies on
    `#kgen.grid_partition` for grids that write to one result, kgen-outline-tasks makes functions of
    the bodies.

    A producer joins the tasks if it has no tile sizes of its own, all of its users are in the
    tasks, and each of its elements is needed by one task only. Tile sizes that do not divide a loop
    give several grids.

    ```mlir
    %s = linalg.generic ... -> tensor<12x128x128xf32>
    %r = tpp.gemm ins(%s, %v : tensor<12x128x128xf32>, tensor<12x128x64xf32>) ...
        {lowering_config = #kgen.lowering_config<distribution = [1, 0, 0, 0]>} -> tensor<12x128x64xf32>
    ```
    becomes
    ```mlir
    %r = scf.forall (%head) in (12) shared_outs(%o = %e) -> (tensor<12x128x64xf32>) {
      %s = linalg.generic ... -> tensor<1x128x128xf32>
      %t = tpp.gemm ins(%s, %vs : tensor<1x128x128xf32>, tensor<1x128x64xf32>) ... -> tensor<1x128x64xf32>
      scf.forall.in_parallel { tensor.parallel_insert_slice ... }
    }
    ```
    In a sequential loop (`scf.for`), ops are tiled in the same way: each iteration has its grids. A
    producer that reads a loop-carried tensor which the op overwrites stays before the grid.
  }];
  let statistics = [
    Statistic<"numDistributed", "distributed", "Operations that became grids of tasks">,
    Statistic<"numFused", "fused", "Producers that joined the tasks of their users">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect"];
}

def SplitReductionsPass : Pass<"kgen-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Split large reductions with few results into equal partial reductions, for tasks.";
  let description = [{
    Precondition: reductions are linalg.generic on tensors, pads are lowered (kgen-lower-packs).
    Postcondition: a reduction that has the work of several tasks has results for as many tasks;
    kgen-distribute-tasks, which never tiles reduced loops, relies on it.

    Splits a reduced loop into at most 64 equal parts (one for each core, if the target states more)
    (`linalg::splitReduction`), as many as there is work for, if one of these holds:

    - there are fewer than 4 results
    - the outermost loop is reduced, the innermost one is not, and the row of results is shorter
      than one page per task

    The partial results are combined in order, then what remains next to equal parts is, so that
    results do not depend on the threads. Left alone: ops with index semantics, and ops whose
    reduced loops are not contiguous.

    ```mlir
    %s = linalg.generic ... ins(%x : tensor<1000003xf32>) outs(%z : tensor<f32>)
    ```
    becomes
    ```mlir
    %p = linalg.generic ... ins(%parts : tensor<32x31250xf32>) outs(%zeros : tensor<32xf32>)
    %w = linalg.generic ... ins(%p : tensor<32xf32>) outs(%z : tensor<f32>)
    %s = linalg.generic ... ins(%rest : tensor<3xf32>) outs(%w : tensor<f32>)
    ```
  }];
  let options = [
    Option<"taskWork", "task-work", "int64_t", /*default=*/"1 << 20",
           "Scalar operations that a task has to take to be worth its start">
  ];
  let statistics = [
    Statistic<"numSplit", "split", "Reductions split into partial ones">,
    Statistic<"numRefused", "refused", "Large reductions whose reduced loops are not contiguous">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def CacheTilingPass : Pass<"kgen-cache-tiling", "::mlir::func::FuncOp"> {
  let summary =
      "Tile chains of elementwise operations and reductions so that their rows stay in a cache.";
  let description = [{
    Precondition: the tasks are scf.forall (kgen-distribute-tasks); the ops that end a chain have a
    `lowering_config` with tile sizes of the `cache` (kgen-select-tiling). Postcondition: chains are
    inside of scf.for over tiles; all tile sizes are constants, because remainders are peeled, and
    the ops of a chain whose end says `unroll = 0` say so, too: they stay in registers.
    kgen-vectorize relies on both.

    A producer without tile sizes of its own joins the loop if all of its users are in it, and a
    reduction also if others read its results after the loop, which then yields them. Contractions
    join no chain. Ops that reduce an axis in blocks of rows are tiled one after another.

    ```mlir
    %m = linalg.generic ... ins(%x : tensor<128x4096xf32>) -> tensor<128xf32>
    %r = linalg.generic ... ins(%x, %m : tensor<128x4096xf32>, tensor<128xf32>)
        {lowering_config = #kgen.lowering_config<cache = [1, 0]>} -> tensor<128x4096xf32>
    ```
    becomes
    ```mlir
    %r = scf.for %row = %c0 to %c128 step %c1 iter_args(%o = %e) -> (tensor<128x4096xf32>) {
      %m = linalg.generic ... -> tensor<1xf32>
      %s = linalg.generic ... -> tensor<1x4096xf32>
      tensor.insert_slice ...
    }
    ```
  }];
  let statistics = [
    Statistic<"numTiled", "tiled", "Chains tiled">,
    Statistic<"numInRegisters", "in-registers", "Chains whose tiles stay in registers">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect"];
}

def ReshapeReductionsPass : Pass<"kgen-reshape-reductions", "::mlir::func::FuncOp"> {
  let summary = "Transpose or split reductions of short rows so that they fill vectors.";
  let description = [{
    Precondition: linalg on tensors; pads are lowered (kgen-lower-packs). Postcondition: transposed
    ops only occur between two linalg.transpose, which kgen-cache-tiling keeps in one tile and
    kgen-vectorize turns into in-register transposes; split rows are views (tensor.expand_shape).

    **Inner reductions** of rows of r elements (L lanes per vector) are transposed, so that a lane
    is a row, if all hold:

    - 2 <= r <= min(16, 1.5 L), r % L != 0
    - there are at least 1024 rows; the last outer dimension is a multiple of 16, or 128 and more
    - another op computes on the same tensors and the result, like the one that finds the index of a
      maximum; or r <= 2 L / 3 (32 registers), r <= 3 (AVX2), r <= 2 (SSE)
    - not if the target has 16 registers and kgen-vectorize can flatten all elementwise ops of the
      chain

    ```mlir
    %m = linalg.generic ... ins(%x : tensor<65536x10xf32>) -> tensor<65536xf32>
    %p = linalg.generic ... ins(%x, %m : tensor<65536x10xf32>, tensor<65536xf32>) -> tensor<65536x10xf32>
    %r = ...
    ```
    becomes
    ```mlir
    %t = linalg.transpose ins(%x : tensor<65536x10xf32>) ... permutation = [1, 0]
    %m = linalg.generic ... ins(%t : tensor<10x65536xf32>) -> tensor<65536xf32>
    %p = linalg.generic ... ins(%t, %m : tensor<10x65536xf32>, tensor<65536xf32>) -> tensor<10x65536xf32>
    ...
    %r = linalg.transpose ins(%u : tensor<10x65536xf32>) ... permutation = [1, 0]
    ```

    **Outer reductions** across rows that do not fill vectors, like the 49 elements of an image of
    7x7 pixels, are split: f consecutive rows become one, which is reduced as such; its result is
    reduced to one row. Ops that compute on tensors of the same shape work on the joined rows, too.
    The cost per element is the share of lanes used, inverted, plus f / rows for what each of the
    joined rows adds. f is the factor of the number of rows, at most a cache line of elements and a
    quarter of the rows, that makes it least, if that saves 0.1 (or 1, if a reduction alone reads
    the rows, for which memory is slower).

    ```mlir
    %m = linalg.generic ... ins(%x : tensor<32x512x49xf32>) -> tensor<32x49xf32>
    %p = linalg.generic ... ins(%x, %m : tensor<32x512x49xf32>, tensor<32x49xf32>) -> tensor<32x512x49xf32>
    ```
    becomes
    ```mlir
    %y = tensor.expand_shape %x [[0], [1, 2], [3]] ... into tensor<32x32x16x49xf32>
    %n = linalg.generic ... ins(%y : tensor<32x32x16x49xf32>) -> tensor<32x16x49xf32>
    %m = linalg.generic ... ins(%n : tensor<32x16x49xf32>) -> tensor<32x49xf32>
    %r = linalg.generic ... ins(%m : tensor<32x49xf32>) -> tensor<32x16x49xf32>
    %q = linalg.generic ... ins(%y, %r : tensor<32x32x16x49xf32>, tensor<32x16x49xf32>) -> tensor<32x32x16x49xf32>
    %p = tensor.collapse_shape %q [[0], [1, 2], [3]] ... into tensor<32x512x49xf32>
    ```
  }];
  let statistics = [
    Statistic<"numTransposed", "transposed", "Chains of inner reductions transposed">,
    Statistic<"numSplit", "split", "Operations on split rows">,
    Statistic<"numRefused", "refused", "Reductions of short rows that stay as they are">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

#endif
