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
  let summary = "Tile operations with strong semantics, on tensors and on memrefs.";
  let hasCanonicalizer = 1;
}

def Tpp_TensorOrMemRef : AnyTypeOf<[AnyRankedTensor, AnyMemRef]>;

/// A contraction with an epilogue; `tpp.gemm` says what the parts mean.
class Tpp_ContractionOp<string mnemonic> : Op<Tpp_Dialect, mnemonic, [
    DestinationStyleOpInterface, SingleBlock, IsolatedFromAbove,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Tpp_TileOpInterface, Tpp_ContractionOpInterface]> {
  let arguments = (ins Tpp_TensorOrMemRef:$a, Tpp_TensorOrMemRef:$b, Variadic<Tpp_TensorOrMemRef>:$epilogue_ins,
                       Tpp_TensorOrMemRef:$init, AffineMapAttr:$a_map, AffineMapAttr:$b_map,
                       AffineMapArrayAttr:$epilogue_maps, OptionalAttr<I64Attr>:$panel,
                       DefaultValuedAttr<I64Attr, "1">:$vnni, UnitAttr:$accumulate, UnitAttr:$strict_order,
                       UnitAttr:$a_unsigned, UnitAttr:$b_unsigned, OptionalAttr<Kgen_BlockwiseQuantAttr>:$b_blocks,
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
  let summary = "C = epilogue([C +] A * B, extras...), batched, with a scalar epilogue region.";
  let description = [{
    For every batch index `i` and every element `(m, n)`:

        acc        = accumulate ? C[i, m, n] : 0
        acc       += sum over k of A[i, m, k] * B[i, k, n]
        C[i, m, n] = epilogue(acc, extras at (i, m, n)...)

    The iteration dimensions are `(batch..., m, n, k)`; `a_map` and `b_map` say which of them index A and B, so that a
    transposed operand or one that is shared by a batch dimension is only a map. `epilogue_maps` do the same for the
    epilogue's operands over `(batch..., m, n)`: bias by row, column, scalar or full tile, on either side of whatever the
    region computes. C is indexed by `(batch..., m, n)`. With `panel = w`, B was packed: its last three dimensions are
    `(ceil(n / w), k, w)`, padded with zeros, and `b_map` says only which batch dimensions it has. With `vnni = v` besides,
    v values of k are neighbours, `(ceil(n / w), ceil(k / v), w, v)`, which is the order that dot-product instructions want.
    With `b_blocks`, packed B holds weights of few bits as bytes, `(ceil(n / w), blocks, bytes of a block)`; `#kgen.blockwise_quant` says
    how, and that they stand for f32.

    A may be read through a window: results of `a_map` are then sums of iteration dimensions times positive constants, as
    `(n, y, x, c, r, k) -> (n, 2 * y + r, 6 * x + k)` for a convolution of an image `[n, h, w * 3]` with stride 2, whose rows of A
    overlap. What such an A does not say stands in `reduction_sizes`: the sizes of the dimensions that are summed over.

    f32 accumulates in f32, f64 in f64, bf16 and f16 in f32, i8 in i32: the accumulator's type is that of the region's first
    argument. A and B may have different types if both accumulate in the same one (f32 and bf16). Integers of i8 are signed
    unless `a_unsigned` or `b_unsigned` says otherwise; sums of integers wrap around. With `f16_accumulate`, up to 256 products
    of f16 are added up in f16, and such sums in f32. The region yields C's type, so that the conversion of the result is part of the epilogue (`arith.truncf`); C of another type
    than the accumulator's is never added to. The order of the sum over k is not specified, but fixed for a shape and a
    target; with `strict_order` it is one chain of multiply-adds over ascending k for each element, the same on all targets
    that have a fused multiply-add. NaN propagates. On memrefs C must not alias A, B or an extra: blocks of k leave partial
    sums in C before the epilogue reads the extras. The epilogue region holds scalar elementwise operations, ends in
    `tpp.yield`, and may be empty.

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
  let summary = "C = epilogue([C +] sum over r of A[r] * B[r], extras...): a batch-reduce GEMM.";
  let description = [{
    As `tpp.gemm`, with one more dimension of products: the iteration dimensions are `(batch..., m, n, r, k)`, and `acc` adds up
    `A[i, r, m, k] * B[i, r, k, n]` over r and k. Blocked layouts, where K is cut into r blocks of k, and convolutions, where r
    walks over the filter's taps, have this form. With `panel`, a dimension of B that is indexed by r comes before the panels.
    The sum goes over k inside r.

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
  let summary = "The value of an epilogue, or of a group.";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

include "dialect/tpp/TppElementwise.td"
include "dialect/tpp/TppMovement.td"
include "dialect/tpp/TppGroup.td"
include "dialect/tpp/TppImplicitPad.td"

#endif
