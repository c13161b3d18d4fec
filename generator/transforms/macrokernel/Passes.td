#ifndef KGEN_TRANSFORMS_MACROKERNEL_PASSES_TD
#define KGEN_TRANSFORMS_MACROKERNEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def GemmToMacroKernelPass : Pass<"kgen-gemm-to-macro-kernel", "::mlir::ModuleOp"> {
  let summary =
      "Lower contractions on memrefs to macro-kernels: loops around calls of micro-kernels.";
  let description = [{
    Precondition: `tpp` contractions on memrefs with static strides (kgen-bufferize); B is packed
    where that pays (kgen-assign-layouts); pads that windows reach into are `tpp.implicit_pad`
    (kgen-fold-pad-into-contractions). Postcondition: no `tpp` contraction; each call has a
    `ukernel.gemm`, which kgen-generate-micro-kernels makes code of.

    The loops are, from outside: batch, blocks of rows, blocks of k, panels of columns, register
    tiles of rows. Block and tile sizes come from `#kgen.target`. Rows are balanced, so that the
    last tile is as tall as the others or one row shorter; remaining columns get a tile of their own
    width. One `ukernel.gemm` is created for each distinct kernel.

      A tile has at most as many rows of A as the first-level cache holds a line of: rows at a
        distance of pages map to one set, of half a page to two.
      A batch dimension that only A, C and the epilogue operands have, and that continues their
        rows, is merged into the rows.
      Where B is not packed and its rows are more than a page from each other, blocks of k have 64
        rows at most, one for each entry of a first-level TLB.

    What comes from memory is prefetched:

      The tiles of a panel of B share the prefetch of the next panel.
      Where one tile has all rows, each panel is read once, at the speed of memory, and the kernel
        prefetches its own next rows (`b_streams`). Likewise for columns of B that one row meets in
        dot products.
      Of an unpacked B, tiles prefetch the same columns of the next block of k, or columns further
        on where such a block fills more than a quarter of the second-level cache
        (`b_prefetch_rows`). Fewer rows of A than a register tile take blocks of 8 rows of such a B,
        more as there are more rows of A to hide the latency of C: four times their number, as a
        power of two. If the tile has all columns, B is one access stream, which the hardware
        prefetcher follows.

    Packed B of bf16 or f16 whose A is f32 is up-converted by the kernels. With t tiles of rows,
    that costs each of them `convert` cycles (the target's `widen_bf16` or `convert_f16`) for every
    k and vector of columns. Instead, the first tile keeps what it up-converts, and the others read
    that, if it pays:

        (t - 1) * convert * k > 2 * k + 2 * rows * (blocks - 1)

    The first 2 is for writing an up-converted vector, the second for loading and storing sums
    between blocks of k. Panels are up-converted side by side if tiles that read them are more
    square then and still fit the registers: 6 x 64 loads ten times for 24 products of vectors, 12 x
    32 fourteen times. A block is as deep as the target's first-level cache holds f32 of these
    columns. Sums are kept in C if it has their type. Both buffers, 5/2 of the first-level cache at
    most, are on the stack of the task. What is added, and in which order, stays the same.

    Matrix products (AArch64's smmla, bfmmla) take two rows of A in a vector. In place, each tile
    interleaves them, which takes the place of a product for two groups of k. With t tiles of
    columns, a block of A is packed before these, in the same memory, if it pays:

        (t - 1) * matrix > shuffle_cycles

    A group of k of one row and that of the next one alternate then; to a kernel, a group is a
    product, and rows are in runs of two. So it is where the number of rows is known and more than a
    tile has, k is a multiple of two groups, and the block has room; tiles of an odd number of rows
    read A in place.
  }];
  let statistics =
      [Statistic<"numContractions", "contractions", "Contractions that became macro-kernels">,
                    Statistic<"numMerged", "merged",
                              "Contractions with a batch dimension that became rows">,
                    Statistic<"numUpconverted", "up-converted",
                              "Contractions that up-convert panels of B once for several tiles">,
                    Statistic<"numPacked", "packed", "Contractions that pack blocks of A">,
                    Statistic<"numCalls", "calls", "Calls of micro-kernels">];
  let dependentDialects = ["::kgen::ukernel::UkernelDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def TppToUkernelPass : Pass<"kgen-tpp-to-ukernel", "::mlir::ModuleOp"> {
  let summary = "Replace elementwise tpp operations on memrefs by calls of micro-kernels.";
  let description = [{
    Precondition: elementwise `tpp` operations on memrefs. Postcondition: those that stay have
    dynamic or not contiguous rows, and kgen-tpp-to-linalg lowers them.

    Destinations are matrices with static strides and contiguous rows; inputs are full tiles, rows,
    columns or scalars of static strides. One `ukernel.map` is made for each distinct kernel.

    ```mlir
    tpp.relu ins(%x : memref<6x64xf32>) outs(%y : memref<6x64xf32>)
    ```
    becomes
    ```mlir
    ukernel.call @uk_map_f32_6x64_3e(%x, %y) : memref<6x64xf32>, memref<6x64xf32>
    ```
  }];
  let statistics = [Statistic<"numCalls", "calls", "Operations that became calls">,
                    Statistic<"numRefused", "refused",
                              "Operations on tiles that no micro-kernel has">];
  let dependentDialects = ["::kgen::ukernel::UkernelDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::kgen::KgenDialect"];
}

def FoldUkernelFlagsPass : Pass<"kgen-fold-ukernel-flags", "::mlir::ModuleOp"> {
  let summary =
      "Let a micro-kernel start from zero instead of adding to a tile of zeros (beta = 0).";
  let description = [{
    Precondition: calls of micro-kernels (kgen-gemm-to-macro-kernel, kgen-tpp-to-ukernel).
    Postcondition: no call accumulates into a tile that the operation before it in the block filled
    with zeros. First of the four passes around calls, since a gemm that starts from zero may write
    elsewhere (kgen-combine-ukernels).

    A gemm that accumulates into exactly the tile that was filled with zeros before it, in the same
    block, with nothing in between that may access any of it, starts from zero, and the fill
    vanishes. Views are followed to their buffers; buffers that are not proven distinct may overlap.
    A fill before a loop stays: only the first iteration would add to zeros.

    ```mlir
    linalg.fill ins(%zero : f32) outs(%c : memref<4x8xf32>)
    ukernel.call @uk_gemm_f32_4x8x6_acc(%a, %b, %c) : ...
    ```
    becomes
    ```mlir
    ukernel.call @uk_gemm_f32_4x8x6(%a, %b, %c) : ...
    ```
  }];
  let statistics = [Statistic<"numFills", "fills", "Fills that vanished">,
                    Statistic<"numAccumulating", "accumulating",
                              "Calls that accumulate into something else than such a fill">];
  let dependentDialects = ["::kgen::ukernel::UkernelDialect"];
}

def CombineUkernelsPass : Pass<"kgen-combine-ukernels", "::mlir::ModuleOp"> {
  let summary = "Let an elementwise micro-kernel become the epilogue of the gemm before it.";
  let description = [{
    Precondition: calls of micro-kernels. Postcondition: no elementwise kernel follows a gemm that
    could have it as its epilogue.

    A call of a gemm and a later call of a map in the same block are fused if all of these hold:

      an input of the map is the gemm's tile of C, at the element that is computed; the others are
        full tiles, rows, columns or scalars, which overlap nothing that is written
      nothing in between accesses C or writes what the gemm reads
      the map writes C in place; or it writes elsewhere, nothing else uses the buffer of C, and the
        gemm does not accumulate

    The fused call is where the map was.

    ```mlir
    ukernel.call @uk_gemm_f32_4x8x6(%a, %b, %c) : ...
    ukernel.call @uk_map_f32_4x8_1e(%bias, %c, %c) : ...
    ```
    becomes
    ```mlir
    ukernel.call @uk_gemm_f32_4x8x6_1e(%a, %b, %c, %bias) : ...
    ```
  }];
  let statistics = [Statistic<"numFused", "fused", "Elementwise kernels that became epilogues">,
                    Statistic<"numRefused", "refused",
                              "Elementwise kernels on a gemm's result that stay">];
  let dependentDialects = ["::kgen::ukernel::UkernelDialect"];
}

def VerifyUkernelCallsPass : Pass<"kgen-verify-ukernel-calls", "::mlir::ModuleOp"> {
  let summary = "Check that the tiles of calls are what the descriptors of micro-kernels say.";
  let description = [{
    Precondition: calls of micro-kernels. Postcondition: unchanged code that holds what follows,
    which the verifiers of single operations cannot see. Every error in the module is reported, then
    the pass fails.

    For each call: element types, sizes and strides of every tile; all products of a batch are
    within their buffers, where the offset is known; C overlaps nothing that is read, and the output
    of a map at most an input of the same tile.

    For each descriptor: rows of the destination do not overlap, no stride is negative, VNNI groups
    have 32 or 64 bits, rows of B are as long as `vnni` and `b_padded` read them, no dot products
    where the order of reductions is strict.
  }];
  let statistics = [Statistic<"numCalls", "calls", "Calls that were checked">];
}

def DeduplicateUkernelsPass : Pass<"kgen-deduplicate-ukernels", "::mlir::ModuleOp"> {
  let summary = "Merge equal descriptors of micro-kernels, and drop those without a call.";
  let description = [{
    Precondition: calls of micro-kernels, after whatever makes new descriptors. Postcondition: any
    two descriptors differ in more than their names (the first of several equal ones stays), and
    each has a call: kgen-generate-micro-kernels makes the code of each kernel once, and relies on
    it.

    ```mlir
    ukernel.gemm @uk_gemm_f32_4x8x6 ...
    ukernel.gemm @uk_gemm_f32_4x8x6_0 ... // equal
    ukernel.call @uk_gemm_f32_4x8x6_0(%a, %b, %c) : ...
    ```
    becomes
    ```mlir
    ukernel.gemm @uk_gemm_f32_4x8x6 ...
    ukernel.call @uk_gemm_f32_4x8x6(%a, %b, %c) : ...
    ```
  }];
  let statistics =
      [Statistic<"numErased", "erased", "Descriptors that equal another one or have no call">];
  let dependentDialects = ["::kgen::ukernel::UkernelDialect"];
}

#endif
