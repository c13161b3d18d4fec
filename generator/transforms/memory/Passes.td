#ifndef KGEN_TRANSFORMS_MEMORY_PASSES_TD
#define KGEN_TRANSFORMS_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def InsertPrefetchesPass : Pass<"kgen-insert-prefetches", "::mlir::func::FuncOp"> {
  let summary = "Prefetch what loops over vectors read from tensors that are larger than the second-level cache.";
  let description = [{
    A CPU looks some hundred instructions ahead: where the work on a vector takes a good part of them, few reads are under way
    at a time, and the prefetcher of the hardware is not early enough. Each vector that an innermost loop reads from such a
    tensor is asked for 2048 bytes earlier, all lines of it. Where several loops of a block read the same row, or the same block of rows, up to a quarter of the second-level cache, each row by row, some rows side by side or all of them as one, one of them asks
    for the next one while this one is in the cache (for the second-level cache, if it is more than half of the first one): the one that computes most, or else the last. Where that comes before the last one,
    it asks for the memory that the last one writes, too; where it is the last one, the first one does. A loop that reads four rows or more side by side asks for none: the
    prefetcher of the hardware follows each of them, but does not know where the next block of rows is. Short rows that lie one behind the
    other are asked for where a loop of their block has functions, or reads eight or more at a time.

    Windows of a pool read some rows of an image side by side, and the next ones after that. What they come to is asked for 8192 bytes
    earlier, in the order in which memory has it instead of row by row, from the second-level cache on. Rows of less than 512 bytes are
    one stream for the hardware.

    In a loop with a product in it, blocks of rows that are read vector by vector are asked for a step ahead, and those that will be
    written at its beginning: both come while the product is computed. Where functions of vectors are computed in that loop, too, each
    step asks for a line or two instead: all at once, they wait for each other.

    ```mlir
    %p = arith.addi %i, %c512 : index
    memref.prefetch %x[%p], read, locality<3>, data : memref<16777216xf32>
    %v = vector.transfer_read %x[%i], %zero : memref<16777216xf32>, vector<16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def NonTemporalResultsPass : Pass<"kgen-non-temporal-results", "::mlir::func::FuncOp"> {
  let summary = "Store results that no cache keeps past the caches.";
  let description = [{
    A store brings its line into the caches first, although all of it is written over: a copy reads two tensors to write one.
    Results that are larger than 32 second-level caches, that nothing in the function reads, and whose lines are written as a whole, or one
    part after another, go past the caches; of elements narrower than 32 bits, whole lines only. What writes such a result comes twice: for
    memory that is aligned as the vectors
    are, and as before. The end of a result that is no whole line, nor parts of it, is stored as before. Vectors of rows that begin inside of lines are stored in parts that are aligned. Such stores may become visible late: a fence comes
    after them.

    ```mlir
    scf.forall (%i) = (0) to (16384) step (512) {
      scf.if %is_aligned {
        scf.for %j = ... {
          vector.store %r, %y[%j] {alignment = 64, nontemporal = true} : memref<524288xf32, strided<[1], offset: ?>>, vector<16xf32>
        }
        llvm.call_intrinsic "llvm.x86.sse.sfence"() : () -> ()
      } else {
        scf.for %j = ... {
          vector.transfer_write %r, %y[%j] {in_bounds = [true]} : vector<16xf32>, memref<524288xf32, strided<[1], offset: ?>>
        }
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

def NonTemporalStoresPass : Pass<"kgen-non-temporal-stores", "::mlir::func::FuncOp"> {
  let summary = "Store whole cache lines past the caches, where lines of many rows of a large tensor are written in turn.";
  let description = [{
    A store brings its line into the caches first, although all of it is written over. The prefetchers of the hardware hide
    that where the lines of a row follow each other; not where each step of a loop writes a line of one row after another, as
    transpositions do. There the loops come twice if the tensor is larger than four second-level caches: with stores that the
    caches do not keep, for memory that begins with a line, and as before. Such stores may become visible late: a fence comes
    after them.

    ```mlir
    scf.if %begins_with_a_line {
      scf.for %j = %c0 to %c4096 step %c16 {
        vector.store %r0, %y[%i0, %j] {alignment = 64, nontemporal = true} : memref<4096x4096xf32>, vector<16xf32>
        vector.store %r1, %y[%i1, %j] {alignment = 64, nontemporal = true} : memref<4096x4096xf32>, vector<16xf32>
      }
      llvm.call_intrinsic "llvm.x86.sse.sfence"() : () -> ()
    } else {
      scf.for %j = %c0 to %c4096 step %c16 {
        vector.transfer_write %r0, %y[%i0, %j] {in_bounds = [true]} : vector<16xf32>, memref<4096x4096xf32>
        vector.transfer_write %r1, %y[%i1, %j] {in_bounds = [true]} : vector<16xf32>, memref<4096x4096xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def PadLeadingDimensionPass : Pass<"kgen-pad-leading-dimension", "::mlir::func::FuncOp"> {
  let summary = "Give buffers longer rows where register tiles would read rows that share few sets of the first cache.";
  let description = [{
    Kernels read all rows of a register tile side by side. Rows that are a multiple of a page apart, as those of images with 1024
    channels or of every other pixel of 512, share one set of the first cache, which is indexed by the place in a page: where they take
    more than half of its ways, they and B drive each other out. A buffer of the function's own that a contraction reads so gets rows
    that are longer by a line, if everything that uses it reads and writes rows or parts of them: contractions that add to it in place,
    loops over vectors, views that keep the last dimension. Nothing is copied; the end of a row is never read or written.

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
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanWorkspacePass : Pass<"kgen-plan-workspace", "::mlir::func::FuncOp"> {
  let summary = "Place all buffers of a graph in one block given by the caller.";
  let description = [{
    Every `memref.alloc` of a public function becomes a view of a new last argument. Buffers whose lifetimes (first to last
    use, through all views) do not overlap share memory; larger buffers are placed first, each at the lowest address that
    is free, in units of 64 bytes. The size is recorded as `kgen.workspace` on the function. An allocation of a size that
    is not known is an error, and so is one in a loop that is carried into the next iteration. Private functions keep
    their allocations.

    A buffer that is allocated in a `scf.forall` exists once for each task, because all may run at the same time: it takes as
    many slots as the grid has tasks, and the view is chosen by the task's slot, so that tasks which run one behind the other
    have the same memory, and find it in the caches. The grid must be known. In a body that only some of a grid's tasks run, see
    kgen-fuse-parallel-loops, it takes slots for these, chosen by the task's index.

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
  let dependentDialects = ["::kgen::KgenDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect"];
}

def LowerCopiesPass : Pass<"kgen-lower-copies", "::mlir::func::FuncOp"> {
  let summary = "Turn strided memref.copy into loops, so that no runtime function is called.";
  let description = [{
    Contiguous copies stay (they become `memcpy`); self-copies vanish; other copies become loops over contiguous rows, or
    over elements where rows are not contiguous. Copies whose size is not known stay too. What is worth several tasks is cut
    along its outermost dimension. Copies right after each other into parts of rows of the same buffer, as a concatenation makes them,
    are one loop, which writes those rows from end to end.
  }];
  let options = [
    Option<"taskWork", "task-work", "int64_t", /*default=*/"0",
           "Scalar operations that a task has to take to be worth its start; 0: without tasks">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::ub::UBDialect"];
}

def OutlineConstantsPass : Pass<"kgen-outline-constants", "::mlir::ModuleOp"> {
  let summary = "Move large constants out of the module, to be shared between variants.";
  let description = [{
    A `memref.global` constant of at least `min-bytes` loses its value and gets the name `<prefix><hash>`; the values are
    collected in `kgen.weights` on the module, from where the driver emits each distinct one once. Constants of equal type
    and bytes, in one module or in several, are one. The hash is the first 128 bits of the SHA-256 of the type and the
    bytes. Splats stay: they are rarely needed in memory.
  }];
  let options = [Option<"prefix", "prefix", "std::string", "\"kgen_weights_\"", "Beginning of the symbols.">,
                 Option<"minBytes", "min-bytes", "int64_t", "256", "Smaller constants stay in the module.">];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif
