#ifndef KGEN_TRANSFORMS_FUSION_PASSES_TD
#define KGEN_TRANSFORMS_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def CsePass : Pass<"kgen-cse"> {
  let summary =
      "Upstream's elimination of common subexpressions, for thousands of loops that read one "
      "tensor.";
  let description = [{
    Equal operations become one, as by upstream's `cse`, which this pass calls. That compares an
    operation with all others of the same name, operands, attributes and types: for each
    `linalg.generic` with all that read the same tensors, body by body. While it runs, a number of
    its body is an attribute of each `linalg.generic`, so that only equal ones are compared.

    ```mlir
    %a = linalg.generic ... ins(%x) outs(%e) { twice each element }
    %b = linalg.generic ... ins(%x) outs(%e) { half of each element }
    %c = linalg.generic ... ins(%x) outs(%e) { twice each element }
    ```
    keeps `%a`, which takes the place of `%c`, and `%b`.
  }];
}

def FoldAddIntoDestPass : Pass<"kgen-fold-add-into-dest", "::mlir::func::FuncOp"> {
  let summary = "Let a contraction accumulate into the tensor that is added to it.";
  let description = [{
    Precondition: tensors. The pass runs twice: before kgen-pack-matmul, on sums of linalg, and
    after kgen-fuse-epilogues and kgen-winograd, on sums in epilogues. Postcondition: a contraction
    accumulates into a tensor that is added to its result if nobody reads that tensor afterwards;
    kgen-reuse-operand-buffers and bufferization then need no second buffer.

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
    Constants, arguments, broadcast addends and addends that are read again stay: they would have to
    be copied, while an addition in the epilogue is free. Addends that are computed elementwise from
    anything but a contraction's result stay as well, since the epilogue can compute them.

    The same holds for the epilogue of a contraction of floats that adds another contraction's
    result to its sums, as in the residuals of convolutional networks. They are no candidates before
    epilogues are fused, because an activation reads the sum of the addend, too.

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
  let statistics = [
    Statistic<"numFolded", "folded", "Contractions that accumulate into an addend">,
    Statistic<"numRefused", "refused",
              "Contractions whose epilogue adds a tensor that must not be overwritten">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::kgen::tpp::TppDialect"];
}

def PropagateReshapesPass : Pass<"kgen-propagate-reshapes", "::mlir::func::FuncOp"> {
  let summary = "Move reshapes away from contractions.";
  let description = [{
    Precondition: elementwise operations have been fused (sub-pipeline fold-into-eltwise), which
    moves reshapes in the other direction, towards contractions. Postcondition: the bias and
    activation of a contraction with collapsed dimensions read its result directly, as
    kgen-fuse-epilogues requires.

    An elementwise operation on a `tensor.expand_shape` becomes one on the source of the reshape,
    followed by the reshape, if its other operands can be reshaped as well. A reshape whose result
    is stored in a buffer is applied to the buffer instead, unless dimensions that would become one
    are not contiguous there.

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
  let statistics = [
    Statistic<"numReshaped", "reshaped", "Results that are stored through a view of another shape">,
    Statistic<"numRefused", "refused", "Results that are reshaped before they are stored">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::memref::MemRefDialect"];
}

def FuseEpiloguesPass : Pass<"kgen-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Move elementwise consumers of contractions into their epilogues.";
  let description = [{
    Precondition: contractions are `tpp` (kgen-contractions-to-tpp), and reshapes have been moved
    away from them (kgen-propagate-reshapes). Postcondition: there is no `tpp.group`; an elementwise
    consumer outside of an epilogue is one that no contraction takes, and a body rounds only values
    that leave it and values that the graph casts. kgen-winograd and kgen-fold-add-into-dest look
    for sums and activations in epilogues only.

    The consumer, a `linalg.generic`, must

    - be the only operation that reads the contraction's result, in the same block,
    - compute one result of the same shape, element by element, and not read its destination,
    - read the contraction's result only at the element that it computes,
    - have other operands that are indexed by some of the result's dimensions, the last one, if
      present, last (a bias by row or by column, a scalar, a full tensor).

    Consumers are visited from the contraction on, so whole chains become epilogues.

    Chains of tile operations are fused first. From the last operation of a chain upwards, an
    elementwise operation takes in those producers that only it reads, in the same block and at the
    element that it computes; at most one of them all is a contraction. Such a chain becomes a
    `tpp.group`, and each group, also one of the input, becomes one contraction with an epilogue or
    one `linalg.generic`. If the contraction does not take the epilogue, both stay, and a remark
    says so.

    ```mlir
    %g = tpp.gemm ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<4x8xf32>) ...
    %s = tpp.add ins(%g, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) -> tensor<4x8xf32>
    %r = tpp.relu ins(%s : tensor<4x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %r = tpp.gemm ins(%a, %b : ...) epilogue_ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) attributes {...} {
    ^bb0(%acc: f32, %y: f32):
      %0 = arith.addf %acc, %y : f32
      %1 = arith.cmpf ogt, %zero, %0 : f32
      %2 = arith.select %1, %zero, %0 : f32
      tpp.yield %2 : f32
    } -> tensor<4x8xf32>
    ```

    *Roundings.* An operator on bf16 extends its operands, computes in f32 and rounds its result. If
    two of them were fused into one body of linalg or tpp, the first one's rounding and the second
    one's extension disappear: the result is nearer to the exact one, and never further away. These
    roundings stay:

    - those whose rounded value is used otherwise, too,
    - those between different bodies, where the graph says that the tensor is bf16,
    - those with a mode (`arith.truncf %s to_nearest_even`), which are casts of the graph,
    - those of f64 to f32.

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
  let statistics = [
    Statistic<"numGroups", "groups", "Chains of tile operations that were fused">,
    Statistic<"numFused", "fused", "Generics that became part of an epilogue">,
    Statistic<"numRefused", "refused",
              "Elementwise consumers of contractions that stay outside of the epilogue">,
    Statistic<"numRoundings", "roundings", "Extensions of rounded values that were removed">,
    Statistic<"numKeptRoundings", "kept-roundings", "Roundings of a body that stay">
  ];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect", "::kgen::KgenDialect"];
}

def FuseElementwisePass : Pass<"kgen-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary =
      "Fuse chains of elementwise operations; the location of each names everything that was fused "
      "into it.";
  let description = [{
    Precondition: elementwise operations are `linalg.generic` (linalg-generalize-named-ops).
    Postcondition: upstream's fusion (linalg-fuse-elementwise-ops), whose patterns are applied to
    the function, finds nothing to fuse but what would make too large a body. The location of every
    linalg operation names all nodes that it computes; the decisions that later passes record rely
    on it.

    *Long chains.* Upstream's fusion adds elementwise operations to one operation one after another,
    and creates it anew each time: n^2 / 2 operations for a chain of n. A chain of 64 or more is
    fused before: each operation with one that computes an operand, then those pairs with each
    other, and so on, which creates n log n operations. The result is the same. Constants of such a
    chain go into the bodies before.

    *Large bodies.* A body becomes one basic block, for which LLVM's scheduler and register
    allocator take more than linear time. What would have more than `max_fused_operations` or
    `max_fused_values` (heuristics of the target) stays several operations.

    *Locations.* The ingress names the nodes of a graph by locations. Upstream's fusion gives the
    fused operation the consumer's location and leaves the locations of producers in the body. If
    the module has `kgen.decisions`, each fusion is recorded.
  }];
  let options = [Option<"longChainsOnly", "long-chains-only", "bool", /*default=*/"false",
                        "Leave out upstream's fusion and the locations">];
  let statistics = [Statistic<"numInPairs", "in-pairs",
                              "Operations of long chains that were fused with a consumer">,
                    Statistic<"numNodes", "nodes", "Operations that compute more than one node">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def GroupReductionDimsPass : Pass<"kgen-group-reduction-dims", "::mlir::func::FuncOp"> {
  let summary = "Group adjacent dimensions of chains with reductions.";
  let description = [{
    Precondition: elementwise operations have been fused (sub-pipeline fold-into-eltwise).
    Postcondition: adjacent dimensions of a chain with a reduction are separate only if an operation
    of the chain iterates them in different ways. kgen-distribute-tasks, kgen-cache-tiling and
    kgen-vectorize choose sizes one dimension at a time and rely on it.

    Without grouping, rows of 14 pixels, of images that are normalized along their channels, would
    fill 14 lanes of a vector, and each would be a task. Dimensions become one if they are adjacent
    in every tensor of the chain and every operation iterates both or neither. Contractions, windows
    and other operations that index a tensor in another way keep its dimensions, and with them those
    of the whole chain.

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
  let statistics = [
    Statistic<"numGrouped", "grouped", "Operations with fewer loops than before">,
    Statistic<"numRefused", "refused",
              "Operations that keep dimensions because another one of their chain does">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif
