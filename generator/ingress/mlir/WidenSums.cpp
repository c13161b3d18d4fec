// Sums of products of bf16 and f16, which files write with accumulators of the same type.
#include "dialect/kgen/EmptyTensor.h"
#include "ingress/mlir/ImportParts.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

/// Adds up products in elements of 16 bits, nothing else.
bool hasNarrowSum(linalg::LinalgOp op) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() == 0 || op.getNumDpsInputs() != 2 ||
      !op.hasPureTensorSemantics() || convolutionForm(op))
    return false;
  Type sum = getElementTypeOrSelf(op->getResult(0));
  if (!sum.isBF16() && !sum.isF16())
    return false;
  Block &body = op->getRegion(0).front();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  Value accumulator = body.getArgument(2);
  Value other = add.getLhs() == accumulator ? add.getRhs() : add.getLhs();
  auto product = other.getDefiningOp<arith::MulFOp>();
  bool isSum = add.getLhs() == accumulator || add.getRhs() == accumulator;
  return isSum && product && llvm::hasNItems(body.without_terminator(), 2);
}

/// A tensor of f32 with the numbers of `value`; a fill becomes one of f32.
Value widened(OpBuilder &b, mlir::Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto wide = RankedTensorType::get(type.getShape(), b.getF32Type());
  Value empty = emptyLike(b, loc, value, wide.getElementType());
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    if (auto number = fill.value().getDefiningOp<arith::ConstantOp>()) {
      double content = cast<FloatAttr>(number.getValue()).getValueAsDouble();
      Value start =
          arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(content)));
      return linalg::FillOp::create(b, loc, start, empty).getResult(0);
    }
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, wide, value, empty, maps, loops,
                                   [](OpBuilder &inner, mlir::Location at, ValueRange args) {
                                     Value x = arith::ExtFOp::create(inner, at, inner.getF32Type(),
                                                                     args[0]);
                                     linalg::YieldOp::create(inner, at, x);
                                   })
      .getResult(0);
}

Value narrowed(OpBuilder &b, mlir::Location loc, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  Value empty = emptyLike(b, loc, value, element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, empty.getType(), value, empty, maps, loops,
                                   [&](OpBuilder &inner, mlir::Location at, ValueRange args) {
                                     Value x = arith::TruncFOp::create(inner, at, element, args[0]);
                                     linalg::YieldOp::create(inner, at, x);
                                   })
      .getResult(0);
}

void widen(linalg::LinalgOp op) {
  OpBuilder b(op);
  mlir::Location loc = op.getLoc();
  Value start = widened(b, loc, op.getDpsInits()[0]);
  auto sum = linalg::GenericOp::create(
      b, loc, start.getType(), op.getDpsInputs(), start, op.getIndexingMapsArray(),
      op.getIteratorTypesArray(), [](OpBuilder &inner, mlir::Location at, ValueRange args) {
        Value left = arith::ExtFOp::create(inner, at, inner.getF32Type(), args[0]);
        Value right = arith::ExtFOp::create(inner, at, inner.getF32Type(), args[1]);
        Value product = arith::MulFOp::create(inner, at, left, right);
        linalg::YieldOp::create(inner, at,
                                arith::AddFOp::create(inner, at, args[2], product).getResult());
      });
  op->getResult(0).replaceAllUsesWith(
      narrowed(b, loc, sum.getResult(0), getElementTypeOrSelf(op->getResult(0))));
  op->erase();
}

} // namespace

void widenSums(func::FuncOp function) {
  SmallVector<linalg::LinalgOp> sums;
  function.walk([&](linalg::LinalgOp op) {
    if (hasNarrowSum(op))
      sums.push_back(op);
  });
  for (linalg::LinalgOp op : sums)
    widen(op);
}

} // namespace kgen
