// kgen's own passes. A pass is one file of the pass's name; its description here is its documentation.
#ifndef KGEN_PASSES_TD
#define KGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

//===-- level 3 to 5, on tensors ----------------------------------------------------------------------------------===//

def ContractionsToTppPass : Pass<"kgen-contractions-to-tpp", "::mlir::func::FuncOp"> {
  let summary = "Turn linalg contractions into tpp.gemm and tpp.brgemm.";
  let description = [{
    Takes every linalg operation on tensors that multiplies and adds, with one reduction dimension (`tpp.gemm`) or two
    (`tpp.brgemm`), in whatever order its operands are indexed: the last dimension of the result is n and the one before it m
    if only one of the operands has it, and what is missing has size one, so that products with vectors are contractions, too.
    Products of bf16 are added up in f32. A reduction of the type's VNNI factor that is innermost in both operands makes B one
    panel. A zero fill of the result disappears: the gemm then starts from zero instead of accumulating.

    ```mlir
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    %r = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%z : tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %r = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>) attributes {...} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<4x8xf32>
    ```
    Contractions that do more to their operands than extend, multiply and add them stay as they are.
  }];
  let options = [
    Option<"sequential", "sequential", "bool", /*default=*/"false",
           "Let every sum be one chain of multiply-adds over ascending k">
  ];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::tensor::TensorDialect"];
}

def GatherLocationsPass : Pass<"kgen-gather-locations", "::mlir::func::FuncOp"> {
  let summary = "Give each linalg operation the locations of everything that was fused into it.";
  let description = [{
    The ingress names the nodes of a graph by locations. Upstream's elementwise fusion gives the fused operation the
    consumer's location; those of the producers survive in its body, from where this pass takes them. With
    `kgen.decisions` on the module, each fusion is recorded.
  }];
}

def PropagateReshapesPass : Pass<"kgen-propagate-reshapes", "::mlir::func::FuncOp"> {
  let summary = "Move reshapes away from contractions.";
  let description = [{
    An elementwise operation on a `tensor.expand_shape` becomes one on the tensor below, followed by the reshape, where its
    operands allow it; a reshape at the end is applied to the destination instead. So a contraction that was folded to two
    dimensions has its bias and activation right behind it.

    ```mlir
    %r = tensor.expand_shape %gemm [[0, 1], [2]] ... : tensor<8x4xf32> into tensor<2x4x4xf32>
    %y = linalg.generic ... ins(%r, %bias : tensor<2x4x4xf32>, tensor<4xf32>) ...
    ```
    becomes
    ```mlir
    %y2 = linalg.generic ... ins(%gemm, %bias : tensor<8x4xf32>, tensor<4xf32>) ...
    %y = tensor.expand_shape %y2 [[0, 1], [2]] ... : tensor<8x4xf32> into tensor<2x4x4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::memref::MemRefDialect"];
}

def LinalgToTppPass : Pass<"kgen-linalg-to-tpp", "::mlir::func::FuncOp"> {
  let summary = "Raise linalg to named tile operations.";
  let description = [{
    A `linalg.generic` (or a named operation that generalises to one) whose body is the scalar code of an elementwise tile
    operation becomes that operation; also zero fills, transposes and reductions by one combining operation. The code that is
    looked for is what the operation's own `buildScalar` makes, so what kgen-tpp-to-linalg wrote is recognised again. Relu is
    recognised in each way to write `0 > x ? 0 : x` with the same result for NaN and -0. Static shapes only; everything else stays.

    ```mlir
    %r = linalg.add ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %r = tpp.add ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::kgen::KgenDialect"];
}

def GroupTileOpsPass : Pass<"kgen-group-tile-ops", "::mlir::func::FuncOp"> {
  let summary = "Form maximal groups of tile operations.";
  let description = [{
    From the last operation of a chain upwards: an elementwise operation takes in those of its producers that nobody else reads, in
    the same block, at the element that it computes, and at most one contraction among them all. A group has two operations at
    least; on tensors only.

    ```mlir
    %s = tpp.add ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) -> tensor<4x8xf32>
    %r = tpp.relu ins(%s : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
    become one `tpp.group ins(%x, %y ...) outs(%e ...)`.
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::tensor::TensorDialect"];
}

def LowerGroupsPass : Pass<"kgen-lower-groups", "::mlir::func::FuncOp"> {
  let summary = "Turn each group into one operation.";
  let description = [{
    The elementwise operations of a group become one `linalg.generic`. If the group has a contraction, that generic becomes its
    epilogue, as kgen-fuse-epilogues would do it; where the contraction cannot take it over, the two stay apart, and a remark says so.
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect", "::kgen::KgenDialect"];
}

def TppToLinalgPass : Pass<"kgen-tpp-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "Lower tile operations that are no contractions to linalg.generic.";
  let description = [{
    Elementwise operations get their scalar code (`buildScalar`) as body, with conversions around it; `tpp.reduce` and `tpp.transpose`
    become generics, too, and `tpp.vnni_pack` a transposing generic on `[k / v, v, n]`, or one that asks for the index where v does not
    divide k. On tensors and, unless `buffers=false`, on memrefs.

    ```mlir
    %r = tpp.neg ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    ```
    becomes
    ```mlir
    %r = linalg.generic ... ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.negf %in : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    ```
  }];
  let options = [Option<"buffers", "buffers", "bool", /*default=*/"true", "Lower operations on memrefs, too">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::memref::MemRefDialect", "::kgen::KgenDialect"];
}

def FuseEpiloguesPass : Pass<"kgen-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Move an elementwise consumer of a tpp.gemm into its epilogue.";
  let description = [{
    The consumer must be the only user, elementwise over exactly the result's shape and of its type, and read the result
    only at the element that it computes. Its other operands must have the same element type and be indexed by some of the
    result's dimensions, the last one, if present, last (bias by row, by column, a scalar, a full tile). Repeats, so that
    chains are fused from the contraction on.
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect"];
}

def PackOperandsPass : Pass<"kgen-pack-operands", "::mlir::func::FuncOp"> {
  let summary = "Pack the B operand of tpp.gemm into panels.";
  let description = [{
    B becomes `[batch..., ceil(n / panel), k, panel]` by a `linalg.pack` with zero padding, so that a micro-kernel reads
    it as one stream; for bf16 `[batch..., ceil(n / panel), ceil(k / 2), panel, 2]`. Constants are always packed
    (kgen-fold-constant-packs does it at build time). An operand that is given at run time is packed if its columns are not
    contiguous, or if it is read often enough (more than 64 rows) for the copy to pay. With few rows, columns that are
    contiguous along k are left in place for dot products.
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect"];
}

def FoldConstantPacksPass : Pass<"kgen-fold-constant-packs", "::mlir::ModuleOp"> {
  let summary = "Evaluate linalg.pack of constants.";
  let description = [{
    Permutes the bytes directly, row by row, at about the speed of memory; upstream folds splats only. Works on dense
    constants and resources of whole-byte elements, with padding. The new constant is a resource aligned to 64 bytes; a
    resource that nobody uses any more is freed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerPacksPass : Pass<"kgen-lower-packs", "::mlir::func::FuncOp"> {
  let summary = "Turn the packs that are left into copies.";
  let description = [{
    A pack of one dimension into panels becomes one copy of all whole panels and, if the last one is not full, a copy of the
    columns that are left into a padded panel. Packs of constants were evaluated before; packs of another form are errors.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def NumberStepsPass : Pass<"kgen-number-steps", "::mlir::func::FuncOp"> {
  let summary = "Number the linalg and tpp operations, in their locations.";
  let description = [{
    Without effect unless decisions are recorded (`kgen.decisions` on the module): the number ties together what several
    passes decide about one operation, and the loops that it becomes.
  }];
}

def VectorizePass : Pass<"kgen-vectorize", "::mlir::func::FuncOp"> {
  let summary = "Turn linalg.generic on tensors into loops over vectors.";
  let description = [{
    Collapses dimensions that every operand walks through together, chooses one dimension to vectorise (contiguous in the
    result, or in the inputs of a reduction), and writes loops over tensors whose innermost one moves vectors of the
    target's width. What does not fill a vector becomes one operation on a shorter vector of exactly that many elements,
    so nothing is read or written out of bounds and no scalar remainder is left. Reductions keep a vector of partial
    results. An operand that is not contiguous in the chosen dimension is gathered element by element.

    Operations with several results, with `linalg.index`, or with other than projected permutations as maps are left
    alone and become scalar loops later.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect"];
}

def SplitEmptiesPass : Pass<"kgen-split-empties", "::mlir::func::FuncOp"> {
  let summary = "Give each use of a tensor.empty one of its own.";
  let description = [{
    Common subexpression elimination makes one of all that have the same shape. Bufferization would then give their users
    one buffer, which lives from the first to the last of them, and copies where they overlap.

    ```mlir
    %e = tensor.empty() : tensor<8xf32>
    %a = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %b = linalg.fill ins(%y : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    ```
    becomes two fills with a `tensor.empty` each.
  }];
}

//===-- level 5 to 7, on memrefs ----------------------------------------------------------------------------------===//

def TileGemmsPass : Pass<"kgen-tile-gemms", "::mlir::ModuleOp"> {
  let summary = "Cut tpp.gemm on memrefs into calls of micro-kernels.";
  let description = [{
    The loops are, from outside: batch, blocks of rows, blocks of k, panels of columns, register tiles of rows. Block and
    tile sizes come from `#kgen.target`; rows are dealt out evenly, so that the last tile is as tall as the others or one
    row shorter, and the columns that are left over get a tile of their own width. A batch dimension that only A, C and the
    extras have, and that continues their rows, is merged into the rows. One `ukernel.gemm` is created for each distinct
    kernel; the last block of k carries the epilogue.
  }];
  let dependentDialects = ["::kgen::ukernel::UkernelDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def TileOpsToKernelsPass : Pass<"kgen-tile-ops-to-kernels", "::mlir::ModuleOp"> {
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

def FoldKernelFlagsPass : Pass<"kgen-fold-kernel-flags", "::mlir::ModuleOp"> {
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

def CombineKernelsPass : Pass<"kgen-combine-kernels", "::mlir::ModuleOp"> {
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

def PlanWorkspacePass : Pass<"kgen-plan-workspace", "::mlir::func::FuncOp"> {
  let summary = "Place all buffers of a graph in one block given by the caller.";
  let description = [{
    Every `memref.alloc` of a public function becomes a view of a new last argument. Buffers whose lifetimes (first to last
    use, through all views) do not overlap share memory; larger buffers are placed first, each at the lowest address that
    is free, in units of 64 bytes. The size is recorded as `kgen.workspace` on the function. An allocation of a size that
    is not known is an error, and so is one in a loop that is carried into the next iteration. Private functions keep
    their allocations.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def LowerCopiesPass : Pass<"kgen-lower-copies", "::mlir::func::FuncOp"> {
  let summary = "Turn strided memref.copy into loops, so that no runtime function is called.";
  let description = [{
    Contiguous copies stay (they become `memcpy`); self-copies vanish; other copies become loops over contiguous rows, or
    over elements where rows are not contiguous. Copies whose size is not known stay too.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
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

//===-- level 6 to 8 ----------------------------------------------------------------------------------------------===//

def LowerMicroKernelCallsPass : Pass<"kgen-lower-micro-kernel-calls", "::mlir::ModuleOp"> {
  let summary = "Turn ukernel.call into calls that pass pointers.";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ExpandMathPass : Pass<"kgen-expand-math"> {
  let summary = "Expand exp, log, tanh, erf and gelu of f32 and f64 into plain arithmetic.";
  let description = [{
    Results are within 4 ulp of the exact ones for every input, subnormal results included, and have the same bits on every
    target: only additions, subtractions, multiplications, divisions, comparisons, selections and integer operations are
    used, each rounded on its own. Works on scalars and on vectors of any shape. What would remain as a call into libm, be
    it another function or another type, is an error.

    ```mlir
    %y = math.exp %x : vector<16xf32>
    ```
    becomes some 25 operations of `arith` on `vector<16xf32>` and `vector<16xi32>`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif
