// Operators by name: what graphs and idioms become, and kgen-decompose-named-ops makes loops of.
#ifndef KGEN_NAMED_OPS_TD
#define KGEN_NAMED_OPS_TD

include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialect/kgen/BlockwiseQuant.td"

/// An operation on all elements along some dimensions of a tensor.
class Kgen_NamedOp<string mnemonic> : Op<Kgen_Dialect, mnemonic, [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    AggregatedOpInterface]> {
  let results = (outs RankedTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = "$input `along` $dimensions attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getInputType() { return ::llvm::cast<::mlir::RankedTensorType>(getInput().getType()); }
    ::mlir::RankedTensorType getResultType() { return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType()); }
    /// The loops of its definition, for AggregatedOpInterface.
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>> decomposeOperation(::mlir::OpBuilder &b);
    /// True if the operation is along dimension `d`.
    bool isAlong(int64_t d) { return ::llvm::is_contained(getDimensions(), d); }
  }];
}

def Kgen_SoftmaxOp : Kgen_NamedOp<"softmax"> {
  let summary = "exp(x) / sum(exp(x)) along some dimensions, or its logarithm.";
  let description = [{
    With the maximum and the sums over `dimensions`, which are ascending:

        y = exp(x - max x) / sum of exp(x - max x)
        y = (x - max x) - log(sum of exp(x - max x))       with `logarithm`

    in f32 where elements are bf16 or f16, rounded once to the type of the result. A result that
    would be subnormal may be 0. Where a NaN or +inf is among the elements, or all are -inf, the
    results are NaN; in the last case they are 0 with `masked_to_zero`. With `rounded_quotient`, a
    result of f32 or f64 is the quotient of the rounded exponential and the rounded sum; without it,
    it may be the product with the rounded inverse of the sum. Neither is for logarithms.

    `kgen.result_precision` (`dialect/kgen/PrecisionHints.h`), if it is there, holds for the
    functions that it becomes.

    Graphs have it as it stands, and kgen-raise-idioms makes it of single operations.
    kgen-fuse-attention takes what is between two contractions; kgen-decompose-named-ops makes loops
    of all others, and of its definition for the reference.

    ```mlir
    %y = kgen.softmax %x along [1] : tensor<8x400xf32> -> tensor<8x400xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat]>:$input, DenseI64ArrayAttr:$dimensions, UnitAttr:$logarithm,
                       UnitAttr:$masked_to_zero, UnitAttr:$rounded_quotient);
}

def Kgen_LogSumExpOp : Kgen_NamedOp<"log_sum_exp"> {
  let summary = "The logarithm of the sum of exp(x) along some dimensions.";
  let description = [{
    `max x + log(sum of exp(x - max x))` over `dimensions`, which are ascending and which the result
    lacks; in f32 where elements are bf16 or f16. The sum of infinitely large powers is infinite,
    that of none but 0 is -inf.

    `kgen.result_precision` and lowering: as for `kgen.softmax`.

    ```mlir
    %y = kgen.log_sum_exp %x along [1] : tensor<8x400xf32> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat]>:$input, DenseI64ArrayAttr:$dimensions);
}

#endif
