// The tpp dialect: operations whose data type is a tile.
#ifndef TPP_TD
#define TPP_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "dialect/kgen/BlockwiseQuant.td"
include "dialect/tpp/TppInterfaces.td"

def Tpp_Dialect : Dialect {
  let name = "tpp";
  let cppNamespace = "::kgen::tpp";
  let summary = "Tile operations (tensor processing primitives) on tensors and on memrefs.";
  let hasCanonicalizer = 1;
}

def Tpp_TensorOrMemRef : AnyTypeOf<[AnyRankedTensor, AnyMemRef]>;

/// A contraction with an epilogue; see `tpp.gemm`.
class Tpp_ContractionOp<string mnemonic> : Op<Tpp_Dialect, mnemonic, [
    DestinationStyleOpInterface, SingleBlock, IsolatedFromAbove,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Tpp_TileOpInterface, Tpp_ContractionOpInterface]> {
  let arguments = (ins Tpp_TensorOrMemRef:$a, Tpp_TensorOrMemRef:$b, Variadic<Tpp_TensorOrMemRef>:$epilogue_ins,
                       Tpp_TensorOrMemRef:$init, AffineMapAttr:$a_map, AffineMapAttr:$b_map,
                       AffineMapArrayAttr:$epilogue_maps, OptionalAttr<I64Attr>:$panel,
                       DefaultValuedAttr<I64Attr, "1">:$vnni, UnitAttr:$accumulate, UnitAttr:$strict_order,
                       UnitAttr:$a_unsigned, UnitAttr:$b_unsigned, OptionalAttr<Kgen_BlockwiseQuantAttr>:$b_quant,
                       OptionalAttr<DenseI64ArrayAttr>:$reduction_sizes, UnitAttr:$f16_accumulate);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)` (`epilogue_ins` `(` $epilogue_ins^ `:` type($epilogue_ins) `)`)?
    `outs` `(` $init `:` type($init) `)` attr-dict-with-keyword $epilogue (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  code shared = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
    ::llvm::SmallVector<int64_t> getIterationSizes() { return contraction::iterationSizes(*this); }
    ::llvm::SmallVector<::mlir::utils::IteratorType> getIterationTypes() { return contraction::iterationTypes(*this); }
    ::mlir::AffineMap getOperandMap(unsigned number) { return contraction::operandMap(*this, number); }
    int64_t getFlops() { return contraction::flops(*this); }
    ::mlir::Type getAccumulatorType() { return getEpilogue().getArgument(0).getType(); }
    bool acceptsEpilogueOperand(::mlir::AffineMap map, ::mlir::Type element) {
      return contraction::acceptsEpilogueOperand(map, element);
    }
    bool canTile(unsigned dimension) { return contraction::canTile(*this, dimension); }
    ::mlir::LogicalResult getOperandSlice(::mlir::OpBuilder &builder, unsigned number,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets, ::llvm::ArrayRef<::mlir::OpFoldResult> sizes,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &sliceOffsets,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &sliceSizes) {
      return contraction::operandSlice(*this, builder, number, offsets, sizes, sliceOffsets, sliceSizes);
    }
  }];
}

def Tpp_GemmOp : Tpp_ContractionOp<"gemm"> {
  let summary =
      "C = epilogue([C +] A * B, epilogue operands...), batched, with a scalar epilogue region.";
  let description = [{
    For every batch index `i` and every element `(m, n)`:

        acc        = accumulate ? C[i, m, n] : 0
        acc       += sum over k of A[i, m, k] * B[i, k, n]
        C[i, m, n] = epilogue(acc, epilogue operands at (i, m, n)...)

    The iteration dimensions are `(batch..., m, n, k)`; `a_map` and `b_map` say which of them index
    A and B, so that a transposed operand, or one that is broadcast along a batch dimension, differs
    only in its map. `epilogue_maps` do the same for the epilogue's operands over
    `(batch..., m, n)`: an operand is a row, a column, a scalar or a full matrix. C is indexed by
    `(batch..., m, n)`.

    With `panel = w`, B is packed: its last three dimensions are `(ceil(n / w), k, w)`, padded with
    zeros, and `b_map` only says which batch dimensions it has. With `vnni = v`, v values of k are
    adjacent, `(ceil(n / w), ceil(k / v), w, v)`, which is the layout of dot-product instructions.
    With `b_quant`, packed B holds blockwise-quantized weights as bytes,
    `(ceil(n / w), blocks, bytes of a block)`, which stand for f32 (`#kgen.blockwise_quant`).

    A may be read through a window: results of `a_map` are then sums of iteration dimensions times
    positive constants, such as `(n, y, x, c, r, k) -> (n, 2 * y + r, 6 * x + k)` for a convolution
    of an image `[n, h, w * 3]` with stride 2, whose rows of A overlap. The shape of such an A does
    not determine the sizes of the reduction dimensions: `reduction_sizes` has them.

    f32 accumulates in f32, f64 in f64, bf16 and f16 in f32, i8 in i32: the accumulator's type is
    that of the region's first argument. A and B may have different types if both accumulate in the
    same one (f32 and bf16). Integers of i8 are signed unless `a_unsigned` or `b_unsigned` is set;
    sums of integers wrap around. With `f16_accumulate`, sums of up to 256 products of f16 are in
    f16, and these are added up in f32. The region yields C's type, so that the conversion of the
    result is part of the epilogue (`arith.truncf`); `accumulate` needs a C of the accumulator's
    type. The order of the sum over k is not specified, but fixed for a shape and a target; with
    `strict_order` it is one chain of multiply-adds over ascending k for each element, the same on
    all targets with fused multiply-adds. NaN propagates. On memrefs C must not alias A, B or an
    epilogue operand: blocks of k leave partial sums in C before the epilogue reads its operands.
    The epilogue region holds scalar elementwise operations, ends in `tpp.yield`, and may be empty.

    ```mlir
    %r = tpp.gemm ins(%a, %b : tensor<256x512xf32>, tensor<512x64xf32>) epilogue_ins(%bias : tensor<64xf32>)
        outs(%c : tensor<256x64xf32>) attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>,
        epilogue_maps = [affine_map<(m, n) -> (n)>]} {
    ^bb0(%acc: f32, %x: f32):
      %s = arith.addf %acc, %x : f32
      tpp.yield %s : f32
    } -> tensor<256x64xf32>
    ```
  }];
  let extraClassDeclaration = shared # [{
    unsigned getReductionRank() { return 1; }
  }];
}

def Tpp_BrgemmOp : Tpp_ContractionOp<"brgemm"> {
  let summary =
      "C = epilogue([C +] sum over r of A[r] * B[r], epilogue operands...): a batch-reduce GEMM.";
  let description = [{
    As `tpp.gemm`, with one more reduction dimension: the iteration dimensions are
    `(batch..., m, n, r, k)`, and `acc` adds up `A[i, r, m, k] * B[i, r, k, n]` over r and k, with k
    as the inner loop. Blocked layouts, with K in r blocks of k, and convolutions, with r over the
    taps of the filter, have this form. With `panel`, a dimension of B that is indexed by r comes
    before the panels.

    ```mlir
    %r = tpp.brgemm ins(%a, %b : tensor<16x32x64xf32>, tensor<16x64x48xf32>) outs(%c : tensor<32x48xf32>)
        attributes {a_map = affine_map<(m, n, r, k) -> (r, m, k)>, b_map = affine_map<(m, n, r, k) -> (r, k, n)>,
        epilogue_maps = []} {
    ^bb0(%acc: f32):
      tpp.yield %acc : f32
    } -> tensor<32x48xf32>
    ```
  }];
  let extraClassDeclaration = shared # [{
    unsigned getReductionRank() { return 2; }
  }];
}

def Tpp_YieldOp : Op<Tpp_Dialect, "yield", [Pure, Terminator, ReturnLike, ParentOneOf<["GemmOp", "BrgemmOp", "GroupOp"]>]> {
  let summary = "The result of an epilogue, or of a group.";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

include "dialect/tpp/TppElementwise.td"
include "dialect/tpp/TppMovement.td"
include "dialect/tpp/TppGroup.td"
include "dialect/tpp/TppImplicitPad.td"

#endif
