// Interfaces of tile operations, so that passes need not switch on their names.
#ifndef TPP_INTERFACES_TD
#define TPP_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Tpp_TileOpInterface : OpInterface<"TileOpInterface"> {
  let cppNamespace = "::kgen::tpp";
  let description = [{
    A tile operation in destination-passing style: an iteration space, an indexing map for each
    operand, and properties for cost models and fusion. Operands come in the order inputs,
    destination.
  }];
  let methods = [
    InterfaceMethod<"Sizes of the iteration space, outer dimensions first.",
                    "::llvm::SmallVector<int64_t>", "getIterationSizes">,
    InterfaceMethod<"The iterator type of each dimension: parallel or reduction.",
                    "::llvm::SmallVector<::mlir::utils::IteratorType>", "getIterationTypes">,
    InterfaceMethod<
        "The indices in operand `number` that a point of the iteration space reads or writes.",
                    "::mlir::AffineMap", "getOperandMap", (ins "unsigned":$number)>,
    InterfaceMethod<
        "Scalar operations for the whole space; a multiply-add counts twice, a dynamic dimension as one.", "int64_t", "getFlops">,
    InterfaceMethod<
        "The type in which results are computed before they are converted to the destination's.",
                    "::mlir::Type", "getAccumulatorType">,
    InterfaceMethod<[{True if an elementwise consumer can be fused as an epilogue if it reads a
                     further operand of type `element` by `map` (over the dimensions of the
                     result).}],
                    "bool", "acceptsEpilogueOperand", (ins "::mlir::AffineMap":$map, "::mlir::Type":$element),
                    /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<[{The slice of operand `number` for a tile of the iteration space, as offsets
                     and sizes. Fails where the operand cannot be sliced there.}],
                    "::mlir::LogicalResult", "getOperandSlice",
                    (ins "::mlir::OpBuilder &":$builder, "unsigned":$number,
                         "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets, "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
                         "::llvm::SmallVectorImpl<::mlir::OpFoldResult> &":$sliceOffsets,
                         "::llvm::SmallVectorImpl<::mlir::OpFoldResult> &":$sliceSizes),
                    /*methodBody=*/"", /*defaultImplementation=*/[{
      for (::mlir::AffineExpr result : $_op.getOperandMap(number).getResults()) {
        unsigned position = ::llvm::cast<::mlir::AffineDimExpr>(result).getPosition();
        sliceOffsets.push_back(offsets[position]);
        sliceSizes.push_back(sizes[position]);
      }
      return ::mlir::success();
    }]>,
    InterfaceMethod<"True if the iteration space may be tiled along dimension `dimension`.",
                    "bool", "canTile", (ins "unsigned":$dimension), /*methodBody=*/"", /*defaultImplementation=*/[{
      return $_op.getIterationTypes()[dimension] == ::mlir::utils::IteratorType::parallel;
    }]>,
  ];
}

def Tpp_ContractionOpInterface : OpInterface<"ContractionOpInterface", [Tpp_TileOpInterface]> {
  let cppNamespace = "::kgen::tpp";
  let description = [{
    Common parts of `tpp.gemm` and `tpp.brgemm`. The iteration space is `(batch..., m, n, [r,] k)`;
    r and k are reduction dimensions.
  }];
  let methods = [
    InterfaceMethod<"", "::mlir::Value", "getA">,
    InterfaceMethod<"", "::mlir::Value", "getB">,
    InterfaceMethod<"The operands of the epilogue, after the accumulator.",
                    "::mlir::Operation::operand_range", "getEpilogueIns">,
    InterfaceMethod<"C, the destination.", "::mlir::Value", "getInit">,
    InterfaceMethod<"", "::mlir::AffineMap", "getAMap">,
    InterfaceMethod<"", "::mlir::AffineMap", "getBMap">,
    InterfaceMethod<"", "::mlir::ArrayAttr", "getEpilogueMaps">,
    InterfaceMethod<"The width of B's panels, if it is packed.", "::std::optional<uint64_t>",
                    "getPanel">,
    InterfaceMethod<"The VNNI factor: how many values of k are adjacent in packed B.", "uint64_t",
                    "getVnni">,
    InterfaceMethod<"True if products are added to C.", "bool", "getAccumulate">,
    InterfaceMethod<"True if integers of A are unsigned.", "bool", "getAUnsigned">,
    InterfaceMethod<"True if integers of B are unsigned.", "bool", "getBUnsigned">,
    InterfaceMethod<"The quantization of packed B, if it has one.",
                    "::std::optional<::kgen::BlockwiseQuantAttr>", "getBQuant">,
    InterfaceMethod<"The sizes of the reduction dimensions, if A is read through a window.",
                    "::std::optional<::llvm::ArrayRef<int64_t>>", "getReductionSizes">,
    InterfaceMethod<"True if every sum is one chain over ascending k.", "bool", "getStrictOrder">,
    InterfaceMethod<"True if sums of products of f16 are in f16.", "bool", "getF16Accumulate">,
    InterfaceMethod<"", "::mlir::Region &", "getEpilogue">,
    InterfaceMethod<"The number of reduction dimensions: 1 (k), or 2 (r, k).", "unsigned",
                    "getReductionRank">,
  ];
  let extraSharedClassDeclaration = [{
    ::mlir::ShapedType getCType() { return ::llvm::cast<::mlir::ShapedType>($_op.getInit().getType()); }
    ::mlir::Type getAType() { return ::mlir::getElementTypeOrSelf($_op.getA().getType()); }
    ::mlir::Type getBType() { return ::mlir::getElementTypeOrSelf($_op.getB().getType()); }
    /// The type of the values that B's elements stand for.
    ::mlir::Type getBValueType() {
      return $_op.getBQuant() ? ::mlir::Float32Type::get($_op.getContext()) : getBType();
    }
    /// The type of the values that A's elements stand for.
    ::mlir::Type getAValueType() {
      return $_op.getBQuant() && $_op.getBQuant()->quantizesRows() ? ::mlir::Float32Type::get($_op.getContext()) : getAType();
    }
    /// True if A, B and the sums have one type.
    bool hasOneType() { return getAType() == getBType() && getAType() == $_op.getAccumulatorType(); }
    unsigned getBatchRank() { return getCType().getRank() - 2; }
    int64_t getM() { return getCType().getShape().drop_back().back(); }
    int64_t getN() { return getCType().getShape().back(); }
    int64_t getK() { return $_op.getIterationSizes().back(); }
    /// True if the epilogue only passes the accumulator on.
    bool hasTrivialEpilogue() {
      ::mlir::Block &body = $_op.getEpilogue().front();
      return body.getTerminator()->getOperand(0) == body.getArgument(0);
    }
  }];
}

def Tpp_ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface", [Tpp_TileOpInterface]> {
  let cppNamespace = "::kgen::tpp";
  let description = [{
    One scalar computation for each element of the destination. The iteration space is that of the
    destination; an input is broadcast along the dimensions that its map does not use.
  }];
  let methods = [
    InterfaceMethod<"", "::mlir::Operation::operand_range", "getInputs">,
    InterfaceMethod<"The destination.", "::mlir::Value", "getInit">,
    InterfaceMethod<"One map per input, or nothing if all are the identity.",
                    "::std::optional<::mlir::ArrayAttr>", "getMaps">,
    InterfaceMethod<"The number of inputs.", "unsigned", "getArity">,
    InterfaceMethod<"True if the operation is defined for integers.", "bool", "acceptsIntegers">,
    InterfaceMethod<[{Builds the scalar code of the operation. `args`, the elements of the inputs,
                     and the result have the type getAccumulatorType().}],
                    "::mlir::Value", "buildScalar",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$args)>,
  ];
  let extraSharedClassDeclaration = [{
    ::mlir::ShapedType getInitType() { return ::llvm::cast<::mlir::ShapedType>($_op.getInit().getType()); }
    /// The map of input `number`, over the dimensions of the destination.
    ::mlir::AffineMap getInputMap(unsigned number) { return $_op.getOperandMap(number); }
  }];
}

#endif
