// Tile operations that reduce or reorder: reduce, transpose, vnni_pack.
#ifndef TPP_MOVEMENT_TD
#define TPP_MOVEMENT_TD

def Tpp_ReduceKind : I32EnumAttr<"ReduceKind", "Function that combines elements.", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"max", 1>, I32EnumAttrCase<"min", 2>, I32EnumAttrCase<"mul", 3>]> {
  let cppNamespace = "::kgen::tpp";
}

/// An operation with one input and one destination.
class Tpp_MovementOp<string mnemonic, dag attributes> : Op<Tpp_Dialect, mnemonic, [
    DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Tpp_TileOpInterface]> {
  let arguments = !con((ins Tpp_TensorOrMemRef:$input, Tpp_TensorOrMemRef:$init), attributes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  code shared = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
    ::mlir::ShapedType getInputType() { return ::llvm::cast<::mlir::ShapedType>(getInput().getType()); }
    ::mlir::ShapedType getInitType() { return ::llvm::cast<::mlir::ShapedType>(getInit().getType()); }
    ::llvm::SmallVector<int64_t> getIterationSizes();
    ::llvm::SmallVector<::mlir::utils::IteratorType> getIterationTypes();
    ::mlir::AffineMap getOperandMap(unsigned number);
    int64_t getFlops();
    ::mlir::Type getAccumulatorType() { return getInitType().getElementType(); }
  }];
  let extraClassDeclaration = shared;
}

def Tpp_ReduceOp : Tpp_MovementOp<"reduce", (ins Tpp_ReduceKind:$kind, DenseI64ArrayAttr:$dimensions)> {
  let summary = "Combines the elements along some dimensions with the destination.";
  let description = [{
    `out = out <kind> x[..., 0, ...] <kind> x[..., 1, ...] ...` along `dimensions` (ascending),
    which the destination does not have. Elements are first converted to the destination's type. The
    order is not specified, but fixed for a shape and a target. `max` and `min` propagate NaN. The
    destination is read, and must not overlap the input.

    ```mlir
    %r = tpp.reduce add ins(%x : tensor<4x8xf32>) outs(%zeros : tensor<4xf32>) {dimensions = array<i64: 1>} -> tensor<4xf32>
    ```
  }];
  let assemblyFormat = [{
    $kind `ins` `(` $input `:` type($input) `)` `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = shared # [{
    /// The combination of two elements.
    ::mlir::Value buildScalar(::mlir::OpBuilder &builder, ::mlir::Location loc, ::mlir::ValueRange args);
  }];
}

def Tpp_TransposeOp : Tpp_MovementOp<"transpose", (ins DenseI64ArrayAttr:$permutation)> {
  let summary = "Dimension i of the destination is dimension permutation[i] of the input.";
  let description = [{
    As `linalg.transpose`, without a conversion. The destination must not overlap the input.

    ```mlir
    %r = tpp.transpose ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) {permutation = array<i64: 1, 0>} -> tensor<8x4xf32>
    ```
  }];
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)` `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($results)^)?
  }];
  let hasCanonicalizer = 1;
}

def Tpp_VnniPackOp : Tpp_MovementOp<"vnni_pack", (ins I64Attr:$factor)> {
  let summary = "Pack [k, n] into [ceil(k / v), n, v] for dot-product instructions (VNNI).";
  let description = [{
    `out[i, j, l] = x[i * v + l, j]`, and zero beyond the last row of x. There is no conversion. The
    destination must not overlap the input. Dimension i can be tiled only if v divides k.

    ```mlir
    %r = tpp.vnni_pack ins(%x : tensor<5x8xbf16>) outs(%e : tensor<3x8x2xbf16>) {factor = 2 : i64} -> tensor<3x8x2xbf16>
    ```
  }];
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)` `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = shared # [{
    bool canTile(unsigned dimension);
    ::mlir::LogicalResult getOperandSlice(::mlir::OpBuilder &builder, unsigned number,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets, ::llvm::ArrayRef<::mlir::OpFoldResult> sizes,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &sliceOffsets,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &sliceSizes);
  }];
}

#endif
