#ifndef KGEN_TRANSFORMS_RAISE_PASSES_TD
#define KGEN_TRANSFORMS_RAISE_PASSES_TD

include "mlir/Pass/PassBase.td"

def NormalizeContractionsPass : Pass<"kgen-normalize-contractions", "::mlir::func::FuncOp"> {
  let summary = "Bring batched and batch-reduce contractions into their simplest form.";
  let description = [{
    For modules that come as MLIR: kgen's own ingress makes no such forms, so the pass is in no stage.

    Precondition: linalg on tensors of static shapes. Postcondition: every batch-reduce contraction has the loops
    (batch..., m, n, r, k), which kgen-contractions-to-tpp takes as `tpp.brgemm`; a contraction that linalg has a name for has
    that name.

    - A batch dimension of size one is dropped, and so is a reduction of size one beside another reduction.
    - A B that is a `linalg.broadcast` along the batch is replaced by what is broadcast.
    - A batch that shares its B becomes rows, if A and C have batch and rows next to each other in the same order.
    - The loops of a contraction with two reductions get the order (batch..., m, n, r, k). k is the reduction that is
      contiguous in A, or else the one that is contiguous in B.

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
    With `outer-loops`, the batch of a batch-reduce contraction (of blocked operands: the blocks of rows and columns) becomes a
    `scf.forall`:

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
    Statistic<"numRefused", "refused", "Contractions over several reductions in which m, n, r and k are not found">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect"];
}

def RaiseConstantGathersPass : Pass<"kgen-raise-constant-gathers", "::mlir::func::FuncOp"> {
  let summary = "Make slices and repetitions of gathers by constant indices, and gathers and scales of products with constant matrices that select.";
  let description = [{
    Precondition: tensors of static shapes. Postcondition: a copy along an axis by constant indices is

    | indices | instead |
    |---|---|
    | a, a + 1, a + 2, ... | a `tensor.extract_slice` |
    | 0, 0, ..., 1, 1, ... or 0, 1, ..., 0, 1, ... | a `linalg.generic` that broadcasts along a dimension, and a `tensor.collapse_shape` |
    | others | as it was |

    and so is a tensor that is joined from one tensor several times (`tensor.concat`, or `tensor.insert_slice` into one tensor). Elements are what
    they were. Indices may be negative or clamped, as ONNX's are: what counts is the element that is read. All other code is unchanged.

    A sum of products of f32 or f64 with a constant matrix is, where each column of the matrix has one element other than 0,

    | these elements | instead |
    |---|---|
    | on the diagonal of a square matrix, all 1 | the other operand |
    | on the diagonal of a square matrix | a `linalg.generic` that multiplies by a vector |
    | elsewhere | a copy along an axis by constant indices, for which the table above holds, and such a product where they are not all 1 |

    The result has the columns in the place of the rows. Results are those of before, rounded once, but for two things: a NaN or an infinity that
    is multiplied by 0 no longer makes others of its row NaN, and -0 stays -0 (docs/MLIR.md).

    Heads of keys and values that several heads of queries share are often written like that; kgen-hoist-attention-reshapes and
    kgen-fuse-attention read the heads themselves then.

    ```mlir
    %i = arith.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
    %r = linalg.generic {indexing_maps = [(h, s) -> (h), (h, s) -> (h, s)], ...} ins(%i : tensor<4xi64>) ... {
      ... tensor.extract %k[%at, %s] : tensor<2x8xf32>
    } -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %b = linalg.generic {indexing_maps = [(h, g, s) -> (h, s), (h, g, s) -> (h, g, s)], ...} ins(%k : tensor<2x8xf32>) ... -> tensor<2x2x8xf32>
    %r = tensor.collapse_shape %b [[0, 1], [2]] : tensor<2x2x8xf32> into tensor<4x8xf32>
    ```
  }];
  let statistics = [
    Statistic<"numRaised", "raised", "Gathers, joins and products that became slices, repetitions, gathers or scales">,
    Statistic<"numRefused", "refused", "Gathers by constant indices without a pattern">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def SplitRotationsPass : Pass<"kgen-split-rotations", "::mlir::func::FuncOp"> {
  let summary = "Rotate the halves of rows without exchanging them in memory first.";
  let description = [{
    Precondition: elementwise operations are `linalg.generic` on tensors of static shapes.
    Postcondition: where a row is joined from two halves of another tensor in exchanged order, and that leads by elementwise operations that
    nothing else reads to a sum, the sum is computed for each half and the halves are joined; elements are what they were, bit by bit. All
    other code is unchanged.

    This is how a rotary embedding is often spelled out (`x * cos + rotate_half(x) * sin`); the result is what the operator
    RotaryEmbedding lowers to. The halves of an operand are slices of it, the halves that it was joined from itself, or, if it is computed
    elementwise from such halves or for this sum alone, computed from halves.

    ```mlir
    %n = linalg.generic ins(%x2) { negate }
    %j = tensor.concat dim(1) %n, %x1 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
    %a = linalg.generic ins(%x, %cos : tensor<8x64xf32>, tensor<8x64xf32>) { multiply }
    %b = linalg.generic ins(%j, %sin : tensor<8x64xf32>, tensor<8x64xf32>) { multiply }
    %r = linalg.generic ins(%a, %b : tensor<8x64xf32>, tensor<8x64xf32>) { add }
    ```
    becomes
    ```mlir
    %a1 = linalg.generic ins(%x1, %cos1 : tensor<8x32xf32>, tensor<8x32xf32>) { multiply }
    %b1 = linalg.generic ins(%n, %sin1 : tensor<8x32xf32>, tensor<8x32xf32>) { multiply }
    %r1 = linalg.generic ins(%a1, %b1 : tensor<8x32xf32>, tensor<8x32xf32>) { add }
    ... and %r2
    %i = tensor.insert_slice %r1 into %e[0, 0] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<8x64xf32>
    %r = tensor.insert_slice %r2 into %i[0, 32] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<8x64xf32>
    ```
  }];
  let statistics = [
    Statistic<"numSplit", "split", "Rotations computed for each half of the rows">,
    Statistic<"numRefused", "refused", "Exchanged halves that are stored as such">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def CompareSelectToMaxPass : Pass<"kgen-compare-select-to-max", "::mlir::func::FuncOp"> {
  let summary = "Replace compare and select by a maximum or minimum.";
  let description = [{
    Precondition: none. Postcondition: selections that are a maximum or minimum for every input are one operation, which
    kgen-vectorize and the epilogues of micro-kernels compute by one instruction.

    One of the two values must be a constant c that is not a NaN; x is the other one. The result for a NaN x decides: if it is
    x, the operation is `arith.maximumf` or `arith.minimumf`; if it is c, it is `arith.maxnumf` or `arith.minnumf`. Zeros
    compare equal, but -0 is less than +0 for `maximumf` and `minimumf`, and `maxnumf` and `minnumf` may return either. So if c
    is a zero, only selections that choose between zeros as `maximumf` or `minimumf` do are rewritten:

    | selection | becomes |
    |---|---|
    | `x ugt c ? x : c`, `x ult c ? c : x`, ... of any c but -0 | `maximumf x, c` |
    | `x uge c ? x : c`, `x ole c ? c : x`, ... of any c but +0 | `maximumf x, c` |
    | `x ogt c ? x : c`, `x oge c ? x : c`, ... of any c but zeros | `maxnumf x, c` |

    and likewise for minima. Without a constant, no operation has the same result for a NaN on either side.
  }];
  let statistics = [
    Statistic<"numReplaced", "replaced", "Selections that became a maximum or minimum">,
    Statistic<"numRefused", "refused", "Selections between the compared values that differ from both for some input">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ContractionsToTppPass : Pass<"kgen-contractions-to-tpp", "::mlir::func::FuncOp"> {
  let summary = "Replace linalg contractions by tpp.gemm and tpp.brgemm.";
  let description = [{
    Precondition: linalg on tensors; packs have been moved and folded (kgen-propagate-packing, kgen-simplify-packs).
    Postcondition: with `require-all`, no operation on tensors that only multiplies and adds is outside of `tpp`. kgen-fuse-attention,
    kgen-fuse-epilogues and kgen-pack-gemm-b find contractions only there.

    Applies to every linalg operation on tensors that multiplies and adds, with one reduction (`tpp.gemm`) or two (`tpp.brgemm`):

    - The operands may be indexed in any order. The last dimension of the result is n if only one operand has it, and the one
      before it is m if only the other operand has it. A missing dimension has size one, so products with vectors are
      contractions, too.
    - A may be read through a window: its indices are then sums of loops.
    - Products of bf16 are accumulated in f32.
    - If a reduction is innermost in both operands and its size is the VNNI factor of the type, B becomes one panel.
    - A zero fill of the destination disappears: the gemm then starts from zero instead of accumulating.

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
           "Report contractions on tensors that cannot become tile operations as errors">
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
    Precondition: linalg on tensors; runs in the reference pipeline only. Postcondition: sums of f32 are exact to the last
    rounding, which the comparison of results (`kgen-run`, `kgen bench`) relies on.

    A sum in f32, one term after another, is the least accurate order: without promotion, the comparison would call a more
    accurate result wrong.

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
    Statistic<"numRefused", "refused", "Reductions that end in an addition but are more than a sum of their terms">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif
