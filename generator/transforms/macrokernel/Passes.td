#ifndef KGEN_TRANSFORMS_MACROKERNEL_PASSES_TD
#define KGEN_TRANSFORMS_MACROKERNEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def GemmToMacroKernelPass : Pass<"kgen-gemm-to-macro-kernel", "::mlir::ModuleOp"> {
  let summary = "Cut tpp.gemm on memrefs into calls of micro-kernels.";
  let description = [{
    The loops are, from outside: batch, blocks of rows, blocks of k, panels of columns, register tiles of rows. Block and
    tile sizes come from `#kgen.target`; rows are dealt out evenly, so that the last tile is as tall as the others or one
    row shorter, and the columns that are left over get a tile of their own width. A tile has no more rows of A than the first
    cache holds a line of: rows that are pages apart share one of its sets, those half a page apart two. A batch dimension that only A, C and the
    extras have, and that continues their rows, is merged into the rows. One `ukernel.gemm` is created for each distinct
    kernel; the last block of k carries the epilogue. Where B lies in place with rows more than a page apart, blocks of k have 64
    rows at most, one for each entry of a first level of address translation.

    What comes from memory is asked for ahead of time. The tiles of a panel of B share in asking for the next one. Where one tile has
    all rows, each panel is read once, at the speed of memory, and the kernel asks for its own next rows (`b_streams`), as it does
    for columns of B that one row meets in dot products. Of a B in place, tiles ask for the same columns of the next block of k, or
    for columns further on where such a block fills more than a quarter of the second cache (`b_prefetch_rows`). Fewer rows of A than
    a register tile take blocks of 8 rows of such a B, more as there are more rows of A to hide the way of C behind: four times their
    number, as a power of two. If the tile has all columns, B is one stream, which what fetches ahead by itself follows.

    Packed B of bf16 or f16 whose A is f32 is widened by the kernels. With t tiles of rows, that costs each of them `widen` cycles (the
    target's `widen_bf16` or `convert_f16`) for every k and vector of columns. Instead, the first tile keeps what it widens, and
    the others read that, if it pays:

        (t - 1) * widen * k > 2 * k + 2 * rows * (blocks - 1)

    where the first 2 is for writing a widened vector, and the second for loading and storing sums between blocks of k. Panels are
    widened side by side if tiles that read them are more square then and still fit the registers: 6 x 64 loads ten times for 24
    products of vectors, 12 x 32 fourteen times. A block is as deep as the target's first cache holds f32 of these columns. Sums
    wait in C if it has their type. Both memories, 5/2 of the first cache at most, are on the stack of the task. What is added up,
    and in which order, stays the same.
  }];
  let dependentDialects = ["::kgen::ukernel::UkernelDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def TppToUkernelPass : Pass<"kgen-tpp-to-ukernel", "::mlir::ModuleOp"> {
  let summary = "Turn elementwise tile operations on memrefs into calls of micro-kernels.";
  let description = [{
    Destinations are matrices with static strides and contiguous rows; inputs are full tiles, rows, columns or scalars of static
    strides. One `ukernel.map` is made for each distinct kernel. Other operations stay for kgen-tpp-to-linalg.

    ```mlir
    tpp.relu ins(%x : memref<6x64xf32>) outs(%y : memref<6x64xf32>)
    ```
    becomes
    ```mlir
    ukernel.call @uk_map_f32_6x64_3e(%x, %y) : memref<6x64xf32>, memref<6x64xf32>
    ```
  }];
  let dependentDialects = ["::kgen::ukernel::UkernelDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::kgen::KgenDialect"];
}

def FoldZeroInitPass : Pass<"kgen-fold-zero-init", "::mlir::ModuleOp"> {
  let summary = "Fold zero fills into micro-kernels: adding to zeros is starting from zero.";
  let description = [{
    A gemm that accumulates into exactly the tile that was filled with zeros before it, in the same block, with nothing in between
    that may read or write any of it, starts from zero, and the fill vanishes. Views are followed to their buffers; what cannot be proven
    apart may overlap. A fill before a loop stays: only the first iteration would add to zeros.

    ```mlir
    linalg.fill ins(%zero : f32) outs(%c : memref<4x8xf32>)
    ukernel.call @uk_gemm_f32_4x8x6_acc(%a, %b, %c) : ...
    ```
    becomes
    ```mlir
    ukernel.call @uk_gemm_f32_4x8x6(%a, %b, %c) : ...
    ```
  }];
  let dependentDialects = ["::kgen::ukernel::UkernelDialect"];
}

def FuseUkernelEpiloguesPass : Pass<"kgen-fuse-ukernel-epilogues", "::mlir::ModuleOp"> {
  let summary = "Make one micro-kernel of a product and the elementwise operation on its result.";
  let description = [{
    A call of a gemm and a later call of a map in the same block, whose inputs are the gemm's tile of C, at the element that is
    computed, and any other full tiles, rows, columns and scalars, become one call of a gemm whose epilogue ends in the map's region.
    Nothing in between may read or write C or write what the gemm reads. The map may work in place, or write elsewhere if nobody
    else uses the buffer of C; its other inputs must not overlap what is written. The map runs where it was.

    ```mlir
    ukernel.call @uk_gemm_f32_4x8x6(%a, %b, %c) : ...
    ukernel.call @uk_map_f32_4x8_1e(%bias, %c, %c) : ...
    ```
    becomes
    ```mlir
    ukernel.call @uk_gemm_f32_4x8x6_1e(%a, %b, %c, %bias) : ...
    ```
  }];
  let dependentDialects = ["::kgen::ukernel::UkernelDialect"];
}

def DeduplicateKernelsPass : Pass<"kgen-deduplicate-kernels", "::mlir::ModuleOp"> {
  let summary = "Make one symbol of equal micro-kernels, and drop those that nobody calls.";
  let description = [{
    The first of several descriptors that differ in their names only stays.
  }];
}

def VerifyKernelsPass : Pass<"kgen-verify-kernels", "::mlir::ModuleOp"> {
  let summary = "Check the tiles of all calls against the descriptors.";
  let description = [{
    For each call: element types, sizes and strides of every tile; that all products of a batch lie in their buffers, where the place is
    known; that C overlaps nothing that is read, and the output of a map at most an input of the same tile. For each descriptor: rows of
    the destination are apart, no negative strides, VNNI groups of 32 bits, rows of B that are as long as `vnni` and `b_padded` read them, and
    no dot products where sums are to be sequential. Reports every error in the module, then fails. Changes nothing.
  }];
}

#endif
