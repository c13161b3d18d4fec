// The tile operation that no memory stands for: tpp.implicit_pad.
#ifndef TPP_BORDER_TD
#define TPP_BORDER_TD

include "mlir/Interfaces/ViewLikeInterface.td"

def Tpp_ImplicitPadOp : Op<Tpp_Dialect, "implicit_pad", [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "A tensor with zeros around it, which are never in memory.";
  let description = [{
    As a `tensor.pad` with zeros, `low[d]` in front of dimension d and `high[d]` behind it, but only A of contractions reads it,
    or parts of it do: they leave out the products with zeros, so that nothing is copied. On memrefs it is a view of what it
    surrounds, with the same strides, whose border is not to be touched.

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
    /// Of `source` with that border.
    static ::mlir::Type typeOf(::mlir::ShapedType source, ::llvm::ArrayRef<int64_t> low, ::llvm::ArrayRef<int64_t> high);
  }];
}

#endif
