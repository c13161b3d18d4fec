#ifndef KGEN_TRANSFORMS_TILING_PASSES_TD
#define KGEN_TRANSFORMS_TILING_PASSES_TD

include "mlir/Pass/PassBase.td"

def OverlappedTilingPass : Pass<"kgen-overlapped-tiling", "::mlir::func::FuncOp"> {
  let summary = "Make images that no second-level cache keeps band by band, between windows and what makes their input.";
  let description = [{
    The result of a 1x1 convolution that windows along each channel read, and nobody else, is often several times as large as
    the images around it. If it is larger than the second-level cache, a loop goes over bands of its rows instead: each of its
    steps makes as many rows as the cache keeps, and what the windows make of them, together with the elementwise operations
    and the contraction along channels that read that row by row. The rows that two bands need, which are few, are made twice.
    Only the first band has the padding in front of the image, and only the last one that behind it: they stand outside of the
    loop. What is in a step becomes grids of tasks as everywhere (kgen-distribute-tasks).

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
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def DistributeTasksPass : Pass<"kgen-distribute-tasks", "::mlir::func::FuncOp"> {
  let summary = "Cut large operations into grids of independent tasks, together with what produces their operands.";
  let description = [{
    From the end of a function on, each operation on tensors that is worth it becomes an `scf.forall` whose body computes one
    tile of its result. The grid has one dimension for each dimension of the result that is cut: batch dimensions first, then
    rows, then panels of columns; sums are never cut, so that results do not depend on who runs the tasks. Sizes divide
    the dimension, tiles of contractions are whole panels wide and, where the size allows it, as high as the target's blocks.
    Where equal tiles of a large result would be so many short pieces of memory, which is not fetched ahead across them, outer dimensions
    are cut into tiles that do not divide them. A dimension along which all elements need the same sums is cut only if there
    is no other one, equally or not: instead of it columns, if the second-level cache keeps a piece of them, or if they are
    some pages long: a task reads pages, again perhaps from a cache behind that. The only row of results that others across it are reduced
    to is cut into 32 pages or, for four tasks, fewer: the longer the pieces of each row, the faster is memory.

    Images whose channels come first are turned for windows of single channels, as those of a depthwise convolution, and their results are
    turned back. Both are done where the windows are, in tasks of as many channels as make a line, twice as many while the first-level cache
    keeps their image and its result, or half of a line if the second-level cache keeps no more.

    A producer moves into the loop if all of its users are in it and each of its elements is needed by one task only: the
    scores, the softmax and the weighted sum of an attention head become one task. Where there is a contraction among the
    producers, the grid is the one that the largest of them would choose, if that is possible; a contraction that would get
    tiles of fewer rows or columns than it would choose stays outside, because it would read its operands more often. So does a
    reduction of large parts whose results another one reduces, the last operation or one before it: cut as that one's few results would be, tasks would read narrow pieces.

    ```mlir
    %s = linalg.generic ... -> tensor<12x128x128xf32>
    %r = tpp.gemm ins(%s, %v : tensor<12x128x128xf32>, tensor<12x128x64xf32>) ... -> tensor<12x128x64xf32>
    ```
    becomes
    ```mlir
    %r = scf.forall (%head) in (12) shared_outs(%o = %e) -> (tensor<12x128x64xf32>) {
      %s = linalg.generic ... -> tensor<1x128x128xf32>
      %t = tpp.gemm ins(%s, %vs : tensor<1x128x128xf32>, tensor<1x128x64xf32>) ... -> tensor<1x128x64xf32>
      scf.forall.in_parallel { tensor.parallel_insert_slice ... }
    }
    ```
    In a sequential loop (`scf.for`), operations are cut in the same way, which makes a grid of tasks in each of its steps. What
    reads a state that an operation writes over does not move into its grid.

    Operations of less than two tasks' work stay as they are. An elementwise operation that is cut with no other one first gets one
    loop over all elements: its tasks are whole lines of memory, whatever its dimensions are.
  }];
  let options = [
    Option<"taskWork", "task-work", "int64_t", /*default=*/"1 << 20",
           "Scalar operations that a task has to take to be worth its start">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect"];
}

def SplitReductionsPass : Pass<"kgen-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Reduce large tensors to few elements in equal parts, for tasks.";
  let description = [{
    A sum of all elements is one task, however large it is: sums are never cut. Where there are fewer than 4 results, the loop that is
    reduced is cut into equal parts before that, up to 32 and as many as are worth a task each, by upstream's
    `linalg::splitReduction`. So it is where rows are reduced to one that is too short for tasks to read long pieces of each row (32 pages
    or less): a task reads some of the rows then. Their results are combined in order, then what is left beside equal parts is, so
    that the result is the same whoever runs the tasks. Operations of several loops that are reduced, but not one behind the other in
    memory, stay as they are, as do those that ask for an index.

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
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def CacheTilingPass : Pass<"kgen-cache-tiling", "::mlir::func::FuncOp"> {
  let summary = "Put loops over blocks of rows around chains of elementwise operations and reductions.";
  let description = [{
    A normalization reads its input for the mean, for the variance and for the result; a softmax for the maximum, the powers
    and the quotients. If a task's rows together do not fit in half of the first-level cache, the operations of such a chain
    work through them in blocks that do: what is read from memory is read once, and what is between them never leaves the
    cache. Blocks are as large as possible, and divide the number of rows; a multiple of 16 of them, which are reduced together, if
    that is a quarter of the largest or more. What is computed of the rows' sums alone ends a chain, too, if it reads the rows twice. A
    dimension that is reduced stays whole, and those inside of it are cut; rows that lie apart in memory are read in longer pieces, in
    blocks that fill a quarter of the second-level cache, unless a block is one piece of memory anyway. Rows that come from memory and
    are not aligned to be streamed (kgen-non-temporal-stores) make blocks of an eighth of the first-level cache, so that reading and writing
    overlap; where they are written from row to row (kgen-vectorize), 16 of them or as many more as a quarter has room for, or else as
    many as begin and end with a line, as where they are written line by line. If the second-level cache has no room for a block otherwise, the innermost dimension of such rows is cut, too, into pieces
    of at least 256 bytes, equal ones if there are such;
    so is it, into pieces of a page and less, where they would be longer than a few first-level caches keep, or half of the second-level
    cache if they come from memory, and not from rows whole pages apart, which meet in few sets of a cache.
    Short rows that lie across (kgen-transpose-inner-reductions) are turned back in the same block, a multiple of 16 of them; what is left of an
    odd number is a block of its own. Contractions are no part of a chain.

    Where the vectors of each tensor of such a block take at most half of the registers, of which there are 32 or nothing much is computed,
    the block is 16 rows, and all of it stays in registers: `kgen.unroll_full` marks its operations, which become vectors without loops
    (kgen-vectorize). So does a tile of two vectors of columns where few rows from memory are reduced across, as those of some classes are.
    The number of reads and writes then is that of a copy, and they are as far apart as what is computed between them.

    The loop also gives the sums of its rows to those that read them after it; where an axis is reduced in blocks of rows, as a maximum and a
    sum that reads it are, the blocks are worked on one after another.

    ```mlir
    %m = linalg.generic ... ins(%x : tensor<128x4096xf32>) -> tensor<128xf32>
    %r = linalg.generic ... ins(%x, %m : tensor<128x4096xf32>, tensor<128xf32>) -> tensor<128x4096xf32>
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
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect"];
}

def SplitOuterReductionsPass : Pass<"kgen-split-outer-reductions", "::mlir::func::FuncOp"> {
  let summary = "Let several short rows be one, where rows are reduced across.";
  let description = [{
    Along the channels of images of 7 x 7 pixels that lie one after another, a row has 49 elements: three vectors and a sixteenth, which takes
    as long as a whole one. Where rows that are reduced do not fill vectors, as many of them as fill them best are one: they are
    reduced as such, the result to that of one row, and what reads it reads it once for each of the joined rows. Elementwise operations on
    tensors of the same shape are done on joined rows, too. Rows that are too few, or no multiple of any number that would help, stay as they are; and those of half
    a vector and more if a reduction alone reads them, which memory is slower than.

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
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def TransposeInnerReductionsPass : Pass<"kgen-transpose-inner-reductions", "::mlir::func::FuncOp"> {
  let summary = "Let short rows lie across vectors, where several operations work on them.";
  let description = [{
    A vector that holds a row of ten elements is not full, and its sum takes as long as that of a whole one. Where rows of at most 16
    elements and a vector and a half, but of no whole ones, a thousand or more, are reduced, and another operation works on the same
    tensors, as the one that looks for the place of a maximum does, these are transposed before and
    after, so that a lane of a vector is a row: sums are taken lane by lane. The transpositions take place in registers, a block of rows
    at a time (kgen-cache-tiling). A sum alone is worth one for rows of up to two thirds of a vector, with 32 registers, or else of three
    elements (two without AVX2). With 16 registers, rows of more than two thirds of a vector stay where all that is computed for each
    element can go from row
    to row (kgen-vectorize).

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
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif
