#include "ops/SymbolicSizes.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/Size.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>

using namespace mlir;

namespace kgen {
namespace {

/// The polynomial of symbols; `positionOf` says which one a name is.
AffineExpr expressionOf(const Dim &dim, llvm::function_ref<unsigned(StringRef)> positionOf,
                        MLIRContext *context) {
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (const DimTerm &term : dim.sum()) {
    AffineExpr product = getAffineConstantExpr(1, context);
    for (const DimFactor &factor : term.factors)
      for (int power = 0; power < factor.power; ++power)
        product =
            product *
            (factor.symbol
                 ? getAffineSymbolExpr(positionOf(factor.symbol->name), context)
                 : expressionOf(factor.dividend, positionOf, context).floorDiv(factor.divisor));
    sum = sum + product * term.coefficient;
  }
  return sum;
}

} // namespace

RankedTensorType tensorOf(const TensorShape &shape, Type element) {
  SmallVector<int64_t> sizes;
  for (const Dim &dim : shape.dims())
    sizes.push_back(dim.number().value_or(ShapedType::kDynamic));
  return RankedTensorType::get(sizes, element);
}

RankedTensorType greatestTensorOf(const TensorShape &shape, Type element) {
  SmallVector<int64_t> sizes;
  for (const Dim &dim : shape.dims())
    sizes.push_back(dim.bounds().max);
  return RankedTensorType::get(sizes, element);
}

AffineMap shapeMap(const TensorShape &shape, ArrayRef<std::shared_ptr<const DimSymbol>> dims,
                   MLIRContext *context) {
  auto positionOf = [&](StringRef name) {
    auto found = llvm::find_if(dims, [&](const auto &symbol) { return symbol->name == name; });
    return static_cast<unsigned>(found - dims.begin());
  };
  SmallVector<AffineExpr> sizes;
  for (const Dim &dim : shape.dims())
    sizes.push_back(expressionOf(dim, positionOf, context));
  return AffineMap::get(0, dims.size(), sizes, context);
}

OpFoldResult sizeValue(OpBuilder &b, const Dim &dim) {
  if (std::optional<int64_t> number = dim.number())
    return b.getIndexAttr(*number);
  Operation *inside = b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<func::FuncOp>(inside);
  if (!function)
    function = inside->getParentOfType<func::FuncOp>();
  SmallVector<Value> sizes = sizeArguments(function);
  for (Value size : sizes)
    if (dimOf(size) == dim)
      return size;
  Block &entry = function.front();
  Block::iterator at = entry.begin();
  for (; at != entry.end() && isa<affine::AffineApplyOp>(*at); ++at)
    if (dimOf(at->getResult(0)) == dim)
      return at->getResult(0);
  auto positionOf = [&](StringRef name) {
    auto isNamed = [&](Value size) { return sizeAttrOf(size).getName() == name; };
    return static_cast<unsigned>(llvm::find_if(sizes, isNamed) - sizes.begin());
  };
  OpBuilder first(&entry, at);
  auto map = AffineMap::get(0, sizes.size(), expressionOf(dim, positionOf, b.getContext()));
  return affine::AffineApplyOp::create(first, NameLoc::get(b.getStringAttr(dim.str())), map, sizes)
      .getResult();
}

SmallVector<OpFoldResult> sizeValues(OpBuilder &b, const TensorShape &shape) {
  SmallVector<OpFoldResult> sizes;
  for (const Dim &dim : shape.dims())
    sizes.push_back(sizeValue(b, dim));
  return sizes;
}

Value tensorOfSizes(OpBuilder &b, Location loc, ArrayRef<Dim> sizes, RankedTensorType type) {
  SmallVector<OpFoldResult> values;
  for (const Dim &size : sizes)
    values.push_back(sizeValue(b, size));
  const AffineMap elements = b.getMultiDimIdentityMap(type.getRank());
  const SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  Value empty = emptyTensor(b, loc, type.getShape(), type.getElementType());
  auto element = [&](OpBuilder &b, Location loc, ValueRange) {
    Value place = arith::ConstantIndexOp::create(b, loc, 0), chosen;
    for (int64_t i = 0; i < type.getRank(); ++i) { // row-major
      Value size = arith::ConstantIndexOp::create(b, loc, type.getDimSize(i));
      place = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, place, size),
                                    linalg::IndexOp::create(b, loc, i));
    }
    for (auto [i, size] : llvm::enumerate(values)) {
      Value number = getValueOrCreateConstantIndexOp(b, loc, size);
      if (chosen) {
        Value at = arith::ConstantIndexOp::create(b, loc, i);
        Value before = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place, at);
        number = arith::SelectOp::create(b, loc, before, chosen, number);
      }
      chosen = number;
    }
    linalg::YieldOp::create(
        b, loc, Value(arith::IndexCastOp::create(b, loc, type.getElementType(), chosen)));
  };
  return linalg::GenericOp::create(b, loc, type, ValueRange(), empty, elements, loops, element)
      .getResult(0);
}

SizeAsFloat::SizeAsFloat(OpBuilder &b, Location loc, const Dim &dim, FloatType type) {
  if (std::optional<int64_t> size = dim.number()) {
    number = b.getFloatAttr(type, static_cast<double>(*size));
    return;
  }
  Value integer =
      arith::IndexCastOp::create(b, loc, b.getI64Type(), cast<Value>(sizeValue(b, dim)));
  value = arith::SIToFPOp::create(b, loc, type, integer);
}

Value SizeAsFloat::operator()(OpBuilder &b, Location loc) const {
  return value ? value : arith::ConstantOp::create(b, loc, number).getResult();
}

} // namespace kgen
