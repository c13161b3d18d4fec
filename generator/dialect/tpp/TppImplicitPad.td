// tpp.implicit_pad: padding that is never stored.
#ifndef TPP_IMPLICIT_PAD_TD
#define TPP_IMPLICIT_PAD_TD

include "mlir/Interfaces/ViewLikeInterface.td"

def Tpp_ImplicitPadOp : Op<Tpp_Dialect, "implicit_pad", [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "A tensor with zero padding that is never stored.";
  let description = [{
    As a `tensor.pad` with zeros, `low[d]` before dimension d and `high[d]` after it, but its only
    users are contractions, which read it or slices of it as A and skip the products with zeros, so
    that nothing is copied. On memrefs it is a view of `source` with the same strides, whose padding
    must not be accessed. Dimensions that are padded have static sizes.

    ```mlir
    %p = tpp.implicit_pad %x low [0, 1, 64] high [0, 1, 64] : tensor<1x56x3584xf32> -> tensor<1x58x3712xf32>
    ```
  }];
  let arguments = (ins Tpp_TensorOrMemRef:$source, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high);
  let results = (outs Tpp_TensorOrMemRef:$result);
  let assemblyFormat = "$source `low` $low `high` $high attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::llvm::ArrayRef<int64_t>":$low, "::llvm::ArrayRef<int64_t>":$high)>];
  let extraClassDeclaration = [{
    ::mlir::ShapedType getSourceType() { return ::llvm::cast<::mlir::ShapedType>(getSource().getType()); }
    /// The type of `source` with that padding.
    static ::mlir::Type typeOf(::mlir::ShapedType source, ::llvm::ArrayRef<int64_t> low, ::llvm::ArrayRef<int64_t> high);
  }];
}

#endif
