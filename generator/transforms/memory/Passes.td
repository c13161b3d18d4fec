#ifndef KGEN_TRANSFORMS_MEMORY_PASSES_TD
#define KGEN_TRANSFORMS_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def InsertPrefetchesPass : Pass<"kgen-insert-prefetches", "::mlir::func::FuncOp"> {
  let summary =
      "Prefetch what loops over vectors read from tensors larger than the second-level cache.";
  let description = [{
    Precondition: loops over vectors on memrefs (kgen-vectorize, kgen-bufferize); copies are loops
    (kgen-lower-copies); `tpp` operations are not lowered yet, since loops around a `tpp.gemm` are
    recognized by it. Postcondition: each `memref.prefetch` of the function names what it prefetches
    by a view of the same buffer; kgen-non-temporal-stores drops those of lines that it stores
    non-temporally.

    An out-of-order core looks some hundred instructions ahead. Where the arithmetic on a vector is
    a good part of them, few reads are under way at a time, and the hardware prefetcher is late.
    Three access patterns are prefetched, all lines of each vector:

    1. A loop that reads vectors of a tensor in order. The prefetch distance is 2048 bytes. Where
       several loops of a block read the same slice of the tensor (of at most a quarter of the
       second-level cache), one of them prefetches the next slice instead: the loop with the most
       arithmetic per vector, else the last one. The target is the first-level cache, or the
       second-level one if the slice is more than half of the first-level cache. If that loop comes
       before the last one, it also prefetches what the last one writes. No prefetch is inserted
       where a loop reads four rows or more side by side, unless the next slice is known: the
       hardware prefetcher follows each row, but does not know the next slice. Short contiguous rows
       are prefetched if a loop of their block computes mathematical functions or advances eight
       rows or more at a time.
    2. Windows of a pool, which read several rows of an image side by side. The prefetch distance is
       8192 bytes, into the second-level cache, in the order of memory instead of the order of the
       reads. Rows shorter than 512 bytes are left to the hardware prefetcher.
    3. Blocks of rows that are read or written vector by vector in a loop around a `tpp.gemm`. The
       next block that is read and the current block that will be written are prefetched while the
       product is computed. If a nest of loops with mathematical functions follows, its iterations
       prefetch one or two lines each; otherwise all lines are prefetched at once.

    ```mlir
    %p = arith.addi %i, %c512 : index
    memref.prefetch %x[%p], read, locality<3>, data : memref<16777216xf32>
    %v = vector.transfer_read %x[%i], %zero : memref<16777216xf32>, vector<16xf32>
    ```
  }];
  let statistics = [Statistic<"numStreams", "streams",
                              "Access streams of loops over vectors that are prefetched">,
                    Statistic<"numWindows", "windows",
                              "Windows over several rows that are prefetched">,
                    Statistic<"numBlocks", "blocks",
                              "Blocks of rows next to a contraction that are prefetched">,
                    Statistic<"numRefused", "refused",
                              "Access streams of large tensors left to the hardware prefetcher">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def NonTemporalStoresPass : Pass<"kgen-non-temporal-stores", "::mlir::func::FuncOp"> {
  let summary = "Store what no cache keeps with non-temporal stores.";
  let description = [{
    Precondition: loops over vectors on memrefs with prefetches (kgen-insert-prefetches);
    kgen-vectorize and kgen-cache-tiling have chosen the vectors with these stores in mind.
    Postcondition: loops with non-temporal stores are in the first branch of an `scf.if` that checks
    the alignment, and end with a store fence; the second branch has the loops as they were.

    An ordinary store reads its cache line first, although all of it is overwritten: a copy reads
    two tensors to write one. Stores become non-temporal in two cases. kgen-select-tiling has chosen
    them by the size of the tensor (`kgen.stores`, see
    [#kgen.lowering_config](Dialects.md#loweringconfigattr)), or a schedule demands them; for
    copies, and for results that became parts of larger ones on buffers, the size is asked here.

    1. Results of the function, if all of these hold: the result is larger than the last-level cache
       (32 second-level caches); the function only writes it, by vectors; these fill whole lines, or
       runs of 256 bytes; elements that are narrower than 32 bits fill whole lines. The outermost
       operation of the function or of a task that writes such results is versioned. Vectors that
       begin inside of lines are stored in aligned slices of at least 16 bytes. The end of a result
       that is neither a whole line nor such slices keeps its ordinary store.

    ```mlir
    scf.forall (%i) = (0) to (16384) step (512) {
      scf.if %is_aligned {
        scf.for %j = ... {
          vector.store %r, %y[%j] {alignment = 64, nontemporal = true} : memref<524288xf32, strided<[1], offset: ?>>, vector<16xf32>
        }
        kgen.store_fence
      } else {
        scf.for %j = ... {
          vector.transfer_write %r, %y[%j] {in_bounds = [true]} : vector<16xf32>, memref<524288xf32, strided<[1], offset: ?>>
        }
      }
    }
    ```

    2. Transposes: a loop whose iterations write whole lines of four rows or more of a tensor larger
       than four second-level caches, all at one column. The hardware prefetcher hides the reads of
       lines that follow each other in a row, but not of these. The loops around the stores are
       versioned.

    ```mlir
    scf.if %begins_with_a_line {
      scf.for %j = %c0 to %c4096 step %c16 {
        vector.store %r0, %y[%i0, %j] {alignment = 64, nontemporal = true} : memref<4096x4096xf32>, vector<16xf32>
        vector.store %r1, %y[%i1, %j] {alignment = 64, nontemporal = true} : memref<4096x4096xf32>, vector<16xf32>
      }
      kgen.store_fence
    } else {
      scf.for %j = %c0 to %c4096 step %c16 {
        vector.transfer_write %r0, %y[%i0, %j] {in_bounds = [true]} : vector<16xf32>, memref<4096x4096xf32>
        vector.transfer_write %r1, %y[%i1, %j] {in_bounds = [true]} : vector<16xf32>, memref<4096x4096xf32>
      }
    }
    ```
  }];
  let statistics =
      [Statistic<"numResults", "results", "Results of functions that are stored non-temporally">,
                    Statistic<"numLoops", "loops",
                              "Loops over columns of lines that are stored non-temporally">,
                    Statistic<"numRefused", "refused",
                              "Results larger than the last-level cache, and columns of lines of small tensors, that are not">];
  let dependentDialects = ["::kgen::KgenDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect", "::mlir::scf::SCFDialect"];
}

def PadLeadingDimensionPass : Pass<"kgen-pad-leading-dimension", "::mlir::func::FuncOp"> {
  let summary = "Pad the rows of buffers that register tiles would read with conflict misses.";
  let description = [{
    Precondition: buffers are `memref.alloc` (kgen-bufferize), contractions are `tpp` operations.
    Postcondition: a padded buffer is the first subview of a larger allocation, which
    kgen-plan-workspace counts as a whole.

    A micro-kernel reads all rows of a register tile side by side. Rows whose distance is a multiple
    of a page (images of 1024 channels, or every other pixel of 512) map to one set of the
    first-level cache, which is indexed by the offset in a page. Where they take more than half of
    its ways, they and B evict each other. The leading dimension of a buffer grows by one line if
    all of these hold:

      a contraction reads the buffer as A with such rows
      the function allocates the buffer
      all users access rows or slices of rows: contractions that add to it, loops over vectors,
        views that keep the last dimension

    Nothing is copied; the padding is never read or written.

    ```mlir
    %a = memref.alloc() : memref<1x14x14x1024xf32>
    ```
    becomes
    ```mlir
    %l = memref.alloc() : memref<1x14x14x1040xf32>
    %a = memref.subview %l[0, 0, 0, 0] [1, 14, 14, 1024] [1, 1, 1, 1]
           : memref<1x14x14x1040xf32> to memref<1x14x14x1024xf32, strided<[203840, 14560, 1040, 1]>>
    ```
  }];
  let statistics = [Statistic<"numPadded", "padded", "Buffers with a padded leading dimension">,
                    Statistic<"numRefused", "refused",
                              "Buffers with conflict misses that some user does not allow to be "
                              "padded">];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ResolveSizesPass : Pass<"kgen-resolve-sizes", "::mlir::func::FuncOp"> {
  let summary = "Compute sizes from the function's sizes, and not from what operations make.";
  let description = [{
    Precondition: tensors or memrefs; sizes that are known at run time are arguments with
    `kgen.size`, and sizes of other arguments follow from them (`kgen.shape`). Postcondition: no
    `tensor.dim` and no `memref.dim` of what such sizes determine; an index that can have one value
    only is a constant.

    Tiling asks an operation's operands for its sizes. A size of the operand of an operation keeps
    that operation where it is, and a size of a buffer cannot be asked for when buffers are
    addresses.

    ```mlir
    %d = tensor.dim %t, %c0 : tensor<?x1024xf32>           // of %x, with kgen.shape = affine_map<()[s0] -> (s0, 1024)>
    scf.forall (%i) = (0) to (%d) step (48) {
    ```
    becomes
    ```mlir
    scf.forall (%i) = (0) to (%batch) step (48) {
    ```
  }];
  let statistics = [Statistic<"numResolved", "resolved",
                              "Sizes that are computed from the function's sizes, or constants">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect"];
}

def PlanWorkspacePass : Pass<"kgen-plan-workspace", "::mlir::func::FuncOp"> {
  let summary =
      "Assign offsets in one workspace, which the caller provides, to all buffers of a graph.";
  let description = [{
    Precondition: public functions have one block and allocate by `memref.alloc` (kgen-bufferize);
    grids of tasks are final (kgen-fuse-parallel-loops). Postcondition: no `memref.alloc` in a
    public function; its last argument is the workspace, `kgen.workspace` its size in bytes.
    kgen-outline-tasks replaces each `kgen.task_slot`; the driver puts the size into the header.

    Every `memref.alloc` of a public function becomes a view of a new last argument. Buffers whose
    lifetimes (first to last use, through all views) do not overlap share memory. Larger buffers are
    assigned first, each at the lowest free offset, in units of `alignment`. An allocation of
    unknown size is an error, and so is one in a loop that is carried into the next iteration.
    Private functions keep their allocations.

    A buffer that is allocated in an `scf.forall` exists once for each task, because all tasks may
    run at the same time. It takes as many slots as the grid has tasks; the task's slot selects the
    view, so that tasks that run one after another on a thread reuse memory that is in the caches.
    The grid must be known. In a body that only some of a grid's tasks run (see
    kgen-fuse-parallel-loops), it takes slots for these, selected by the task's index. In a function
    that is given sizes, buffers of a task with slots of one size, of which one is used of the
    other, have the same region: such tasks have loops for whole blocks, smaller ones and what
    remains.

    ```mlir
    scf.forall (%i, %j) in (2, 3) {
      %scratch = memref.alloc() : memref<16xf32>
    ```
    becomes
    ```mlir
    scf.forall (%i, %j) in (2, 3) {
      %task = affine.apply affine_map<(d0, d1) -> (d0 * 3 + d1)>(%i, %j)
      %slot = kgen.task_slot %task
      %offset = affine.apply affine_map<(d0) -> (d0 * 64)>(%slot)
      %scratch = memref.view %workspace[%offset][] : memref<384xi8> to memref<16xf32>
    ```
  }];
  let options = [Option<"alignment", "alignment", "int64_t", /*default=*/"64",
                        "Of each buffer, in bytes: a cache line, or what a graphics card asks for.">];
  let statistics = [Statistic<"numBuffers", "buffers", "Buffers in the workspace">,
                    Statistic<"numBytes", "bytes", "Bytes of the workspaces">,
                    Statistic<"numBytesShared", "shared", "Bytes that sharing memory saves">];
  let dependentDialects = ["::kgen::KgenDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect"];
}

def LowerCopiesPass : Pass<"kgen-lower-copies", "::mlir::func::FuncOp"> {
  let summary = "Lower strided memref.copy to loops, so that no runtime function is called.";
  let description = [{
    Precondition: buffers have their final memory (kgen-plan-workspace), so that the record can say
    which copies the graph needs. Postcondition: each `memref.copy` of static shape that stays is
    contiguous on both sides and becomes a `memcpy`; all others are loops over vectors, in which
    kgen-insert-prefetches and kgen-non-temporal-stores find what they rewrite.

    Copies onto themselves, also through reshapes, vanish. Other copies become loops over contiguous
    rows, or over elements where rows are not contiguous. Copies of unknown size become loops over
    elements. A copy that is worth several tasks is tiled along its outermost dimension. Consecutive
    copies into neighboring slices of the rows of one buffer, as a concatenation makes them, become
    one loop, which writes those rows from end to end.
  }];
  let options = [
    Option<"taskWork", "task-work", "int64_t", /*default=*/"0",
           "Scalar operations that a task has to take to be worth its start; 0: without tasks">
  ];
  let statistics =
      [Statistic<"numLoops", "loops", "Loops that take the place of one or more copies">,
                    Statistic<"numErased", "erased", "Copies of nothing, or onto themselves">,
                    Statistic<"numKept", "kept",
                              "Contiguous copies and copies of unknown rank that stay">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::ub::UBDialect"];
}

def OutlineConstantsPass : Pass<"kgen-outline-constants", "::mlir::ModuleOp"> {
  let summary = "Move large constants out of the module, to be shared between variants.";
  let description = [{
    Precondition: constants are `memref.global` (kgen-bufferize), packed at build time
    (kgen-fold-constant-packs). Postcondition: large constants are public declarations without a
    value; the driver takes the values from `kgen.weights` before the translation to LLVM IR.

    A `memref.global` constant of at least `min-bytes` loses its value and gets the name
    `<prefix><hash>`; the values are collected in `kgen.weights` on the module, from where the
    driver emits each distinct one once. Constants of equal type and bytes, in one module or in
    several, are one. The hash is the first 128 bits of the SHA-256 of the type and the bytes.
    Splats stay: they are rarely needed in memory.
  }];
  let options =
      [Option<"prefix", "prefix", "std::string", "\"kgen_weights_\"", "Beginning of the symbols.">,
                 Option<"minBytes", "min-bytes", "int64_t", "256",
                        "Smaller constants stay in the module.">];
  let statistics =
      [Statistic<"numOutlined", "outlined", "Distinct constants that leave the module">,
                    Statistic<"numDuplicates", "duplicates", "Constants that equal another one">,
                    Statistic<"numKept", "kept", "Constants that stay: small ones and splats">];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif
