// The tpp dialect: operations whose data type is a tile.
#ifndef TPP_TD
#define TPP_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tpp_Dialect : Dialect {
  let name = "tpp";
  let cppNamespace = "::kgen::tpp";
  let summary = "Tile operations: contractions with strong semantics, on tensors and on memrefs.";
}

def Tpp_TensorOrMemRef : AnyTypeOf<[AnyRankedTensor, AnyMemRef]>;

def Tpp_GemmOp : Op<Tpp_Dialect, "gemm", [
    DestinationStyleOpInterface, SingleBlock, IsolatedFromAbove,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "C = epilogue([C +] A * B, extras...), batched, with a scalar epilogue region.";
  let description = [{
    For every batch index `i` and every element `(m, n)`:

        acc        = accumulate ? C[i, m, n] : 0
        acc       += sum over k of A[i, m, k] * B[i, k, n]
        C[i, m, n] = epilogue(acc, extras at (i, m, n)...)

    The iteration dimensions are `(batch..., m, n, k)`; `a_map` and `b_map` say which of them index A and B, so that a
    transposed operand or one that is shared by a batch dimension is only a map. `extra_maps` do the same for the
    epilogue's operands over `(batch..., m, n)`: bias by row, column, scalar or full tile, on either side of whatever the
    region computes. C is indexed by `(batch..., m, n)`. With `panel = w`, B was packed: its last three dimensions are
    `(ceil(n / w), k, w)`, padded with zeros, and `b_map` says only which batch dimensions it has.

    f32 accumulates in f32 and f64 in f64; the order of the sum over k is not specified, but fixed for a shape and a
    target. NaN propagates. On memrefs C must not alias A, B or an extra: blocks of k leave partial sums in C before the
    epilogue reads the extras. The epilogue region holds scalar elementwise operations, ends in `tpp.yield`, and may be empty.

    ```mlir
    %r = tpp.gemm ins(%a, %b : tensor<256x512xf32>, tensor<512x64xf32>) extras(%bias : tensor<64xf32>)
        outs(%c : tensor<256x64xf32>) attributes {a_map = affine_map<(m, n, k) -> (m, k)>, b_map = affine_map<(m, n, k) -> (k, n)>,
        extra_maps = [affine_map<(m, n) -> (n)>]} {
    ^bb0(%acc: f32, %x: f32):
      %s = arith.addf %acc, %x : f32
      tpp.yield %s : f32
    } -> tensor<256x64xf32>
    ```
  }];
  let arguments = (ins Tpp_TensorOrMemRef:$a, Tpp_TensorOrMemRef:$b, Variadic<Tpp_TensorOrMemRef>:$extras,
                       Tpp_TensorOrMemRef:$init, AffineMapAttr:$a_map, AffineMapAttr:$b_map,
                       AffineMapArrayAttr:$extra_maps, OptionalAttr<I64Attr>:$panel, UnitAttr:$accumulate);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)` (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $init `:` type($init) `)` attr-dict-with-keyword $epilogue (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
    ::mlir::Type getElementType() { return ::mlir::getElementTypeOrSelf(getInit().getType()); }
    unsigned getBatchRank() { return ::mlir::cast<::mlir::ShapedType>(getInit().getType()).getRank() - 2; }
    /// Sizes of m, n and k.
    int64_t getM() { return ::mlir::cast<::mlir::ShapedType>(getInit().getType()).getShape().drop_back().back(); }
    int64_t getN() { return ::mlir::cast<::mlir::ShapedType>(getInit().getType()).getShape().back(); }
    int64_t getK();
    /// Whether the epilogue only passes the accumulator on.
    bool hasTrivialEpilogue();
  }];
}

def Tpp_YieldOp : Op<Tpp_Dialect, "yield", [Pure, Terminator, ReturnLike, ParentOneOf<["GemmOp"]>]> {
  let summary = "The value of an epilogue region.";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif
