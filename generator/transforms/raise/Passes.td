#ifndef KGEN_TRANSFORMS_RAISE_PASSES_TD
#define KGEN_TRANSFORMS_RAISE_PASSES_TD

include "mlir/Pass/PassBase.td"

def NormalizeContractionsPass : Pass<"kgen-normalize-contractions", "::mlir::func::FuncOp"> {
  let summary = "Bring batched and batch-reduce contractions into their simplest form.";
  let description = [{
    For modules that come as MLIR: kgen's own ingress makes no such forms, so the pass is in no
    stage.

    Precondition: linalg on tensors, whose sizes are static or have bounds (`kgen.size`).
    Postcondition: every batch-reduce contraction has the loops (batch..., m, n, r, k), which
    kgen-contractions-to-tpp takes as `tpp.brgemm`; a contraction that linalg has a name for has
    that name.

    - A batch dimension of size one is dropped, and so is a reduction of size one next to another
      reduction.
    - A B that is a `linalg.broadcast` along the batch is replaced by what is broadcast.
    - A batch that shares its B becomes rows, if A and C have batch and rows next to each other in
      the same order.
    - The loops of a contraction with two reductions get the order (batch..., m, n, r, k). k is the
      reduction that is contiguous in A, or else the one that is contiguous in B.

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
    With `outer-loops`, the batch of a batch-reduce contraction (of blocked operands: the blocks of
    rows and columns) becomes a `scf.forall`:

    ```mlir
    %r = scf.forall (%i, %j) in (4, 2) shared_outs(%c = ...) -> (tensor<4x2x16x32xf32>) {
      %t = linalg.batch_reduce_matmul ins(%ai, %bj : tensor<8x16x64xf32>, tensor<8x64x32xf32>)
          outs(%cij : tensor<16x32xf32>) -> tensor<16x32xf32>
      ...
    }
    ```
  }];
  let options = [Option<"outerLoops", "outer-loops", "bool", "false",
                        "Make loops of the batch of batch-reduce contractions">];
  let statistics = [
    Statistic<"numNormalized", "normalized", "Batched and batch-reduce contractions visited">,
    Statistic<"numRefused", "refused",
              "Contractions over several reductions in which m, n, r and k are not found">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect"];
}

def ContractionsToTppPass : Pass<"kgen-contractions-to-tpp", "::mlir::func::FuncOp"> {
  let summary = "Replace linalg contractions by tpp.gemm and tpp.brgemm.";
  let description = [{
    Precondition: linalg on tensors; packs have been moved and folded (kgen-propagate-packing).
    Postcondition: with `require-all`, no operation on tensors that only multiplies and adds is
    outside of `tpp`. kgen-fuse-attention, kgen-fuse-epilogues and kgen-assign-layouts find
    contractions only there.

    Applies to every linalg operation on tensors that multiplies and adds, with one reduction
    (`tpp.gemm`) or two (`tpp.brgemm`):

    - The operands may be indexed in any order. The last dimension of the result is n if only one
      operand has it, and the one before it is m if only the other operand has it. A missing
      dimension has size one, so products with vectors are contractions, too.
    - A may be read through a window: its indices are then sums of loops.
    - Products of bf16 are accumulated in f32.
    - If a reduction is innermost in both operands and its size is the VNNI factor of the type, B
      becomes one panel.
    - A zero fill of the destination disappears: the gemm then starts from zero instead of
      accumulating.

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
    Option<"strictOrder", "strict-order", "bool", /*default=*/"false",
           "Let every sum be one chain of multiply-adds over ascending k">,
    Option<"requireAll", "require-all", "bool", /*default=*/"false",
           "Report contractions on tensors that cannot become tile operations as errors">,
    Option<"floatsOnly", "floats-only", "bool", /*default=*/"false",
           "Leave contractions of integers in linalg">
  ];
  let statistics = [
    Statistic<"numGemms", "gemms", "Contractions that became tpp.gemm">,
    Statistic<"numBrgemms", "brgemms", "Contractions that became tpp.brgemm">,
    Statistic<"numRefused", "refused", "Contractions that stay in linalg">
  ];
  let dependentDialects = ["::kgen::tpp::TppDialect", "::mlir::tensor::TensorDialect"];
}

def PromoteAccumulatorsPass : Pass<"kgen-promote-accumulators", "::mlir::func::FuncOp"> {
  let summary = "Accumulate sums of f32 in f64 and round them once.";
  let description = [{
    Precondition: linalg on tensors; runs in the reference pipeline only. Postcondition: sums of f32
    are exact to the last rounding, which the comparison of results (`kgen-run`, `kgen bench`)
    relies on.

    A sum in f32, one term after another, is the least accurate order: without promotion, the
    comparison would call a more accurate result wrong.

    ```mlir
    %s = linalg.generic ... ins(%x : tensor<16777216xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%a: f32, %sum: f32):
      %next = arith.addf %sum, %a : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    ```

    becomes

    ```mlir
    %w = linalg.generic ... ins(%x : tensor<16777216xf32>) outs(%zero64 : tensor<f64>) {
    ^bb0(%a: f32, %sum: f64):
      %x64 = arith.extf %a : f32 to f64
      %next = arith.addf %sum, %x64 : f64
      linalg.yield %next : f64
    } -> tensor<f64>
    %s = linalg.generic ... ins(%w : tensor<f64>) // arith.truncf
    ```
  }];
  let statistics = [
    Statistic<"numPromoted", "promoted", "Sums that are accumulated in f64">,
    Statistic<"numRefused", "refused",
              "Reductions that end in an addition but are more than a sum of their terms">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif
