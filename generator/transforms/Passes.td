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

def ElideRoundingsPass : Pass<"kgen-elide-roundings", "::mlir::func::FuncOp"> {
  let summary = "Let fused operations hand on values that are not rounded.";
  let description = [{
    An operator on bf16 widens its operands, computes in f32 and rounds its result. Where two of them were fused into one
    body of linalg or tpp, the first one's rounding and the second one's widening disappear: the result is nearer to the
    exact one, and never further away. A rounded value that is also used as such stays, and so does every rounding between
    different bodies, where tensors of bf16 are what the graph says.

    ```mlir
    %s = arith.addf %x, %y : f32
    %n = arith.truncf %s : f32 to bf16
    %w = arith.extf %n : bf16 to f32
    %r = arith.maximumf %w, %zero : f32
    ```
    becomes
    ```mlir
    %s = arith.addf %x, %y : f32
    %r = arith.maximumf %s, %zero : f32
    ```
  }];
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

def TilePass : Pass<"kgen-tile", "::mlir::func::FuncOp"> {
  let summary = "Cut operations on tensors into loops over tiles of given sizes.";
  let description = [{
    Every contraction, of linalg or tpp, becomes nested loops over `tensor.extract_slice` and `tensor.insert_slice`: one size
    for each loop of the operation, 0 leaves a loop whole. Reductions may be cut where the operation adds to its result.
    Nothing is placed in memory by this; buffers and layouts are decided later.

    With `sizes=2,3,4`
    ```mlir
    %r = linalg.matmul ins(%a, %b : tensor<16x1024xf32>, tensor<1024x33xf32>) outs(%c : tensor<16x33xf32>) -> tensor<16x33xf32>
    ```
    becomes three loops around
    ```mlir
    %t = linalg.matmul ins(%as, %bs : tensor<2x4xf32>, tensor<4x3xf32>) outs(%cs : tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let options = [
    ListOption<"sizes", "sizes", "int64_t", "Size of the tiles for each loop">,
    Option<"parallel", "parallel", "bool", /*default=*/"false", "One scf.forall over the tiles instead of nested loops">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect"];
}

def TileAndFusePass : Pass<"kgen-tile-and-fuse", "::mlir::func::FuncOp"> {
  let summary = "Cut large operations into grids of independent tasks, together with what produces their operands.";
  let description = [{
    From the end of a function on, each operation on tensors that is worth it becomes an `scf.forall` whose body computes one
    tile of its result. The grid has one dimension for each dimension of the result that is cut: batch dimensions first, then
    rows, then panels of columns; sums are never cut, so that results do not depend on who runs the tasks. Sizes divide
    the dimension, tiles of contractions are whole panels wide and, where the size allows it, as high as the target's blocks.

    A producer moves into the loop if all of its users are in it and each of its elements is needed by one task only: the
    scores, the softmax and the weighted sum of an attention head become one task.

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
    Operations of less than two tasks' work stay as they are.
  }];
  let options = [
    Option<"taskWork", "task-work", "int64_t", /*default=*/"1 << 20",
           "Scalar operations that a task has to take to be worth its start">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect"];
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

def LowerBenchPass : Pass<"kgen-lower-bench", "::mlir::ModuleOp"> {
  let summary = "Turn checks and measurements into calls of the host.";
  let description = [{
    The operations of the `bench` dialect, on memrefs, become calls of functions that `kgen-run` provides. They get addresses
    and numbers as `index`: where the operation was written and the type of its operands as C strings, and the elements'
    address. What is not contiguous is copied first.

    ```mlir
    bench.expect_finite %m : memref<4x8xf32>
    ```
    becomes
    ```mlir
    %0 = memref.get_global @kgen_text : memref<15xi8>     // "test.mlir:1:1"
    %where = memref.extract_aligned_pointer_as_index %0 : memref<15xi8> -> index
    %1 = memref.get_global @kgen_text_0 : memref<10xi8>   // "f32[4, 8]"
    %type = memref.extract_aligned_pointer_as_index %1 : memref<10xi8> -> index
    %values = memref.extract_aligned_pointer_as_index %m : memref<4x8xf32> -> index
    call @kgen_bench_expect_finite(%where, %type, %values) : (index, index, index) -> ()
    ```
    A measurement becomes a loop around its region that runs until the host has seen enough. The host is told the address of
    each operand before (`kgen_bench_touch`), and a global among them is no constant any more, so that LLVM must assume that
    every iteration reads and writes other values.

    Runs before kgen-plan-workspace, which places the copies.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
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

def ExpandBf16Pass : Pass<"kgen-expand-bf16", "::mlir::ModuleOp"> {
  let summary = "Turn bf16 into i16, and its conversions into shifts and additions.";
  let description = [{
    Widening shifts by 16 bits; rounding is to nearest, ties to even, NaN stays NaN, and subnormal numbers keep their value.
    The results have the same bits on every target; `vcvtneps2bf16` is not used, because it takes subnormal numbers for
    zeros. Everything else that holds bf16 (buffers, vectors, constants) holds i16 afterwards: LLVM has no registers for
    bf16 on most CPUs, and converts such values by calling a function wherever they cross a branch. Instructions that take
    bf16 (`x86vector`, intrinsics) get casts. Any other arithmetic in bf16 is an error.

    ```mlir
    %w = arith.extf %x : vector<16xbf16> to vector<16xf32>
    ```
    becomes
    ```mlir
    %i = arith.extui %x : vector<16xi16> to vector<16xi32>
    %s = arith.shli %i, %sixteen : vector<16xi32>
    %w = arith.bitcast %s : vector<16xi32> to vector<16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif
