#ifndef KGEN_TRANSFORMS_ATTENTION_PASSES_TD
#define KGEN_TRANSFORMS_ATTENTION_PASSES_TD

include "mlir/Pass/PassBase.td"

def HoistAttentionReshapesPass : Pass<"kgen-hoist-attention-reshapes", "::mlir::func::FuncOp"> {
  let summary = "Move reshapes out of attention.";
  let description = [{
    Precondition: contractions are linalg operations on tensors (kgen-contractions-to-tpp has not
    run). Postcondition: between the operands of an attention, which are two contractions and all
    that leads from the first to the second with an exponential on the way, and its result, reshapes
    stand before operands and after the result, if upstream's patterns
    (`populateFoldReshapeOpsByExpansionPatterns`) can move them there; contractions have a dimension
    for each dimension that an operand had before it was reshaped. All other code is unchanged.

    Loops of one that only the result of an operation on the scores has, as torch-mlir writes them,
    are dropped first: upstream's patterns would make more and more of them.

    Heads that were collapsed with the batch, and heads of keys and values that were repeated by a
    broadcast and a reshape, are dimensions of their own afterwards: kgen-fuse-attention reads
    through the transposes, broadcasts and scales that stand between.

    ```mlir
    %kr = linalg.generic ... ins(%k : tensor<3x64x128xf32>) outs(... : tensor<3x4x64x128xf32>) { broadcast }
    %kc = tensor.collapse_shape %kr [[0, 1], [2], [3]] : tensor<3x4x64x128xf32> into tensor<12x64x128xf32>
    %s = linalg.batch_matmul ins(%q, %kc : tensor<12x128x64xf32>, tensor<12x64x128xf32>) ... -> tensor<12x128x128xf32>
    ```
    becomes
    ```mlir
    %qe = tensor.expand_shape %q [[0, 1], [2], [3]] ... : tensor<12x128x64xf32> into tensor<3x4x128x64xf32>
    %s = linalg.generic ... ins(%qe, %kr : tensor<3x4x128x64xf32>, tensor<3x4x64x128xf32>) ... -> tensor<3x4x128x128xf32>
    ```
  }];
  let statistics = [
    Statistic<"numHoisted", "hoisted", "Attentions whose reshapes were moved">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FuseAttentionPass : Pass<"kgen-fuse-attention", "::mlir::func::FuncOp"> {
  let summary = "Fuse two gemms and the softmax between them into kgen.attention.";
  let description = [{
    Precondition: contractions are `tpp.gemm` without an epilogue (kgen-contractions-to-tpp has run,
    kgen-fuse-epilogues has not); elementwise operations, reductions and transposes are
    `linalg.generic` on tensors. Postcondition: a fused attention is one `kgen.attention`, which
    kgen-decompose-attention expects; all other code is unchanged.

    Applies to a `tpp.gemm` if all hold:

    | operation          | condition                                                                                    |
    |--------------------|----------------------------------------------------------------------------------------------|
    | second gemm        | A is the softmax along the last dimension: score - maximum, exp, quotient by the sum         |
    | first gemm         | computes the scores; accumulates in the type of the second                                   |
    | scores             | elementwise operations of one score each; they become the region of `kgen.attention`         |
    | intermediate       | no other operation reads an intermediate tensor                                              |
    | queries            | at least half as many as a vector has lanes, since a lane will be a query; or see below       |
    | Q, V, result       | the dimension of an element is contiguous                                                    |

    A causal mask that is the last operation on the scores becomes the attribute `causal`: a
    selection of -inf or of the lowest number (f32's or bf16's), or a sum with 0 or such a number,
    that depends on how indices, or constants that count up, compare, or on a constant matrix of two
    values with a diagonal between them. A mask of lowest numbers is one only if the scores before
    it are those of the first gemm times constants: where another mask hides all keys that a query
    sees, its weights are those of the hidden keys, too.

    Fewer queries are fused if their number is static, if a key's elements are contiguous, and if a
    mask of -inf, the last operation on the scores, hides all keys from a number on that the graph
    computes (`key < count`, `key <= query + count`, also several of these at once): the keys of a
    cache that are not filled yet. These numbers are the operand `key_counts`. If the mask says
    nothing else, it is gone. With other masks the gemms stay: blocks of keys that they hold in
    registers serve several queries.

    Results are the same for finite operands whose scores do not overflow: a hidden key's weight is
    0 then. A key or a value of a hidden row that is NaN or infinite does not reach the query any
    more, as with ONNX's `Attention` and `is_causal`.

    Constant factors of Q and K move to the scores, as long as they are no subnormal numbers: (q s)
    k = (q k) s up to rounding, which is once for each score instead of once for each element.

    Where rows of weights that are NaN become 0 (`isnan(w) ? 0 : w`), that is the attribute
    `nan_to_zero`.

    Transposes of operands and of the result become maps, so that tensors are read and written
    without a copy. So do reshapes that collapse batch dimensions. A softmax may give 0 where all
    scores of a query are -inf: its maximum starts from the lowest number, and exponentials are
    multiplied with 0 instead of 1 / 0. That is the attribute `masked_to_zero`.

    If all four operands of the gemms were rounded to one narrow type (a graph of bf16, or
    `compute: bf16`), that is the attribute `narrow`: probabilities may be rounded to it, as the
    weights were. An operand that was rounded after a transpose is rounded before it instead.

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
  let statistics = [
    Statistic<"numFused", "fused", "Attentions made of two gemms and a softmax">,
    Statistic<"numRefused", "refused",
              "Softmaxes, or what is nearly one, between two gemms that were left as they are">
  ];
  let dependentDialects = ["::kgen::KgenDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def DecomposeAttentionPass : Pass<"kgen-decompose-attention", "::mlir::func::FuncOp"> {
  let summary =
      "Decompose kgen.attention into loops over blocks of queries and keys with an online softmax.";
  let description = [{
    Precondition: attention is `kgen.attention` on tensors (kgen-fuse-attention), whose dynamic
    sizes have bounds (`kgen.size`). Postcondition: no `kgen.attention` is left. Its gemms are
    `tpp.gemm`, which kgen-assign-layouts and kgen-gemm-to-macro-kernel handle; its vector code is
    final.

    For each block of queries and each block of keys (FlashAttention):

    | phase         | code                                                                                              |
    |---------------|---------------------------------------------------------------------------------------------------|
    | scores        | `tpp.gemm` `[keys, queries]` of K, in place, and a transposed block of Q; the region is its epilogue |
    | maxima        | vectors: maximum over keys, lane by lane, since a lane is a query                                 |
    | rescale       | vectors, at most once: only if a score exceeds the running maximum by more than 8                 |
    | probabilities | vectors: exp(score - running maximum) and their sums over keys                                    |
    | values        | `tpp.gemm` of the transposed probabilities and V, in place, added to the weighted sums            |

    Weighted sums are divided by the sums of probabilities at the end; with `masked_to_zero`, those
    whose sum is 0 become 0. If all keys fit one block, the epilogue of the second gemm does that.
    When the running maximum rises from m to m', earlier sums are multiplied with exp(m - m') (M.
    Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018). Between two rescales
    probabilities are at most exp(8). With `causal`, blocks of keys that no query of the block sees
    are skipped; those that all of its queries see are not masked.

    Of a dynamic batch dimension, each index is a task. Of a dynamic number of queries, what whole
    blocks leave over goes in blocks of a vector, the last of which is padded with zeros and stored
    in part; of a dynamic number of keys, in blocks of 16 (of f32), the last of which is padded with
    zeros, and with scores of -inf. All gemms have static sizes. Sums start from no keys, so that
    there may be no whole block, and are added in other blocks than those of a static number of up
    to 256 keys.

    A constant factor of the first gemm's sum moves to Q. If nothing else happens to the scores, so
    does log2(e), and scores are exponents of 2. An epilogue operand by queries and keys that
    several batch indices share is transposed once for all of them if it takes at most half of L2:
    no workspace grows with the square of the sequence length.

    If the operation is `narrow` and the target multiplies pairs of bf16 in one instruction, blocks
    of Q and of probabilities are right operands in VNNI layout (`vnni = 2`), and V, transposed
    once, is the left one. Weighted sums are `[e, queries]` then, and transposed when they are
    divided.

    Fewer queries than half of a vector has lanes, of keys whose elements are contiguous, are
    computed in another way: keys and values pass through once, and take most of the time. Rows are
    the queries of all heads whose keys lie side by side or are shared; for each block of keys, up
    to the greatest number that `key_counts` and `causal` let a row see, each row adds its part:

    | phase         | code                                                                                              |
    |---------------|---------------------------------------------------------------------------------------------------|
    | scores        | vectors of elements: products of the query and of as many keys as there are lanes, whose sums become one vector |
    | probabilities | vectors of keys: the region, the running maximum, exp(score - running maximum)                     |
    | values        | vectors of elements: each value times its probability, added to the sums before times exp(m - m')  |

    In the last block, keys that a row does not see are hidden; the last key that any row sees is
    read again in the place of those after it. Keys and values that do not fit L2 are prefetched.

    Batch dimensions, and blocks of queries if those are too few, are tasks of an `scf.forall`. A
    task needs memory for one block of scores, one of queries and one of weighted sums. K and V take
    memory only if they are converted or V is transposed.

    ```mlir
    scf.for %i = %c0 to %blocks step %c1 iter_args(%sums = ..., %max = ..., %sum = ...) {
      %s = tpp.gemm ins(%keys, %queries) ... { score } -> tensor<128x64xf32>
      ... vectors: maxima, and whether to rescale
      %p = scf.for ... to %rescales { rows of %sums times their factors }
      ... vectors: exp, sum
      %t = tpp.gemm ins(%probabilities, %values) outs(%p) attributes {accumulate, ...} -> tensor<64x64xf32>
    }
    ```
  }];
  let options = [
    Option<"taskWork", "task-work", "int64_t", /*default=*/"1 << 20",
           "Scalar operations that a task must have to be worth its start">
  ];
  let statistics = [
    Statistic<"numDecomposed", "decomposed", "Attentions decomposed into loops">,
    Statistic<"numOnline", "online",
              "Attentions with several blocks of keys, and so with rescaling">
  ];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::ub::UBDialect",
                           "::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

#endif
