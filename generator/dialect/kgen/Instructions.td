// Operations of the kgen dialect that stand for an instruction or a few of them. A target's back
// end lowers them; capabilities (target/Capabilities.def) say which of them it has.
#ifndef KGEN_INSTRUCTIONS_TD
#define KGEN_INSTRUCTIONS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kgen_StoreFenceOp : Op<Kgen_Dialect, "store_fence"> {
  let summary = "Orders non-temporal stores before all later stores.";
  let description = [{
    Non-temporal stores before it are visible to threads that see a store after it. Its effects are
    not known to passes, so that no access of memory moves across it.

    ```mlir
    kgen.store_fence
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Kgen_DynamicPermuteOp : Op<Kgen_Dialect, "dynamic_permute", [Pure, TypesMatchWith<"the result has as many lanes as indices", "indices", "result",
    "::kgen::DynamicPermuteOp::resultOf(::mlir::cast<::mlir::VectorType>($_self))">]> {
  let summary = "Permutes lanes of one register or two by indices known at run time only.";
  let description = [{
    Lane i of the result is lane `indices[i]` of `from`, a vector of 32-bit floats with as many
    lanes as the result or twice as many, or 32 integers of 16 bits. Of an index into as many lanes
    as the result has, only the lowest bits count: 3 for 8 lanes. The result for an index beyond
    twice as many lanes is not specified. `vector.shuffle` serves constant indices; this operation
    serves tables in registers: with 8 lanes where the target has `hasRegisterGather`, with 16 where
    it has `hasWideRegisterGather`, with 32 where it has `hasI16RegisterGather`.

    ```mlir
    %r = kgen.dynamic_permute %v, %p : vector<32xf32>, vector<16xi32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32, I16]>:$from, VectorOfRankAndType<[1], [I32, I16]>:$indices);
  let results = (outs VectorOfRankAndType<[1], [F32, I16]>:$result);
  let assemblyFormat = "$from `,` $indices attr-dict `:` type($from) `,` type($indices)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// As many lanes as the indices have, of the type that is permuted by them.
    static ::mlir::VectorType resultOf(::mlir::VectorType indices) {
      return indices.getElementType().isInteger(32) ? indices.clone(::mlir::Float32Type::get(indices.getContext())) : indices;
    }
  }];
}

def Kgen_DotOp : Op<Kgen_Dialect, "dot", [Pure, AllTypesMatch<["sum", "result"]>, AllTypesMatch<["a", "b"]>]> {
  let summary = "Adds products of groups of adjacent elements to a vector of sums.";
  let description = [{
    With g elements of `a` and `b` for each lane of the sums,

        result[i] = sum[i] + sum over j < g of a[g i + j] * b[g i + j]

    | elements | g | sums | |
    |---|---|---|---|
    | bf16 | 2 | f32 | rounded as the target's instruction rounds |
    | i8 | 4 | i32 | elements of `a` are unsigned, those of `b` signed; sums wrap; with `both_signed` or `both_unsigned` both are that |
    | i8 | 2 | i16 | elements of `a` are unsigned, those of `b` signed; the sum of two products must fit, sums wrap |
    | i16 | 2 | i32 | both are signed; the sum of two products wraps before it is added |

    Which of them a target has says target/Product.h: the kind `dot`.

    ```mlir
    %r = kgen.dot %x, %y, %sum : vector<32xbf16>, vector<16xf32>
    %s = kgen.dot %a, %b, %t {both_signed} : vector<16xi8>, vector<4xi32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [BF16, I8, I16]>:$a, VectorOfRankAndType<[1], [BF16, I8, I16]>:$b,
                       VectorOfRankAndType<[1], [F32, I32, I16]>:$sum,
                       UnitAttr:$both_signed, UnitAttr:$both_unsigned);
  let results = (outs VectorOfRankAndType<[1], [F32, I32, I16]>:$result);
  let assemblyFormat = "$a `,` $b `,` $sum attr-dict `:` type($a) `,` type($sum)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$sum), [{
    build($_builder, $_state, sum.getType(), a, b, sum, /*both_signed=*/false, /*both_unsigned=*/false);
  }]>];
}

def Kgen_MatrixDotOp : Op<Kgen_Dialect, "matrix_dot", [Pure, AllTypesMatch<["sum", "result"]>, AllTypesMatch<["a", "b"]>]> {
  let summary = "Adds the product of two rows and two columns to a block of four sums.";
  let description = [{
    `a` has two rows and `b` two columns of g elements each, one after the other:

        result[2 i + j] = sum[2 i + j] + sum over k < g of a[g i + k] * b[g j + k]

    | elements | g | sums | |
    |---|---|---|---|
    | bf16 | 4 | f32 | rounded as the target's instruction rounds |
    | i8 | 8 | i32 | elements of `a` are unsigned, those of `b` signed; sums wrap; with `both_signed` or `both_unsigned` both are that |

    Which of them a target has says target/Product.h: the kind `matrix`.

    ```mlir
    %r = kgen.matrix_dot %x, %y, %sum : vector<8xbf16>, vector<4xf32>
    %s = kgen.matrix_dot %a, %b, %t {both_signed} : vector<16xi8>, vector<4xi32>
    ```
  }];
  let arguments = (ins VectorOfLengthAndType<[8, 16], [BF16, I8]>:$a, VectorOfLengthAndType<[8, 16], [BF16, I8]>:$b,
                       VectorOfLengthAndType<[4], [F32, I32]>:$sum,
                       UnitAttr:$both_signed, UnitAttr:$both_unsigned);
  let results = (outs VectorOfLengthAndType<[4], [F32, I32]>:$result);
  let assemblyFormat = "$a `,` $b `,` $sum attr-dict `:` type($a) `,` type($sum)";
  let hasVerifier = 1;
}

def Kgen_PackOp : Op<Kgen_Dialect, "pack", [Pure, AllTypesMatch<["a", "b"]>, TypesMatchWith<"the result has twice as many integers of half the bits", "a", "result",
    "::kgen::PackOp::resultOf(::mlir::cast<::mlir::VectorType>($_self))">]> {
  let summary = "Makes integers of half the bits of two vectors, part by part.";
  let description = [{
    Each 128 bits of the result hold the integers of the same 128 bits of `a`, and then those of
    `b`, i16 of i32 or i8 of i16. Integers are signed; what is less than the least number of the
    result becomes that one, what is greater the greatest one. With `is_unsigned`, bytes are
    unsigned. For targets with `hasSaturatingPacks`.

    ```mlir
    %words = kgen.pack %x, %y : vector<8xi32>
    %bytes = kgen.pack %words, %others {is_unsigned} : vector<16xi16>
    ```
  }];
  let arguments = (ins VectorOfLengthAndType<[4, 8, 16, 32], [I16, I32]>:$a, VectorOfLengthAndType<[4, 8, 16, 32], [I16, I32]>:$b, UnitAttr:$is_unsigned);
  let results = (outs VectorOfLengthAndType<[8, 16, 32, 64], [I8, I16]>:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::mlir::VectorType resultOf(::mlir::VectorType factors) {
      return ::mlir::VectorType::get({2 * factors.getNumElements()},
                                     ::mlir::IntegerType::get(factors.getContext(), factors.getElementTypeBitWidth() / 2));
    }
  }];
}

def Kgen_ExponentOp : Op<Kgen_Dialect, "exponent", [Pure, SameOperandsAndResultType]> {
  let summary = "The exponent of a float, as a float.";
  let description = [{
    floor(log2(|x|)), also of subnormal numbers; -inf for 0, +inf for infinity, NaN for NaN. For
    targets with `hasExponentInstructions`.

    ```mlir
    %e = kgen.exponent %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Kgen_MantissaOp : Op<Kgen_Dialect, "mantissa", [Pure, SameOperandsAndResultType]> {
  let summary = "The mantissa of a positive float, in [1, 2).";
  let description = [{
    x / 2^floor(log2(x)); 1 for 0 and infinity, NaN for negative numbers and NaN. For targets with
    `hasExponentInstructions`.

    ```mlir
    %m = kgen.mantissa %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Kgen_NegativeMagnitudeMinOp : Op<Kgen_Dialect, "negative_magnitude_min", [Pure, SameOperandsAndResultType]> {
  let summary = "Minus the smaller magnitude of a float and a constant.";
  let description = [{
    -min(|x|, |bound|), which is max(-|x|, bound) for a negative bound; not specified for NaN. For
    targets with `hasMagnitudeMinimum`.

    ```mlir
    %r = kgen.negative_magnitude_min<-5.5> %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand, F64Attr:$bound);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "`<` $bound `>` $operand attr-dict `:` type($result)";
}

#endif
