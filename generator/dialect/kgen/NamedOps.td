// Operators by name: what graphs and idioms become, and kgen-decompose-named-ops makes loops of.
#ifndef KGEN_NAMED_OPS_TD
#define KGEN_NAMED_OPS_TD

include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "dialect/kgen/BlockwiseQuant.td"

/// An operation on all elements along some dimensions of a tensor.
class Kgen_NamedOp<string mnemonic, list<Trait> traits = [], list<Type> resultElements = [AnyFloat]> : Op<Kgen_Dialect, mnemonic, traits # [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    AggregatedOpInterface]> {
  let results = (outs RankedTensorOf<resultElements>:$result);
  let assemblyFormat = "$input `along` $dimensions attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  code declaration = [{
    ::mlir::RankedTensorType getInputType() { return ::llvm::cast<::mlir::RankedTensorType>(getInput().getType()); }
    ::mlir::RankedTensorType getResultType() { return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType()); }
    /// The loops of its definition, for AggregatedOpInterface.
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>> decomposeOperation(::mlir::OpBuilder &b);
    /// True if the operation is along dimension `d`.
    bool isAlong(int64_t d) { return ::llvm::is_contained(getDimensions(), d); }
  }];
  let extraClassDeclaration = declaration;
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

def Kgen_ArgExtremumOp : Kgen_NamedOp<"arg_extremum", [], [I32]> {
  let summary = "The index of the largest or smallest element along a dimension.";
  let description = [{
    The index along the one of `dimensions`, which the result lacks, of the first element that
    equals the maximum, or, with `minimum`, the minimum; with `last`, of the last one. 0 equals -0.
    Where one is NaN, the index of the first (last) NaN. Integers are numbers with a sign, without
    one with `is_unsigned`. The dimension has at least one element, and fewer than 2^31.

    Lowering: as for `kgen.softmax`.

    ```mlir
    %i = kgen.arg_extremum %x along [1] : tensor<8x400xf32> -> tensor<8xi32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat, AnySignlessInteger]>:$input, DenseI64ArrayAttr:$dimensions,
                       UnitAttr:$minimum, UnitAttr:$last, UnitAttr:$is_unsigned);
  let extraClassDeclaration = declaration # [{
    /// Returns what no element is less than, with `minimum` more than, in the type to compute in.
    ::mlir::TypedAttr startOfExtremum();
    /// Returns an index that every other one goes before, in 32 bits.
    ::mlir::IntegerAttr startOfIndex();
  }];
}

def Kgen_CumulativeSumOp : Kgen_NamedOp<"cumulative_sum", [AllTypesMatch<["input", "result"]>], [AnyFloat, AnySignlessInteger]> {
  let summary = "Sums of all elements up to each one along a dimension.";
  let description = [{
    Along the one of `dimensions`, one after another: the sum of all elements up to each one, with
    `exclusive` without the element itself; with `reverse` from the end. bf16 and f16 are added up
    in f32, and each sum is rounded once. Integers wrap.

    Lowering: as for `kgen.softmax`.

    ```mlir
    %y = kgen.cumulative_sum %x along [1] : tensor<8x400xf32> -> tensor<8x400xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat, AnySignlessInteger]>:$input, DenseI64ArrayAttr:$dimensions,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
}

def Kgen_TopKOp : Kgen_NamedOp<"top_k"> {
  let summary = "The first elements along a dimension, in order, and where they stand.";
  let description = [{
    Along the one of `dimensions`, as many of the largest elements as the result has, the largest
    first; with `smallest`, of the smallest, the smallest first. Of equal ones the first comes
    first. 0 equals -0, and NaN is larger than any number. Integers are numbers with a sign, without
    one with `is_unsigned`. The dimension has a known number of elements, fewer than 2^31.

    The indices along the dimension are a second result, which may be left out.

    Lowering: as for `kgen.softmax`.

    ```mlir
    %y:2 = kgen.top_k %x along [1] : (tensor<8x400xf32>) -> (tensor<8x3xf32>, tensor<8x3xi64>)
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat, AnySignlessInteger]>:$input, DenseI64ArrayAttr:$dimensions,
                       UnitAttr:$smallest, UnitAttr:$is_unsigned);
  let results = (outs RankedTensorOf<[AnyFloat, AnySignlessInteger]>:$result,
                      Optional<RankedTensorOf<[I64]>>:$indices);
  let assemblyFormat = "$input `along` $dimensions attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = declaration # [{
    /// The sizes of both results.
    ::llvm::SmallVector<::mlir::OpFoldResult> resultSizes(::mlir::OpBuilder &b);
  }];
}

def Kgen_NormalizationOp : Kgen_NamedOp<"normalization", [AttrSizedOperandSegments]> {
  let summary = "(x - mean) / sqrt(variance + epsilon) * scale + bias, over some dimensions.";
  let description = [{
    Layer, RMS, group and instance normalizations. With means over `dimensions`, which are
    ascending, and `c = x - mean(x)` if the normalization is `centered`, else `c = x`:

        y = c * inverse * scale + bias
        inverse = 1 / sqrt(mean(c^2) + epsilon)
        inverse = 1 / (sqrt(mean(c^2)) + epsilon)         with `epsilon_outside_root`

    in f32 where elements are bf16 or f16, rounded once to the type of the result. With
    `rounded_quotient`, a result of f32 or f64 is no less exact than the quotient of `c` and the
    rounded root; without it, it is the product with the rounded inverse. With `fused_variance`,
    `mean(c^2) + epsilon` may be one fused multiply-add of the sum and the rounded inverse of the
    count, which is no less exact than a quotient and a sum.

    Scale and bias may be left out. Each of them has some of the dimensions of `input`, which
    `scale_dimensions` and `bias_dimensions` list in the order of its own: a group normalization is
    one of `[images, groups, channels of a group, pixels]` along `[2, 3]` with scales on `[1, 2]`.

    A centered normalization without `rounded_quotient` may have two more results in the type to
    compute in, the mean and the inverse, without `dimensions`.

    `kgen.result_precision` and lowering: as for `kgen.softmax`. kgen-raise-idioms makes it of
    single operations, and adds a scale and a bias that follow after a reshape.

    ```mlir
    %y = kgen.normalization %x along [1] scale(%s on [1]) bias(%b on [1]) {centered, epsilon = 1.0e-05 : f64} : (tensor<8x400xf32>, tensor<400xf32>, tensor<400xf32>) -> tensor<8x400xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat]>:$input, Optional<RankedTensorOf<[AnyFloat]>>:$scale,
                       Optional<RankedTensorOf<[AnyFloat]>>:$bias, DenseI64ArrayAttr:$dimensions,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$scale_dimensions,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$bias_dimensions, F64Attr:$epsilon,
                       UnitAttr:$centered, UnitAttr:$epsilon_outside_root, UnitAttr:$rounded_quotient,
                       UnitAttr:$fused_variance);
  let results = (outs RankedTensorOf<[AnyFloat]>:$result, Variadic<RankedTensorOf<[F32, F64]>>:$statistics);
  let assemblyFormat = [{
    $input `along` $dimensions (`scale` `(` $scale^ `on` $scale_dimensions `)`)?
    (`bias` `(` $bias^ `on` $bias_dimensions `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = declaration # [{
    /// The indices of a tensor that has these dimensions of the input.
    ::mlir::AffineMap mapOf(::llvm::ArrayRef<int64_t> dimensions);
    ::mlir::AffineMap scaleMap() { return mapOf(getScaleDimensions()); }
    ::mlir::AffineMap biasMap() { return mapOf(getBiasDimensions()); }
  }];
}

def Kgen_GridSampleMode : I32EnumAttr<"GridSampleMode", "How an image is read between its elements.", [
    I32EnumAttrCase<"linear", 0>, I32EnumAttrCase<"nearest", 1>, I32EnumAttrCase<"cubic", 2>]> {
  let cppNamespace = "::kgen";
}

def Kgen_GridSamplePadding : I32EnumAttr<"GridSamplePadding", "What is outside of an image.", [
    I32EnumAttrCase<"zeros", 0>, I32EnumAttrCase<"border", 1>, I32EnumAttrCase<"reflection", 2>]> {
  let cppNamespace = "::kgen";
}

def Kgen_GridSampleOp : Op<Kgen_Dialect, "grid_sample", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    AggregatedOpInterface]> {
  let summary = "An image that is read at the points of a grid.";
  let description = [{
    `image` is [n, c, spatial...], of sizes that are known but for the first two, and `grid` is [n,
    places..., k], where k is the number of spatial dimensions: the coordinates of a point in each
    image for each place of the result, [n, c, places...], the last dimension's first. -1 and 1 are
    the outer borders of the outer elements, or, with `align_corners`, their centres.

    Between elements the mode is `linear`, `nearest` (ties to even) or `cubic` (Keys' kernel, a =
    -0.75), one dimension after another; outside of the image there are `zeros`, the outer elements
    (`border`) or the image once more (`reflection`). A coordinate that is NaN is the first
    element's. bf16 and f16 are computed with in f32.

    Lowering: as for `kgen.softmax`.

    ```mlir
    %y = kgen.grid_sample linear zeros %x at %g : tensor<1x3x9x8xf32>, tensor<1x5x7x2xf32> -> tensor<1x3x5x7xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat]>:$image, RankedTensorOf<[AnyFloat]>:$grid,
                       Kgen_GridSampleMode:$mode, Kgen_GridSamplePadding:$padding, UnitAttr:$align_corners);
  let results = (outs RankedTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = [{
    $mode $padding $image `at` $grid attr-dict `:` type($image) `,` type($grid) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getImageType() { return ::llvm::cast<::mlir::RankedTensorType>(getImage().getType()); }
    /// The loops of its definition, for AggregatedOpInterface.
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>> decomposeOperation(::mlir::OpBuilder &b);
  }];
}

def Kgen_RotaryEmbeddingOp : Op<Kgen_Dialect, "rotary_embedding", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    AggregatedOpInterface]> {
  let summary = "Pairs of elements of each row, rotated by angles.";
  let description = [{
    Rows are along the last dimension of `input`, and each pair `(a, b)` of a row becomes

        (a * cosine - b * sine, a * sine + b * cosine)

    in f32 where elements are bf16 or f16, rounded once to the type of the result. Without
    `interleaved`, the first elements of all pairs come before the second ones; with it, pairs are
    neighbours.

    `cosines` and `sines` are of one shape: some dimensions of `input`, which `dimensions` lists in
    the order of their own, and a last one, of a number for each pair. With `each_element` it has a
    number for each element: `(a * cosine[a] - b * sine[a], a * sine[b] + b * cosine[b])`. What a
    row has beyond these pairs stays as it is.

    Lowering: as for `kgen.softmax`. kgen-raise-idioms makes it of single operations.

    ```mlir
    %y = kgen.rotary_embedding %x cosines(%c) sines(%s) on [0, 2] {interleaved} : (tensor<2x4x9x16xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>) -> tensor<2x4x9x16xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat]>:$input, RankedTensorOf<[AnyFloat]>:$cosines,
                       RankedTensorOf<[AnyFloat]>:$sines, DenseI64ArrayAttr:$dimensions, UnitAttr:$interleaved,
                       UnitAttr:$each_element);
  let results = (outs RankedTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = [{
    $input `cosines` `(` $cosines `)` `sines` `(` $sines `)` `on` $dimensions attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getInputType() { return ::llvm::cast<::mlir::RankedTensorType>(getInput().getType()); }
    ::mlir::RankedTensorType getResultType() { return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType()); }
    ::mlir::RankedTensorType getAngleType() { return ::llvm::cast<::mlir::RankedTensorType>(getCosines().getType()); }
    /// The number of pairs of a row.
    int64_t numPairs() { return getAngleType().getShape().back() / (getEachElement() ? 2 : 1); }
    /// The loops of its definition, for AggregatedOpInterface.
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>> decomposeOperation(::mlir::OpBuilder &b);
  }];
}

def Kgen_QuantizedProductOp : Op<Kgen_Dialect, "quantized_product", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    AggregatedOpInterface]> {
  let summary =
      "Sums of products of bytes less zero points, of matrices and of images with filters.";
  let description = [{
    Over loops that `indexing_maps` describe for `left`, `right` and the result, as those of
    `linalg.generic` do: the sums over the loops that the result lacks of

        (left - left zero point) * (right - right zero point)

    modulo 2^32, to which `bias` is added. Without scales, that is the result. With them, which are
    there for both sides or for neither, it is that sum as an f32 times `left scale * right scale`,
    or times `left scale * right scale / divisor`; these are rounded to f32 one after another.

    Bytes have a sign, without one with `left_unsigned` or `right_unsigned`, and so do their zero
    points. Zero points, scales and bias have some of the result's dimensions, which the attributes
    list in the order of their own; `divisor` has one element. `init` is what the result has its
    sizes of.

    Where a side is read at sums of loops, as images are, the other side has no zero points; what
    stands around an image is its zero point, so that it adds nothing. The loops that are summed
    over have sizes that are known, and both sides have each of them.

    Graphs have it as it stands, and kgen-raise-idioms makes it of single operations.
    kgen-decompose-named-ops makes a product of bytes of it, less terms of zero points, before
    contractions are raised; for the reference it makes loops of its definition.

    ```mlir
    %y = kgen.quantized_product %a by %b into %e left_zeros(%z on []) left_scales(%s on []) right_scales(%t on [1])
        {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], left_unsigned}
        : (tensor<8x64xi8>, tensor<64x32xi8>, tensor<8x32xf32>, tensor<i8>, tensor<f32>, tensor<32xf32>) -> tensor<8x32xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I8]>:$left, RankedTensorOf<[I8]>:$right, RankedTensorOf<[I32, F32]>:$init,
                       Optional<RankedTensorOf<[I8]>>:$left_zeros, Optional<RankedTensorOf<[I8]>>:$right_zeros,
                       Optional<RankedTensorOf<[F32, BF16, F16]>>:$left_scales,
                       Optional<RankedTensorOf<[F32, BF16, F16]>>:$right_scales,
                       Optional<RankedTensorOf<[F32, BF16, F16]>>:$divisor, Optional<RankedTensorOf<[I32]>>:$bias,
                       AffineMapArrayAttr:$indexing_maps,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$left_zero_dimensions,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$right_zero_dimensions,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$left_scale_dimensions,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$right_scale_dimensions,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$bias_dimensions,
                       UnitAttr:$left_unsigned, UnitAttr:$right_unsigned);
  let results = (outs RankedTensorOf<[I32, F32]>:$result);
  let assemblyFormat = [{
    $left `by` $right `into` $init
    (`left_zeros` `(` $left_zeros^ `on` $left_zero_dimensions `)`)?
    (`right_zeros` `(` $right_zeros^ `on` $right_zero_dimensions `)`)?
    (`left_scales` `(` $left_scales^ `on` $left_scale_dimensions `)`)?
    (`right_scales` `(` $right_scales^ `on` $right_scale_dimensions `)`)?
    (`divisor` `(` $divisor^ `)`)? (`bias` `(` $bias^ `on` $bias_dimensions `)`)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "const ::kgen::QuantizedFactor &":$left, "const ::kgen::QuantizedFactor &":$right,
                                 "::mlir::Value":$init, "::mlir::AffineMap":$resultMap,
                                 CArg<"::mlir::Value", "{}">:$divisor, CArg<"const ::kgen::ProductParameter &", "{}">:$bias)>];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getResultType() { return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType()); }
    ::mlir::AffineMap mapOf(unsigned operand) {
      return ::llvm::cast<::mlir::AffineMapAttr>(getIndexingMaps()[operand]).getValue();
    }
    ::mlir::AffineMap leftMap() { return mapOf(0); }
    ::mlir::AffineMap rightMap() { return mapOf(1); }
    ::mlir::AffineMap resultMap() { return mapOf(2); }
    /// True if the result lacks the loop, which is summed over.
    bool isSummed(unsigned loop) { return !resultMap().isFunctionOfDim(loop); }
    /// The number of products that are added up.
    int64_t depth();
    /// The sides with what belongs to them.
    ::kgen::QuantizedFactor leftFactor();
    ::kgen::QuantizedFactor rightFactor();
    /// The loops of its definition, for AggregatedOpInterface.
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>> decomposeOperation(::mlir::OpBuilder &b);
  }];
}

#endif
