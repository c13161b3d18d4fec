// kgen's own passes. A pass is one file of the pass's name; its description here is its documentation.
#ifndef KGEN_PASSES_TD
#define KGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

//===-- level 3, linalg on tensors --------------------------------------------------------------------------------===//

def AddInPlacePass : Pass<"kgen-add-in-place", "::mlir::func::FuncOp"> {
  let summary = "Let a contraction accumulate into what is added to it.";
  let description = [{
    Where the result of a contraction is added to a tensor that nobody needs afterwards, the contraction accumulates into
    that tensor instead of starting from zero.

    ```mlir
    %x = linalg.matmul ins(%a, %b : ...) outs(%zeros : tensor<4x8xf32>) -> tensor<4x8xf32>
    %y = linalg.matmul ins(%c, %d : ...) outs(%zeros : tensor<4x8xf32>) -> tensor<4x8xf32>
    %r = linalg.add ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %x = linalg.matmul ins(%a, %b : ...) outs(%zeros : tensor<4x8xf32>) -> tensor<4x8xf32>
    %r = linalg.matmul ins(%c, %d : ...) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
    Constants, arguments, broadcast addends and those that are read again stay: they would have to be copied, while adding
    them in the epilogue is free. So do addends that are computed elementwise from other tensors than a contraction's
    result: the epilogue computes them on the way.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def BatchMatmulToMatmulPass : Pass<"kgen-batch-matmul-to-matmul", "::mlir::func::FuncOp"> {
  let summary = "Turn batches that need not be batches into matrix products.";
  let description = [{
    A batch dimension of one element is dropped. A B that is broadcast along the batch is read where it comes from, and a
    batch that shares its B becomes more rows, where A and C walk through batch and rows together.

    ```mlir
    %r = linalg.generic {indexing_maps = [(b, m, n, k) -> (b, m, k), (b, m, n, k) -> (k, n), (b, m, n, k) -> (b, m, n)], ...}
        ins(%a, %b : tensor<3x4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<3x4x5xf32>) { multiply and add }
    ```
    becomes
    ```mlir
    %a2 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<3x4x8xf32> into tensor<12x8xf32>
    %r2 = linalg.matmul ins(%a2, %b : tensor<12x8xf32>, tensor<8x5xf32>) outs(%c2 : tensor<12x5xf32>)
    %r = tensor.expand_shape %r2 [[0, 1], [2]] ... : tensor<12x5xf32> into tensor<3x4x5xf32>
    ```
    The optimised pipeline does the same to tile operations (kgen-tile-gemms), without reshapes.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def BatchReduceToMatmulPass : Pass<"kgen-batch-reduce-to-matmul", "::mlir::func::FuncOp"> {
  let summary = "Turn batch reductions over one element into matrix products.";
  let description = [{
    Of a contraction over several reductions, those with one step are dropped: `linalg.batch_reduce_matmul` of
    `tensor<1x4x8xf32>` and `tensor<1x8x5xf32>` becomes `linalg.matmul` of the operands without their first dimension. The
    same holds for a `linalg.generic` that computes this.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def MatmulToBatchReducePass : Pass<"kgen-matmul-to-batch-reduce", "::mlir::func::FuncOp"> {
  let summary = "Cut the reduction of a contraction into blocks.";
  let description = [{
    A contraction over k = r * block becomes one over r and block, on operands that are seen through `tensor.expand_shape`.
    The block is `k-block` or, if that is 0, the target's (`k` in `pack_f32`); where it does not divide k, or k is not
    larger, the contraction stays.

    ```mlir
    %r = linalg.matmul ins(%a, %b : tensor<4x96xf32>, tensor<96x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
    ```
    becomes, for blocks of 32,
    ```mlir
    %a2 = tensor.expand_shape %a [[0], [1, 2]] ... : tensor<4x96xf32> into tensor<4x3x32xf32>
    %b2 = tensor.expand_shape %b [[0, 1], [2]] ... : tensor<96x5xf32> into tensor<3x32x5xf32>
    %r = linalg.generic {indexing_maps = [(m, n, r, k) -> (m, r, k), (m, n, r, k) -> (r, k, n), (m, n, r, k) -> (m, n)], ...}
        ins(%a2, %b2 : tensor<4x3x32xf32>, tensor<3x32x5xf32>) outs(%c : tensor<4x5xf32>) { multiply and add }
    ```
  }];
  let options = [Option<"kBlock", "k-block", "int64_t", "0", "Steps of a block; 0: as the target says.">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RecogniseBatchReducePass : Pass<"kgen-recognise-batch-reduce", "::mlir::func::FuncOp"> {
  let summary = "Bring contractions over two reductions into one form.";
  let description = [{
    The loops get the order (batch..., m, n, r, k): the dimensions of the result first, then the blocks of the reduction,
    then the steps of a block, which are those that lie next to each other in A. What has no batch and operands `[r, m, k]`
    and `[r, k, n]` of one type gets its name, `linalg.batch_reduce_matmul`.

    With `outer-loops`, the batch (for blocked operands: the blocks of rows and columns) becomes a `scf.forall`, so that
    what is left inside has that form:

    ```mlir
    %r = scf.forall (%i, %j) in (4, 2) shared_outs(%c = ...) -> (tensor<4x2x16x32xf32>) {
      %t = linalg.batch_reduce_matmul ins(%ai, %bj : tensor<8x16x64xf32>, tensor<8x64x32xf32>)
          outs(%cij : tensor<16x32xf32>) -> tensor<16x32xf32>
      ...
    }
    ```
  }];
  let options = [Option<"outerLoops", "outer-loops", "bool", "false", "Turn the batch into loops.">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect"];
}

def PackMatmulPass : Pass<"kgen-pack-matmul", "::mlir::func::FuncOp"> {
  let summary = "Pack matrix products into blocks.";
  let description = [{
    The operands become `[M/mb][K/kb][mb][kb]`, `[N/nb][K/kb][kb][nb]` and `[M/mb][N/nb][mb][nb]`. The blocks (m, n, k) are
    `block-factors` or the target's, `pack_f32 = {m, n, k}` for contractions of f32; without either, nothing is packed. Of
    m and k, the largest divisor between half a block and a block is taken (of k, one that is a multiple of four), because
    packs and unpacks of padded layers do not cancel; nor do they where the blocks of n and of k differ. Contractions of less than 16 columns or half a block of rows stay: most of the work would be on padding.

    ```mlir
    %a4 = linalg.pack %a outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [32, 64] into ...
    %b4 = linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [64, 64] into ...
    %r4 = linalg.generic ... ins(%a4, %b4 : tensor<2x4x32x64xf32>, tensor<8x4x64x64xf32>) outs(%c4 : ...) ...
    %r = linalg.unpack %r4 inner_dims_pos = [0, 1] inner_tiles = [32, 64] into ...
    ```
  }];
  let options = [ListOption<"blockFactors", "block-factors", "int64_t", "Blocks of m, n and k, for every target.">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def VnniPackPass : Pass<"kgen-vnni-pack", "::mlir::func::FuncOp"> {
  let summary = "Put the elements that one dot-product instruction reads next to each other.";
  let description = [{
    The reduction of contractions of bf16 is split by 2 if the target has avx512bf16 or amx-bf16, that of i8 by 4 if it has
    avx512vnni, avxvnni or amx-int8: B becomes `[k/2, n, 2]`, or the same within blocks, and A `[m, k/2, 2]`, which is the
    same memory. An odd k is padded with zeros. Nothing else is touched, nor what has been packed so already.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def PropagatePackingPass : Pass<"kgen-propagate-packing", "::mlir::func::FuncOp"> {
  let summary = "Move packs up and unpacks down, through elementwise operations, broadcasts and reshapes.";
  let description = [{
    Between two packed contractions an unpack then meets the pack that reverses it, and canonicalization removes both. What
    pads a tensor pads with poison where the padding is never read.

    ```mlir
    %u = linalg.unpack %x4 inner_dims_pos = [0, 1] inner_tiles = [32, 64] into ...
    %y = linalg.generic ... ins(%u : tensor<64x256xf32>) ... { relu }
    %y4 = linalg.pack %y inner_dims_pos = [0, 1] inner_tiles = [32, 64] into ...
    ```
    becomes a `relu` of `%x4`.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect", "::mlir::ub::UBDialect"];
}

def SimplifyPacksPass : Pass<"kgen-simplify-packs", "::mlir::func::FuncOp"> {
  let summary = "Turn packs that move nothing into reshapes, and remove pairs.";
  let description = [{
    A pack whose elements keep their order is a `tensor.expand_shape`, an unpack of that kind a `tensor.collapse_shape`.
    Runs after kgen-fold-constant-packs, which knows packs, but no reshapes.

    ```mlir
    %p = linalg.pack %b inner_dims_pos = [0] inner_tiles = [64] into %e : tensor<256xf32> -> tensor<4x64xf32>
    ```
    becomes
    ```mlir
    %p = tensor.expand_shape %b [[0, 1]] output_shape [4, 64] : tensor<256xf32> into tensor<4x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def CompareSelectToMaxPass : Pass<"kgen-compare-select-to-max", "::mlir::func::FuncOp"> {
  let summary = "Turn compare and select into maximum and minimum.";
  let description = [{
    Only where the result is the same for every input. One of the two values must be a constant c that is not a NaN; x is
    the other one. What the selection gives for a NaN decides: if it is x, the operation is `arith.maximumf` or
    `arith.minimumf`; if it is c, it is `arith.maxnumf` or `arith.minnumf`. Zeros compare equal, but -0 is less than +0 for
    `maximumf` and `minimumf`, and `maxnumf` and `minnumf` may take either. So if c is a zero, only selections whose choice
    between zeros is that of `maximumf` or `minimumf` are rewritten:

    | selection | becomes |
    |---|---|
    | `x ugt c ? x : c`, `x ult c ? c : x`, ... of any c but -0 | `maximumf x, c` |
    | `x uge c ? x : c`, `x ole c ? c : x`, ... of any c but +0 | `maximumf x, c` |
    | `x ogt c ? x : c`, `x oge c ? x : c`, ... of any c but zeros | `maxnumf x, c` |

    and likewise for minima. Without a constant, no operation gives the same for a NaN on either side.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ElementwiseInPlacePass : Pass<"kgen-elementwise-in-place", "::mlir::func::FuncOp"> {
  let summary = "Let elementwise operations write over an input that nobody needs any more.";
  let description = [{
    The input must have the result's type, be read only at the element that is being computed, be computed in the same
    block, and have no other reader, also not through a reshape. Constants, arguments and the caller's tensors are never
    written over. A result that goes to the caller starts in the caller's memory, if need be with the input that it writes
    over. A result that becomes the next state of a loop (`bufferization.materialize_in_destination %r in %state`) is
    computed in the memory of the last one, if everything that reads that one comes before.

    Where the last operation of a tile (its destination is a slice) reads new elements of the tile's type, like the powers of a
    softmax, these are computed in the tile's place: that memory comes into the caches meanwhile, and not after it. Not so in
    results that no cache keeps, which go past the caches (kgen-stream-results), nor where rows of a tile of columns lie a multiple of a
    page apart, so that they would share few sets of the first cache.

    ```mlir
    %y = linalg.generic ... ins(%x, %b : tensor<4x8xf32>, tensor<8xf32>) outs(%empty : tensor<4x8xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    }
    ```
    becomes
    ```mlir
    %y = linalg.generic ... ins(%b : tensor<8xf32>) outs(%x : tensor<4x8xf32>) {
    ^bb0(%q: f32, %p: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

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
           "Let every sum be one chain of multiply-adds over ascending k">,
    Option<"strict", "strict", "bool", /*default=*/"false",
           "Report contractions on tensors that cannot become tile operations as errors">
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

def FuseLongChainsPass : Pass<"kgen-fuse-long-chains", "::mlir::func::FuncOp"> {
  let summary = "Fuse elementwise operations, of which many become one, in pairs, and pairs of pairs.";
  let description = [{
    Upstream's fusion of elementwise operations adds them to one operation one after another, and writes it anew each time: of a
    chain of n operations, n^2 / 2 are made. Where 64 or more become one, each is fused with one of those that compute its operands,
    then those pairs with each other, and so on, which makes n log n. The result is the same; shorter chains are left to upstream.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect"];
}

def AccumulateExtrasPass : Pass<"kgen-accumulate-extras", "::mlir::func::FuncOp"> {
  let summary = "Let a contraction start from what its epilogue adds, in the same memory.";
  let description = [{
    Where the epilogue of a contraction of floats adds another contraction's result to the sums, and nobody reads that
    afterwards, the sums are added to it where it lies: one tensor less goes through the caches, and none is written beside
    the one that is read. The residuals of convolutional networks are such, which kgen-add-in-place leaves alone because
    others have read them before.

    ```mlir
    %y = tpp.gemm ins(%a, %w : ...) extras(%bias, %x : tensor<64xf32>, tensor<56x64xf32>) outs(%e : tensor<56x64xf32>) ... {
    ^bb0(%acc: f32, %b: f32, %r: f32):
      %0 = arith.addf %acc, %b : f32
      %1 = arith.addf %0, %r : f32
      %2 = arith.maximumf %1, %zero : f32
      tpp.yield %2 : f32
    } -> tensor<56x64xf32>
    ```
    becomes
    ```mlir
    %y = tpp.gemm ins(%a, %w : ...) extras(%bias : tensor<64xf32>) outs(%x : tensor<56x64xf32>) attributes {accumulate, ...} {
    ^bb0(%acc: f32, %b: f32):
      %0 = arith.addf %acc, %b : f32
      %2 = arith.maximumf %0, %zero : f32
      tpp.yield %2 : f32
    } -> tensor<56x64xf32>
    ```
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect"];
}

def ElideRoundingsPass : Pass<"kgen-elide-roundings", "::mlir::func::FuncOp"> {
  let summary = "Let fused operations hand on values that are not rounded.";
  let description = [{
    An operator on bf16 widens its operands, computes in f32 and rounds its result. Where two of them were fused into one
    body of linalg or tpp, the first one's rounding and the second one's widening disappear: the result is nearer to the
    exact one, and never further away. A rounded value that is also used as such stays, and so does every rounding between
    different bodies, where tensors of bf16 are what the graph says. So do roundings with a mode
    (`arith.truncf %s to_nearest_even`), which casts in the graph ask for, and those of f64 to f32.

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

def FlipSignsPass : Pass<"kgen-flip-signs", "::mlir::func::FuncOp"> {
  let summary = "Give the operands of products of bytes different signs.";
  let description = [{
    The dot products of bytes on x86 (`vpdpbusd`) multiply bytes without sign by bytes with sign. Where both operands of a
    contraction are of one kind, B is constant, and the target has that instruction, the highest bit of A's bytes is flipped:
    a signed byte becomes an unsigned one that is 128 more, and the other way round. The sum is then wrong by 128 times the sum of B's
    column, which is computed here and added in the epilogue. The flip of A is elementwise and becomes part of
    what makes A. Sums stay exact modulo 2^32. With tiles (AMX), which take any signs, products of 16 rows or more stay
    as they are. Where B is not constant, the micro-kernel flips B in registers.

    ```mlir
    %r = tpp.gemm ins(%a, %w : tensor<4x8xi8>, tensor<8x16xi8>) outs(%c : tensor<4x16xi32>) attributes {...} {
    ^bb0(%acc: i32):
      tpp.yield %acc : i32
    } -> tensor<4x16xi32>
    ```
    becomes
    ```mlir
    %f = linalg.generic ... ins(%a) { ... arith.xori %x, %c-128_i8 ... }
    %r = tpp.gemm ins(%f, %w : ...) extras(%corrections : tensor<16xi32>) outs(%c : ...) attributes {a_unsigned, ...} {
    ^bb0(%acc: i32, %correction: i32):
      %s = arith.addi %acc, %correction : i32
      tpp.yield %s : i32
    } -> tensor<4x16xi32>
    ```
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def PackOperandsPass : Pass<"kgen-pack-operands", "::mlir::func::FuncOp"> {
  let summary = "Pack the B operand of tpp.gemm into panels.";
  let description = [{
    B becomes `[batch..., ceil(n / panel), k, panel]` by a `linalg.pack` with zero padding, so that a micro-kernel reads
    it as one stream; for bf16 `[batch..., ceil(n / panel), ceil(k / 2), panel, 2]`. Constants are always packed
    (kgen-fold-constant-packs does it at build time). Those of few columns become panels of one column where A is contiguous along
    k, too, and vectors along k take less time than vectors of columns, with what it takes to add them up: three columns
    leave most lanes of a vector empty. Long rows and columns are another matter: tiles of three rows and four columns do not
    find them in the first cache. An operand that is given at run time is packed if its columns are not
    contiguous, or if it is read often enough (more than 64 rows) for the copy to pay, unless it fits into the first
    cache as it is. With few rows, columns that are
    contiguous along k are left in place for dot products. What does not change in a loop is packed in front of it.

    A B that is a transposed copy is read where the copy has it from: it stays in place there, as the keys of one query do, or
    what packs it takes the place of the copy. Not so if others read the copy, too, and it would not be packed itself.
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect"];
}

def AlignRowsPass : Pass<"kgen-align-rows", "::mlir::func::FuncOp"> {
  let summary = "Give A longer rows where several panels of B are multiplied with rows that begin inside of cache lines, or in one set of the first cache.";
  let description = [{
    For kernels on tile registers, a row of a tile that lies on two cache lines takes longer to load than it takes to multiply it. Other
    kernels read all rows of a register tile side by side; rows that are a multiple of a page apart share one set of the first cache,
    whether B is packed or in place, and where they take more than half of its ways, they and B drive each other out. Rows of A that are contiguous along k become parts
    of a tensor with longer rows, up to the end of a line or by a line; `reduced` says how much of them is multiplied, and the rest is
    never read. For kernels on tile registers, what computes A often writes it there at once. For others it is a copy of what the
    caller laid out, which pays for enough panels of B only; rows of the function's own memory grow in place (kgen-spread-rows).

    ```mlir
    %r = tpp.gemm ins(%a, %b : tensor<64x300xbf16>, tensor<8x150x32x2xbf16>) ... attributes {...}
    ```
    becomes
    ```mlir
    %e = tensor.empty() : tensor<64x320xbf16>
    %l = tensor.insert_slice %a into %e[0, 0] [64, 300] [1, 1] : tensor<64x300xbf16> into tensor<64x320xbf16>
    %r = tpp.gemm ins(%l, %b : tensor<64x320xbf16>, tensor<8x150x32x2xbf16>) ... attributes {..., reduced = array<i64: 300>}
    ```
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::tensor::TensorDialect"];
}

def WidenOperandsPass : Pass<"kgen-widen-operands", "::mlir::func::FuncOp"> {
  let summary = "Widen A of bf16 and f16 once, outside of the kernels that would do it for each panel of B.";
  let description = [{
    Where the target multiplies such types by widening both operands (`productForm` says `widen`), A becomes a tensor of f32,
    and the contraction one of f32 and a narrow B. The values are the same: nothing that is rounded stays unrounded. An
    elementwise operation or a contraction that computes A, and that nobody else reads, stores f32 itself; otherwise a
    generic widens A, which becomes part of the same tasks if no two of them need the same rows.

    In the kernel, an element of A is widened once for each panel of B that it is multiplied with, in an instruction of its
    own. Outside, a vector of them takes that instruction, a load and a store. So A is widened outside if, with W the cycles
    of `widen_bf16` or `convert_f16`,

        m * k * (panels * W - (W + 1) / lanes) > 64

    where 64 cycles stand for the loop. Contractions whose B is contiguous along k stay as they are: they become dot
    products of vectors.

    ```mlir
    %r = tpp.gemm ins(%a, %b : tensor<64x512xbf16>, tensor<16x256x32x2xbf16>) ...
    ```
    becomes
    ```mlir
    %w = linalg.generic ... ins(%a : tensor<64x512xbf16>) { %x = arith.extf %in : bf16 to f32 ... } -> tensor<64x512xf32>
    %r = tpp.gemm ins(%w, %b : tensor<64x512xf32>, tensor<16x256x32x2xbf16>) ...
    ```
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PackNbitsPass : Pass<"kgen-pack-nbits", "::mlir::ModuleOp"> {
  let summary = "Pack constant weights of few bits, and make their products tile operations.";
  let description = [{
    The weights, scales and zero points of a `kgen.matmul_nbits` that are all constant become one constant of bytes, a resource
    aligned to 64 bytes, which a micro-kernel reads as one stream: panels of 32 columns, block by block along k, as
    `#kgen.blocks` says. Its layout is the same for every target, so that all variants share it. A resource that nobody uses any
    more is freed. Other products stay, for kgen-expand-nbits.

    ```mlir
    %c = kgen.matmul_nbits %a, %weights, %scales {bits = 4 : i64, block = 32 : i64}
      : (tensor<1x96xf32>, tensor<5x3x16xi8>, tensor<5x3xf32>) -> tensor<1x5xf32>
    ```
    becomes
    ```mlir
    %packed = arith.constant dense_resource<packed> : tensor<1x3x640xi8>
    %c = tpp.gemm ins(%a, %packed : tensor<1x96xf32>, tensor<1x3x640xi8>) outs(%empty : tensor<1x5xf32>)
        attributes {b_blocks = #kgen.blocks<bits = 4, size = 32, zeros = false>, panel = 32 : i64, ...} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<1x5xf32>
    ```
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def ExpandNbitsPass : Pass<"kgen-expand-nbits", "::mlir::func::FuncOp"> {
  let summary = "Turn products with weights of few bits into linalg.";
  let description = [{
    A `kgen.matmul_nbits` becomes a `linalg.generic` that writes its weights as f32, `(q - zero) * scale`, and a contraction of them.
    The optimised pipeline does this only to weights that are not constant (kgen-pack-nbits).

    ```mlir
    %c = kgen.matmul_nbits %a, %weights, %scales {bits = 4 : i64, block = 32 : i64}
      : (tensor<1x96xf32>, tensor<5x3x16xi8>, tensor<5x3xf32>) -> tensor<1x5xf32>
    ```
    becomes
    ```mlir
    %w = linalg.generic {indexing_maps = [(n, k) -> (n, k floordiv 32, (k mod 32) floordiv 2), (n, k) -> (n, k floordiv 32),
        (n, k) -> (n, k)], ...} ins(%weights, %scales : tensor<5x3x16xi8>, tensor<5x3xf32>) outs(%e : tensor<5x96xf32>) { ... }
    %c = linalg.generic {indexing_maps = [(m, n, k) -> (m, k), (m, n, k) -> (n, k), (m, n, k) -> (m, n)], ...}
        ins(%a, %w : tensor<1x96xf32>, tensor<5x96xf32>) outs(%zeros : tensor<1x5xf32>) { multiply and add }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def FuseAttentionPass : Pass<"kgen-fuse-attention", "::mlir::func::FuncOp"> {
  let summary = "Make one operation of two products and the softmax between them.";
  let description = [{
    The first product's sums may be scaled, capped and masked by elementwise operations of one score each, which become the new
    operation's region; what compares the indices of queries and keys and chooses -inf becomes `causal`. Then the largest score
    of each row is subtracted, exp is applied, divided by the sum of the row, and the result is the left operand of the second
    product. Nothing else may read any of it. Transpositions of the operands and of the result become maps, so that they are
    read and written where they are, as long as rows of Q, V and the result stay contiguous; so do reshapes that only put
    batch dimensions together.

    Where all four operands of the products were rounded to one narrow type (a graph of bf16, or `compute: bf16`), the operation is
    `narrow`: powers may be rounded as the weights were. An operand that was rounded after it was transposed is rounded before.

    A lane of a vector will be a query: with fewer of them than half of a vector has lanes, the products stay as they are.

    ```mlir
    %s = tpp.gemm ins(%q, %k : tensor<12x512x64xf32>, tensor<12x64x512xf32>) ... -> tensor<12x512x512xf32>
    %x = linalg.generic ... ins(%s) { multiply by 0.125 }
    %max = linalg.generic ... ins(%x) { maximum of rows }
    %p = linalg.generic ... ins(%x, %max) { exp of the difference }
    %sum = linalg.generic ... ins(%p) { sum of rows }
    %w = linalg.generic ... ins(%p, %sum) { quotient }
    %r = tpp.gemm ins(%w, %v : tensor<12x512x512xf32>, tensor<12x512x64xf32>) ... -> tensor<12x512x64xf32>
    ```
    becomes one `kgen.attention`.
  }];
  let dependentDialects = ["::kgen::KgenDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def ExpandAttentionPass : Pass<"kgen-expand-attention", "::mlir::func::FuncOp"> {
  let summary = "Turn kgen.attention into loops over blocks of queries and keys.";
  let description = [{
    Scores are computed a block at a time, as `[keys, queries]`: K is read in place as the left operand of a `tpp.gemm`, whose
    epilogue makes scores of the sums, and a block of Q, transposed, is the right one. A lane of a vector is a query throughout,
    so that maxima and sums are taken lane by lane. The powers are the transposed left operand of a second `tpp.gemm`, with V in
    place.

    A product's own multiplication with a constant moves to Q. Where the score has nothing else, so does one with log2(e): scores
    are exponents of 2 then. An extra by queries and keys that several parts of the batch share is transposed once for all of
    them, if half of the second-level cache holds it: no workspace grows with the square of the length.

    With all keys in one block, the sums of powers divide the second product in its epilogue. Otherwise each query has a base that
    is subtracted from its scores, and what was summed up before is multiplied with exp(m - m') where the base changes from m to m'
    (M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018). That is seldom: only where the score of any query
    of the block exceeds its base by more than 8, do bases become the largest scores. Powers are exp(8) at most. Blocks of keys that
    no query of a block may see are left out; those that all of them see are not masked.

    Where the operation is `narrow` and the target multiplies pairs of bf16 in one instruction, a block of Q is transposed by pairs,
    powers are written as pairs of keys, both of them right operands with `vnni = 2`, and V is transposed as a whole to be the left
    one: sums are `[e, queries]`, and transposed when they are divided.

    Batches, and blocks of queries if these are not enough, are tasks, an `scf.forall`. A task needs memory for one block of
    scores, one of queries, and sums of one block: none that grows with the number of keys, unless K and V are widened or V
    and extras are transposed first.

    ```mlir
    scf.for %i = %c0 to %blocks step %c1 iter_args(%sums = ..., %largest = ..., %sum = ...) {
      %s = tpp.gemm ins(%keys, %queries) ... { score } -> tensor<128x64xf32>
      ... vectors: maximum, and whether a base has to change
      %p = scf.for ... to %changes { rows of %sums times their factors }
      ... vectors: exp, sum
      %t = tpp.gemm ins(%powers, %values) outs(%p) attributes {accumulate, ...} -> tensor<64x64xf32>
    }
    ```
  }];
  let options = [
    Option<"taskWork", "task-work", "int64_t", /*default=*/"1 << 20",
           "Scalar operations that a task has to take to be worth its start">
  ];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::ub::UBDialect"];
}

def WinogradPass : Pass<"kgen-winograd", "::mlir::ModuleOp"> {
  let summary = "Compute convolutions of 3 x 3 windows by Winograd's minimal filtering, where that is allowed and pays.";
  let description = [{
    In functions with `kgen.winograd = m`, m = 2 or 4: a `tpp.brgemm` of f32 that reads an image through 3 x 3 windows which are one
    apart, with constant filters, becomes loops over tiles of 2 x 2 or, if m is 4, also 4 x 4 results (S. Winograd, "Arithmetic
    complexity of computations", 1980; A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015). A tile of t x t results
    takes P = (t + 2)^2 products for each channel and filter instead of 9 t^2: 2.25 times fewer for t = 2, 4 times fewer for t = 4.

    Filters are transformed here, in double. Rows of tiles are worked on a block at a time, so that what is between the steps stays
    in the second cache and in memory for one block: the windows of the block's tiles are transformed, vectors of channels at a
    time, into `[P, tiles, channels]`; one `tpp.gemm` with a batch of P multiplies them with the filters; its results
    `[P, tiles, filters]` are transformed back and go through the epilogue of the original operation. Zeros around the image, and
    what tiles at its end read beyond it, are not in memory: elements are loaded from inside of it and masked.

    Upstream has `linalg.winograd_*`: they transform whole images at a time, each channel of a tile by itself, as products of
    6 x 6 matrices, and keep the filters' transformation in the code.

    A tile size, or the direct product, is chosen by what is estimated to take the fewest cycles (WinogradPlan.cpp has the
    formulas): multiply-adds, operations of the transforms, and lines of caches that move. Tiles must save a tenth.

    ```mlir
    scf.for %rows = %c0 to %c14 step %c2 iter_args(%result = ...) {
      %windows = scf.forall (%row) in (2) ... { vectors: B^T d B } -> tensor<36x28x64xf32>
      %sums = tpp.gemm ins(%windows, %filters) ... -> tensor<36x28x64xf32>
      %next = scf.forall (%row) in (2) shared_outs(%out = %result) ... { vectors: A^T m A, epilogue }
    }
    ```
  }];
  let options = [
    Option<"tileRows", "tile-rows", "int64_t", /*default=*/"0",
           "Rows of tiles in a block, with the largest tiles wherever they are possible; 0: what pays">,
    Option<"taskWork", "task-work", "int64_t", /*default=*/"1 << 20",
           "Scalar operations that a task has to take to be worth its start">
  ];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect",
                           "::mlir::ub::UBDialect"];
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
  let summary = "Turn the packs and unpacks that are left into copies.";
  let description = [{
    A pack of one dimension into panels becomes one copy of all whole panels and, if the last one is not full, a copy of the
    columns that are left into a padded panel; its loops go over panels first or, if the second cache does not hold the source,
    over rows of it. Packs of another form become a padded copy (where something is padded), a
    reshape and a transposition; unpacks a transposition, a reshape and a slice. Packs of constants were evaluated before;
    sizes that are not known are errors.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def BorderWindowsPass : Pass<"kgen-border-windows", "::mlir::func::FuncOp"> {
  let summary = "Leave out the zeros that windows of contractions read of pads.";
  let description = [{
    A pad with zeros that only contractions of floats of one type read as A, through reshapes and as parts of it, becomes a
    `tpp.border` of what it pads: their micro-kernels then leave out the products with zeros, and nothing is copied. Depthwise
    windows (kgen-vectorize) do so by themselves; panels of one column make dot products, which cannot.

    ```mlir
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] { ... yield 0.0 } : tensor<1x56x56x64xf32> to tensor<1x58x58x64xf32>
    %a = tensor.collapse_shape %p [[0], [1], [2, 3]] : tensor<1x58x58x64xf32> into tensor<1x58x3712xf32>
    ```
    becomes
    ```mlir
    %c = tensor.collapse_shape %x [[0], [1], [2, 3]] : tensor<1x56x56x64xf32> into tensor<1x56x3584xf32>
    %a = tpp.border %c low [0, 1, 64] high [0, 1, 64] : tensor<1x56x3584xf32> -> tensor<1x58x3712xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::kgen::tpp::TppDialect"];
}

def LowerPadsPass : Pass<"kgen-lower-pads", "::mlir::func::FuncOp"> {
  let summary = "Turn pads with a constant into fills of the border and an insertion.";
  let description = [{
    Only the border is filled, box by box; what is padded is inserted into the middle, where its producer can often compute
    it in place (kgen-write-to-caller). A pad of nothing is what it pads. With `keep-windows`, pads that loops over windows
    leave out (kgen-vectorize) stay.

    ```mlir
    %p = tensor.pad %x low[0, 1] high[0, 0] { ... yield 0.0 } : tensor<4x7xf32> to tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %e = tensor.empty() : tensor<4x8xf32>
    %s = tensor.extract_slice %e[0, 0] [4, 1] [1, 1] : tensor<4x8xf32> to tensor<4x1xf32>
    %z = linalg.fill ins(%zero : f32) outs(%s : tensor<4x1xf32>) -> tensor<4x1xf32>
    %b = tensor.insert_slice %z into %e[0, 0] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x8xf32>
    %p = tensor.insert_slice %x into %b[0, 1] [4, 7] [1, 1] : tensor<4x7xf32> into tensor<4x8xf32>
    ```
  }];
  let options = [Option<"keepWindows", "keep-windows", "bool", "false", "Leave pads to windows that do without them.">];
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

def BandWindowsPass : Pass<"kgen-band-windows", "::mlir::func::FuncOp"> {
  let summary = "Make images that no second-level cache keeps band by band, between windows and what makes their input.";
  let description = [{
    The result of a 1x1 convolution that windows along each channel read, and nobody else, is often several times as large as
    the images around it. If it is larger than the second-level cache, a loop goes over bands of its rows instead: each of its
    steps makes as many rows as the cache keeps, and what the windows make of them, together with the elementwise operations
    and the contraction along channels that read that row by row. The rows that two bands need, which are few, are made twice.
    Only the first band has the padding in front of the image, and only the last one that behind it: they stand outside of the
    loop. What is in a step becomes grids of tasks as everywhere (kgen-tile-and-fuse).

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

def TileAndFusePass : Pass<"kgen-tile-and-fuse", "::mlir::func::FuncOp"> {
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

def BlockRowsPass : Pass<"kgen-block-rows", "::mlir::func::FuncOp"> {
  let summary = "Put loops over blocks of rows around chains of elementwise operations and reductions.";
  let description = [{
    A normalisation reads its input for the mean, for the variance and for the result; a softmax for the maximum, the powers
    and the quotients. If a task's rows together do not fit in half of the first-level cache, the operations of such a chain
    work through them in blocks that do: what is read from memory is read once, and what is between them never leaves the
    cache. Blocks are as large as possible, and divide the number of rows; a multiple of 16 of them, which are reduced together, if
    that is a quarter of the largest or more. What is computed of the rows' sums alone ends a chain, too, if it reads the rows twice. A
    dimension that is reduced stays whole, and those inside of it are cut; rows that lie apart in memory are read in longer pieces, in
    blocks that fill a quarter of the second-level cache, unless a block is one piece of memory anyway. Rows that come from memory and
    are not aligned to be streamed (kgen-stream-results) make blocks of an eighth of the first-level cache, so that reading and writing
    overlap; where they are written from row to row (kgen-vectorize), 16 of them or as many more as a quarter has room for, or else as
    many as begin and end with a line, as where they are written line by line. If the second-level cache has no room for a block otherwise, the innermost dimension of such rows is cut, too, into pieces
    of at least 256 bytes, equal ones if there are such;
    so is it, into pieces of a page and less, where they would be longer than a few first-level caches keep, or half of the second-level
    cache if they come from memory, and not from rows whole pages apart, which meet in few sets of a cache.
    Short rows that lie across (kgen-turn-short-rows) are turned back in the same block, a multiple of 16 of them; what is left of an
    odd number is a block of its own. Contractions are no part of a chain.

    Where the vectors of each tensor of such a block take at most half of the registers, of which there are 32 or nothing much is computed,
    the block is 16 rows, and all of it stays in registers: `kgen.in_registers` marks its operations, which become vectors without loops
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
    so nothing is read or written out of bounds and no scalar remainder is left. Elementwise operations with functions (exp, gelu)
    are written for vectors of twice the width, which LLVM splits into two chains of instructions that a CPU overlaps, unless one
    alone takes most of 32 registers (pow); other long loops for as many elements as a cache line has. Reductions along the vectors keep vectors of
    partial results, and walk through the largest operand as it lies in memory. Short rows are reduced as many at a time as there are
    lanes, or as a group of 128 bits has: their vectors are interleaved until each lane has a row's result. Reductions of few rows across
    vectors stay in registers, other ones go through memory row by row, four rows at a time, over panels of columns whose
    results stay in the first-level cache. Indices become vectors of consecutive numbers. An operand that is not contiguous in the
    chosen dimension is gathered element by element, except where a copy puts two or four rows next to each other, as packs for
    dot products do, or each element several times: vectors are interleaved. Copies from and to up to six places next to each
    other (three without AVX-512) gather lanes of as many vectors.

    A tensor that the body reads at a place which it computes (`tensor.extract`) is read by vectors where the place moves by one
    from lane to lane, forwards or backwards: rows that are found by an index, borders, strides of outer dimensions. What is the
    same for all lanes is computed once, outside of the loop over vectors. Places of f32 that grow along a constant table, so slowly that those
    of a vector lie in a register or two, are lanes of these (`kgen.permute`): the points of resized images. Other places are read
    one by one.

    Sums, products and extremes over windows of images whose channels come last become loops over vectors of channels, several pixels
    at a time. An image may be read at all channels of the group that a channel belongs to, a power of two of them
    (`(c floordiv 4) * 4 + j`): each of them is spread over the group's lanes. Windows over one image whose columns come last become
    loops over vectors of neighbours in a row of the result: what the taps of a column read is combined as it lies in memory, and every
    second to fourth element of it is taken where windows move by as many columns. What two vectors of results need of it the loop
    carries.

    What is computed of an element and of a number for its row (f32, AVX2) is computed as if all rows were one, where rows fill no whole
    vectors: of as many rows as there are lanes, a register has the numbers, and a table says which one an element needs
    (`kgen.permute`). So it is in rows of two thirds of a vector to a whole one; in those of up to four vectors whose last one would
    hold an eighth or less, or a single element of 16 bits; and where results go past the caches, which is done in whole lines then
    (kgen-stream-results). Rows of six to eight vectors of 512 bits whose last one is nearly full stay in registers instead.
    Other results that go past the caches in rows that begin within lines, those of 1000 elements of 16 bits or those of odd lengths with a
    number for each column, are made line by line, from one row that begins with a line to the next one that does. Lines that end a row
    and begin the next one are made from what both need.

    Divisions and functions of an elementwise operation whose operands are the same along some loops, like 1 / sum of a row,
    become an operation of their own over the other loops.

    Operations with several results or with other than projected permutations as maps are left
    alone and become scalar loops later.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect", "::mlir::affine::AffineDialect"];
}

def PrefetchStreamsPass : Pass<"kgen-prefetch-streams", "::mlir::func::FuncOp"> {
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

def CollapseChainsPass : Pass<"kgen-collapse-chains", "::mlir::func::FuncOp"> {
  let summary = "Chains with reductions get fewer dimensions.";
  let description = [{
    Tiles and vectors are chosen dimension by dimension: rows of 14 pixels, of images that are normalised along their channels, would
    make 14 lanes of a vector, and a task of each. Dimensions that follow each other in every tensor of a chain, and that every
    operation of it walks through together, become one before that. What reads or writes a tensor in another way, as contractions and
    windows do, keeps its dimensions and those of all that belongs to it.

    ```mlir
    %s = linalg.generic ... ins(%x : tensor<8x256x14x14xf32>) -> tensor<8x14x14xf32>
    %y = linalg.generic ... ins(%x, %s : tensor<8x256x14x14xf32>, tensor<8x14x14xf32>) -> tensor<8x256x14x14xf32>
    ```
    becomes
    ```mlir
    %c = tensor.collapse_shape %x [[0], [1], [2, 3]] : tensor<8x256x14x14xf32> into tensor<8x256x196xf32>
    %s = linalg.generic ... ins(%c : tensor<8x256x196xf32>) -> tensor<8x196xf32>
    %r = linalg.generic ... ins(%c, %s : tensor<8x256x196xf32>, tensor<8x196xf32>) -> tensor<8x256x196xf32>
    %y = tensor.expand_shape %r [[0], [1], [2, 3]] ... : tensor<8x256x196xf32> into tensor<8x256x14x14xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def JoinShortRowsPass : Pass<"kgen-join-short-rows", "::mlir::func::FuncOp"> {
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

def TurnShortRowsPass : Pass<"kgen-turn-short-rows", "::mlir::func::FuncOp"> {
  let summary = "Let short rows lie across vectors, where several operations work on them.";
  let description = [{
    A vector that holds a row of ten elements is not full, and its sum takes as long as that of a whole one. Where rows of at most 16
    elements and a vector and a half, but of no whole ones, a thousand or more, are reduced, and another operation works on the same
    tensors, as the one that looks for the place of a maximum does, these are transposed before and
    after, so that a lane of a vector is a row: sums are taken lane by lane. The transpositions take place in registers, a block of rows
    at a time (kgen-block-rows). A sum alone is worth one for rows of up to two thirds of a vector, with 32 registers, or else of three
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

def StreamResultsPass : Pass<"kgen-stream-results", "::mlir::func::FuncOp"> {
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

def StreamStoresPass : Pass<"kgen-stream-stores", "::mlir::func::FuncOp"> {
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

def WidenSumsPass : Pass<"kgen-widen-sums", "::mlir::func::FuncOp"> {
  let summary = "Add up sums of f32 in f64 and round them once.";
  let description = [{
    For the plain loops that results are compared with. A sum in f32, one term after another, is the least accurate of all: a
    result in another order would be called wrong where it is the better one.

    ```mlir
    %s = linalg.generic ... ins(%x : tensor<16777216xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%a: f32, %sum: f32):
      %next = arith.addf %sum, %a : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    ```

    becomes

    ```mlir
    %w = linalg.generic ... ins(%x : tensor<16777216xf32>) outs(%wide_zero : tensor<f64>) {
    ^bb0(%a: f32, %sum: f64):
      %wide = arith.extf %a : f32 to f64
      %next = arith.addf %sum, %wide : f64
      linalg.yield %next : f64
    } -> tensor<f64>
    %s = linalg.generic ... ins(%w : tensor<f64>) // arith.truncf
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SplitEmptiesPass : Pass<"kgen-split-empties", "::mlir::func::FuncOp"> {
  let summary = "Give each use of a tensor.empty one of its own, and each result its own fill.";
  let description = [{
    Common subexpression elimination makes one of all that have the same shape. Bufferization would then give their users
    one buffer, which lives from the first to the last of them, and copies where they overlap.

    ```mlir
    %e = tensor.empty() : tensor<8xf32>
    %a = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %b = linalg.fill ins(%y : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    ```
    becomes two fills with a `tensor.empty` each. These are numbered (`kgen.number`), so that equal values that start from two
    of them stay two: the border of an image is filled for each image.

    The same holds for a tensor that is filled with one number, where several operations write their results over it: sums
    that start from zero. Those that only read it share it.
  }];
}

//===-- level 5 to 7, on memrefs ----------------------------------------------------------------------------------===//

def TileGemmsPass : Pass<"kgen-tile-gemms", "::mlir::ModuleOp"> {
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

def JoinTasksPass : Pass<"kgen-join-tasks", "::mlir::func::FuncOp"> {
  let summary = "Make one grid of tasks of several that do not depend on each other.";
  let description = [{
    Parallel loops on buffers that follow each other become one, if none of them reads or writes what another one writes: each
    starts the threads once, and waits for all of them once. The index of the task says which of the bodies it runs. Such
    loops are the grids that cover one operation together where tiles do not divide it (`#kgen.piece`), and operations of a
    graph that do not depend on each other.

    Loops touch the same memory unless the parts of a view that they are given are apart: the indices of subviews are
    constants, variables of loops whose bounds are known, or sums and products of those.

    ```mlir
    scf.forall (%i) = (0) to (640) step (128) {
      %part = memref.subview %c[0, %i] [33, 128] [1, 1] ...
      tpp.gemm ... outs(%part : ...)
    }
    scf.forall (%i) = (640) to (651) step (11) {
      %part = memref.subview %c[0, 640] [33, 11] [1, 1] ...
      tpp.gemm ... outs(%part : ...)
    } {mapping = [#kgen.piece]}
    ```
    becomes
    ```mlir
    scf.forall (%task) in (6) {
      %c5 = arith.constant 5 : index
      %first = arith.cmpi ult, %task, %c5 : index
      scf.if %first {
        %i = affine.apply affine_map<(d0) -> (d0 * 128)>(%task)
        %part = memref.subview %c[0, %i] [33, 128] [1, 1] ...
        tpp.gemm ... outs(%part : ...)
      } else {
        %part = memref.subview %c[0, 640] [33, 11] [1, 1] ...
        tpp.gemm ... outs(%part : ...)
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect"];
}

def SpreadRowsPass : Pass<"kgen-spread-rows", "::mlir::func::FuncOp"> {
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
    kgen-join-tasks, it takes slots for these, chosen by the task's index.

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

//===-- level 7, on memrefs ---------------------------------------------------------------------------------------===//

def TimeStepsPass : Pass<"kgen-time-steps", "::mlir::ModuleOp"> {
  let summary = "Call a clock after each step of a graph.";
  let description = [{
    In every public function the clock is called with -1 at the beginning, and with a number after each part of its work: the
    operations one after another that belong to the same numbered steps. What belongs to none counts with what stands before it. A
    loop over several steps is one part. Which steps have which number is recorded as a decision. For `kgen bench --steps`;
    a library has no clock.

    ```mlir
    linalg.fill ... loc(step 0)
    scf.forall ... loc(step 1)
    ```
    becomes
    ```mlir
    func.call @kgen_step_ends(%minus1) : (index) -> ()
    linalg.fill ... loc(step 0)
    func.call @kgen_step_ends(%c0) : (index) -> ()
    scf.forall ... loc(step 1)
    func.call @kgen_step_ends(%c1) : (index) -> ()
    ```
  }];
  let options = [Option<"symbol", "symbol", "std::string", "\"kgen_step_ends\"", "The clock: a function that takes a number.">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def OutlineTasksPass : Pass<"kgen-outline-tasks", "::mlir::ModuleOp"> {
  let summary = "Turn parallel loops into tasks that an executor runs.";
  let description = [{
    Every public function gets a last argument: the executor, a pointer. Each outermost `scf.parallel` whose bounds are
    constants becomes a private function of one iteration and a `kgen.launch`; the index of the task says which
    iteration it is. Buffers are passed whole: constants, views and arithmetic from before the loop are computed again in
    the task. Promises about the function's arguments (`llvm.noalias`, `llvm.readonly`) hold in the task, too. A task that asks for
    its slot (`kgen.task_slot`) gets it as another argument; elsewhere it is the number that was given.

    ```mlir
    func.func @g(%x: memref<8x6xf32> {llvm.noalias}) {
      scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c6) step (%c4, %c2) { body(%i, %j, %x) }
    ```
    becomes
    ```mlir
    func.func private @g_task0(%x: memref<8x6xf32> {llvm.noalias}, %task: index) {
      %place:2 = affine.delinearize_index %task into (2, 3) : index, index
      %i = affine.apply affine_map<(d0) -> (d0 * 4)>(%place#0)
      %j = affine.apply affine_map<(d0) -> (d0 * 2)>(%place#1)
      body(%i, %j, %x)
    }
    func.func @g(%x: memref<8x6xf32> {llvm.noalias}, %executor: !llvm.ptr) {
      kgen.launch @g_task0[6] on %executor(%x) : memref<8x6xf32>
    ```
    A grid of one task becomes its body. Parallel loops in a task, those in private functions, and those whose bounds are
    not known become loops over `scf.for`; loops with reductions stay. A buffer from before the loop that can be
    passed neither whole nor as a view of such a one is an error.
  }];
  let dependentDialects = ["::kgen::KgenDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

//===-- level 6 to 8 ----------------------------------------------------------------------------------------------===//

def ConfigureTilesPass : Pass<"kgen-configure-tiles", "::mlir::ModuleOp"> {
  let summary = "Give the tile registers of AMX the shapes that micro-kernels need, as seldom as possible.";
  let description = [{
    A kernel that multiplies in tiles finds the registers with the shapes that its function says (`ukernel.tiles`). Setting them takes
    about as long as four products of tiles, so it is not part of each call: `ukernel.configure_tiles` stands before the outermost
    loop, or other operation, in which all kernels need the same shapes, and not at all where the operations before have left them
    so. Where a loop contains kernels of several shapes, its body sets them in turn. Launches and calls of other functions lose the
    shapes. A function that sets them ends with `ukernel.release_tiles`; so does each task, which runs on a thread of its own.

    ```mlir
    ukernel.configure_tiles rows [16, 16, 16, 16, 16, 16, 16, 16] bytes [64, 64, 64, 64, 64, 64, 64, 64]
    scf.for %i = %c0 to %c256 step %c32 {
      ukernel.call @uk_gemm_bf16_f32_32x32x1024(%a, %b, %c) : ...
    }
    ukernel.release_tiles
    ```
  }];
  let dependentDialects = ["::kgen::ukernel::UkernelDialect"];
}

def EmulateTilesPass : Pass<"kgen-emulate-tiles", "::mlir::ModuleOp"> {
  let summary = "Turn AMX instructions into calls of functions that do the same.";
  let description = [{
    For tests: variants for AMX run on every CPU with AVX-512. Each call of an intrinsic `llvm.x86.<name>` for tile registers becomes
    one of the function `kgen_emulated_<name>`, which tests/end_to_end/tiles.c defines; numbers of registers become `i32`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LowerMicroKernelCallsPass : Pass<"kgen-lower-micro-kernel-calls", "::mlir::ModuleOp"> {
  let summary = "Turn ukernel.call into calls that pass pointers.";
  let description = [{
    The shapes that `ukernel.configure_tiles` sets become constants of 64 bytes in the format of the instruction `ldtilecfg`, one for all
    that are equal.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LowerTaskLaunchesPass : Pass<"kgen-lower-task-launches", "::mlir::ModuleOp"> {
  let summary = "Turn kgen.launch into calls of the executor.";
  let description = [{
    Reads functions of the LLVM dialect. The captures are stored in a struct on the stack; a function
    `void <task>_thunk(void *argument, uint32_t index)` takes them out again and calls the task. One function for all
    launches, `<graph>_launch`, calls `executor->run(executor->user, tasks, thunk, argument)`, or the thunk for each index
    in turn if the executor or its `run` is NULL. All of them are internal.

    Where tasks have slots, a byte for each follows the captures: the thunk exchanges them, one after the other, for a 1 until one was
    0, and stores a 0 there when the task has ended.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ExpandMathPass : Pass<"kgen-expand-math"> {
  let summary = "Expand exp, expm1, log, log1p, pow, erf, gelu and its form by tanh, sigmoid, softplus, remainders, and trigonometric and hyperbolic functions with their inverse ones, of f32 and f64, into plain arithmetic.";
  let description = [{
    Results are within 4 ulp of the exact ones for every input, subnormal results included, and have the same bits on every
    target with fused multiply-adds and AVX2, and on every one without: only additions, subtractions, multiplications, fused
    multiply-adds, divisions, comparisons, selections, roundings to whole numbers, integer operations and lookups are used,
    each rounded on its own.

    Lookups take an element of a table of eight for each lane: `vpermps` of AVX2 and AVX-512, beside which the CPU still
    multiplies. So erf, gelu, softplus, log and powers of f32 are polynomials of a low degree whose coefficients, or whose
    factor, belong to one of eight pieces; without these instructions, and in f64, one polynomial serves all. The logarithms in
    powers have tables of sixteen, which are two lookups and a selection with AVX2.

    Lanes by numbers in a register (`kgen.permute`) become the same instructions.

    Functions marked with `kgen.rounded` belong to operators on bf16 and f16, whose results have as many digits as the mark says,
    8 or 11. Where there are lookups, they may be off by 2^-12.5 or 2^-16 of their size, so that shorter polynomials do, and a
    result is within 0.55 (bf16) or 0.53 units in the last place once it is rounded. Powers need no lookups then; sigmoid and
    gelu by tanh are a quotient with one, gelu has the 32nd power of a polynomial, erf and tanh polynomials in squares; tan is a
    quotient of two polynomials, asin and acos a polynomial and a root, sinh and cosh the odd and the even part of a power. Registers
    of sixteen numbers hold tables of sixteen: the pieces of erf and tanh have polynomials of one degree less then, gelu has the 8th
    or the 4th power of such ones, and exp of bf16 is a line in each sixteenth of an octave; before they are rounded, these differ
    from those of targets with tables of eight. Roundings of what they go into, also by products and quotients, are marked too: their
    ties are accidents, which need not go to even.
    Roundings to bf16 of what is made of bf16 and of numbers alone, and all of a module with that mark, get the mark
    `kgen.narrow_nans`: a NaN has no digits there that rounding could carry into its exponent.

    The mark `kgen.not_positive` is for a `math.expm1` whose result is used only where the operand is not positive, as activation
    functions do: its power has one factor of 2^n then, and no upper limit.

    sin and cos take a multiple of pi from their argument, and branch to a longer division where a vector holds a large
    number; log branches for what is not positive, finite and normal. pow is 2^(y log2|x|) with a logarithm that is the sum of two
    numbers, of which the smaller one is at most 1/80 of it; it branches for negative bases, from there for zeros, and from there
    for what is not normal or has an exponent beyond 120, for which the logarithm has twice the digits. These conditions are
    `llvm.intr.expect`ed to be false, so that LLVM gives the registers of a loop to what it computes nearly always. Remainders
    (`arith.remf`) are exact: by the quotient, or by subtraction in a loop where a vector holds a quotient of more digits than a
    number has. Works on scalars and on vectors of any shape. What would remain as a call into libm, be it another function or
    another type, is an error. Sums and differences with products, all marked `contract`, are made fused multiply-adds before loops
    are pipelined, which may part them. Maxima and minima of f32 that ignore NaNs become a comparison and a selection where one
    operand is known to be a number, as one that began with an infinity is.

    Where integers of 64 bits are converted to f64 by an instruction (AVX-512 DQ), vectors of them are divided as f64: twice, as
    a quotient may have more than 53 digits, and with one correction at the end.

    With AVX-512, maxima and minima of whole registers become `vrangeps`, which knows the order of zeros, and a sum where an
    operand is NaN: three instructions, of which LLVM makes six.

    ```mlir
    %y = math.exp %x : vector<16xf32>
    ```
    becomes some 25 operations of `arith` on `vector<16xf32>` and `vector<16xi32>`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def MaskTailsPass : Pass<"kgen-mask-tails", "::mlir::func::FuncOp"> {
  let summary = "Read and write parts of a register by one instruction with a mask, with AVX-512.";
  let description = [{
    What is left of a row beside whole vectors is a vector of any number of elements. LLVM moves it in pieces of 2^n bytes, up
    to four of them, and puts them together. Does nothing if the target has no masks (AVX-512 with VL and BW), or if the number
    is a power of two. Memory that a block of the function both writes and reads keeps its pieces: a read waits until what was just
    written with a mask is in the cache. A prefetch is neither.

    ```mlir
    %v = vector.transfer_read %m[%i], %p {in_bounds = [true]} : memref<31xf32>, vector<15xf32>
    ```
    becomes
    ```mlir
    %w = vector.maskedload %m[%i], %mask, %poison : memref<31xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %v = vector.shuffle %w, %w [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14] : vector<16xf32>, vector<16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def PipelineLoopsPass : Pass<"kgen-pipeline-loops", "::mlir::func::FuncOp"> {
  let summary = "Overlap stages of two or three steps of loops that compute functions.";
  let description = [{
    A function of a vector is one chain of operations, each of which waits for the one before it. A CPU overlaps the chains of
    several steps only as far as its schedulers reach: some 64 instructions, of which one step of two vectors has 40 or more.
    Software pipelining cuts a step into two or three stages of about the same time, where the fewest vectors are carried from one
    to another, and puts each stage beside the earlier ones of the next steps, in the order in which their operands are ready, so
    that what is waited for is done meanwhile. The first stages of the first steps come before the loop, the last ones of the last
    steps after it. Steps of 50 cycles or more have three stages if what is carried takes 9/16 of the registers or less: constants
    want some, too.

    This is done by upstream's `scf::pipelineForLoop` to innermost loops whose steps are a chain of 40 cycles or more, with four
    steps or more and 160 instructions at most (an operation on two vectors is two), without values that they carry themselves, and
    if no step reads what another one writes. A branch that needs no memory is one operation. Masks are made beside what uses them,
    as registers for them are few.

    ```mlir
    scf.for %i = %c0 to %c64 step %c16 {
      %x = vector.load %a[%i] : memref<64xf32>, vector<16xf32>
      %y = ...
      %z = math.fma %y, %c, %d : vector<16xf32>
      %r = ...
      vector.store %r, %b[%i] : memref<64xf32>, vector<16xf32>
    }
    ```
    becomes, with two stages,
    ```mlir
    %x0 = vector.load %a[%c0] : memref<64xf32>, vector<16xf32>
    %y0 = ...
    %last = scf.for %i = %c0 to %c48 step %c16 iter_args(%yi = %y0) -> vector<16xf32> {
      %z = math.fma %yi, %c, %d : vector<16xf32>
      %next = arith.addi %i, %c16 : index
      %x = vector.load %a[%next] : memref<64xf32>, vector<16xf32>
      %r = ...
      %y = ...
      vector.store %r, %b[%i] : memref<64xf32>, vector<16xf32>
      scf.yield %y : vector<16xf32>
    }
    %z3 = math.fma %last, %c, %d : vector<16xf32>
    %r3 = ...
    vector.store %r3, %b[%c48] : memref<64xf32>, vector<16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ExpandBf16Pass : Pass<"kgen-expand-bf16", "::mlir::ModuleOp"> {
  let summary = "Turn bf16 into i16, and its conversions into shifts and additions.";
  let description = [{
    Widening shifts by 16 bits; rounding is to nearest, ties to even (of a rounding that is marked with `kgen.rounded`, away from
    0), NaN stays NaN, by a test unless `kgen.narrow_nans` says that there is no need for one, and subnormal numbers keep their value. The upper halves of rounded vectors are one shuffle, which takes
    two registers at once.
    The results have the same bits on every target; `vcvtneps2bf16` is not used, because it takes subnormal numbers for
    zeros. Everything else that holds bf16 (buffers, vectors, constants) holds i16 afterwards: LLVM has no registers for
    bf16 on most CPUs, and converts such values by calling a function wherever they cross a branch. Instructions that take
    bf16 (`x86vector`, intrinsics) get casts. Integers become bf16 by way of f32, which is how the canonicalizer's
    `arith.sitofp` to bf16 came about. Any other arithmetic in bf16 is an error.

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

def ExpandF16Pass : Pass<"kgen-expand-f16", "::mlir::ModuleOp"> {
  let summary = "Turn f16 into i16, and its conversions into arithmetic, where the target cannot convert it.";
  let description = [{
    If the target has F16C, LLVM uses its instructions, and this pass only copies signs of numbers that were rounded to whole ones,
    which they have already, before they become f16: LLVM would round them in f16, one by one. Elsewhere it would call a function for
    each element.
    The results have the same bits as those of the instructions: rounded to nearest, ties to even; subnormal numbers,
    infinities and zeros keep their value and sign; NaN keeps its upper digits and becomes quiet. Everything else that holds
    f16 (buffers, vectors, constants) holds i16 afterwards. Any other arithmetic in f16 is an error.

    ```mlir
    %w = arith.extf %x : vector<4xf16> to vector<4xf32>
    ```
    becomes some 15 operations of `arith` on `vector<4xi32>` and `vector<4xf32>`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif
