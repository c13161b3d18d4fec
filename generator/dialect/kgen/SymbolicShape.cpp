#include "dialect/kgen/SymbolicShape.h"

#include "dialect/kgen/Size.h"
#include "dialect/kgen/SizeForm.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/IR/BuiltinTypes.h>

using namespace mlir;

namespace kgen {

Dim dimOf(AffineExpr expression, ArrayRef<Dim> symbols) {
  if (auto number = dyn_cast<AffineConstantExpr>(expression))
    return Dim(number.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expression);
  Dim left = dimOf(binary.getLHS(), symbols);
  Dim right = dimOf(binary.getRHS(), symbols);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return left + right;
  case AffineExprKind::Mul:
    return left * right;
  case AffineExprKind::FloorDiv:
    return left.floorDiv(*right.number());
  case AffineExprKind::CeilDiv:
    return left.ceilDiv(*right.number());
  default:
    return left.modulo(*right.number());
  }
}

namespace {

/// The polynomial of an expression of values.
std::optional<Dim> knownDimOf(AffineExpr expression, ValueRange symbols) {
  SmallVector<Dim> dims;
  for (Value symbol : symbols) {
    std::optional<Dim> dim = kgen::knownDimOf(OpFoldResult(symbol));
    if (!dim)
      return std::nullopt;
    dims.push_back(*dim);
  }
  return dimOf(expression, dims);
}

} // namespace

std::optional<Dim> knownDimOf(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return Dim(*number);
  auto value = cast<Value>(size);
  if (SizeAttr bounds = sizeAttrOf(value))
    return Dim(std::make_shared<const DimSymbol>(
        DimSymbol{bounds.getName().str(), bounds.getMin(), bounds.getMax(), bounds.getMultiple()}));
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getAffineMap().getNumDims() != 0)
    return std::nullopt;
  return knownDimOf(apply.getAffineMap().getResult(0), apply.getMapOperands());
}

Dim dimOf(OpFoldResult size) {
  if (std::optional<Dim> dim = knownDimOf(size))
    return *dim;
  llvm::report_fatal_error("internal error: a size that is none of the graph");
}

std::optional<TensorShape> knownShapeOf(Value tensor) {
  auto type = cast<ShapedType>(tensor.getType());
  if (type.hasStaticShape())
    return TensorShape(type.getShape().begin(), type.getShape().end());
  TensorShape shape;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    std::optional<SizeForm> form = sizeFormOf(tensor, d);
    std::optional<Dim> dim = form ? knownDimOf(form->expression, form->symbols) : std::nullopt;
    if (!dim)
      return std::nullopt;
    shape.push_back(*dim);
  }
  return shape;
}

TensorShape tensorShapeOf(Value tensor) {
  if (std::optional<TensorShape> shape = knownShapeOf(tensor))
    return *shape;
  llvm::report_fatal_error("internal error: a tensor whose shape is not known");
}

} // namespace kgen
