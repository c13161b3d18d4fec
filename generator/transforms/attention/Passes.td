#ifndef KGEN_TRANSFORMS_ATTENTION_PASSES_TD
#define KGEN_TRANSFORMS_ATTENTION_PASSES_TD

include "mlir/Pass/PassBase.td"

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

def DecomposeAttentionPass : Pass<"kgen-decompose-attention", "::mlir::func::FuncOp"> {
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

#endif
