#ifndef KGEN_TRANSFORMS_FUSION_PASSES_TD
#define KGEN_TRANSFORMS_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FoldAddIntoDestPass : Pass<"kgen-fold-add-into-dest", "::mlir::func::FuncOp"> {
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

def PropagateFusedLocsPass : Pass<"kgen-propagate-fused-locs", "::mlir::func::FuncOp"> {
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

def FormFusionGroupsPass : Pass<"kgen-form-fusion-groups", "::mlir::func::FuncOp"> {
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

def LowerFusionGroupsPass : Pass<"kgen-lower-fusion-groups", "::mlir::func::FuncOp"> {
  let summary = "Turn each group into one operation.";
  let description = [{
    The elementwise operations of a group become one `linalg.generic`. If the group has a contraction, that generic becomes its
    epilogue, as kgen-fuse-epilogues would do it; where the contraction cannot take it over, the two stay apart, and a remark says so.
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect", "::kgen::KgenDialect"];
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

def FuseElementwiseTreesPass : Pass<"kgen-fuse-elementwise-trees", "::mlir::func::FuncOp"> {
  let summary = "Fuse elementwise operations, of which many become one, in pairs, and pairs of pairs.";
  let description = [{
    Upstream's fusion of elementwise operations adds them to one operation one after another, and writes it anew each time: of a
    chain of n operations, n^2 / 2 are made. Where 64 or more become one, each is fused with one of those that compute its operands,
    then those pairs with each other, and so on, which makes n log n. The result is the same; shorter chains are left to upstream.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect"];
}

def FoldEpilogueAddIntoDestPass : Pass<"kgen-fold-epilogue-add-into-dest", "::mlir::func::FuncOp"> {
  let summary = "Let a contraction start from what its epilogue adds, in the same memory.";
  let description = [{
    Where the epilogue of a contraction of floats adds another contraction's result to the sums, and nobody reads that
    afterwards, the sums are added to it where it lies: one tensor less goes through the caches, and none is written beside
    the one that is read. The residuals of convolutional networks are such, which kgen-fold-add-into-dest leaves alone because
    others have read them before.

    ```mlir
    %y = tpp.gemm ins(%a, %w : ...) epilogue_ins(%bias, %x : tensor<64xf32>, tensor<56x64xf32>) outs(%e : tensor<56x64xf32>) ... {
    ^bb0(%acc: f32, %b: f32, %r: f32):
      %0 = arith.addf %acc, %b : f32
      %1 = arith.addf %0, %r : f32
      %2 = arith.maximumf %1, %zero : f32
      tpp.yield %2 : f32
    } -> tensor<56x64xf32>
    ```
    becomes
    ```mlir
    %y = tpp.gemm ins(%a, %w : ...) epilogue_ins(%bias : tensor<64xf32>) outs(%x : tensor<56x64xf32>) attributes {accumulate, ...} {
    ^bb0(%acc: f32, %b: f32):
      %0 = arith.addf %acc, %b : f32
      %2 = arith.maximumf %0, %zero : f32
      tpp.yield %2 : f32
    } -> tensor<56x64xf32>
    ```
  }];
  let dependentDialects = ["::kgen::tpp::TppDialect"];
}

def FoldTruncExtPass : Pass<"kgen-fold-trunc-ext", "::mlir::func::FuncOp"> {
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

def GroupReductionDimsPass : Pass<"kgen-group-reduction-dims", "::mlir::func::FuncOp"> {
  let summary = "Chains with reductions get fewer dimensions.";
  let description = [{
    Tiles and vectors are chosen dimension by dimension: rows of 14 pixels, of images that are normalized along their channels, would
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

#endif
