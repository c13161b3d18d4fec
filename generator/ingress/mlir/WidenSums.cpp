// Sums of products of bf16 and f16, which files write with accumulators of the same type.
#include "dialect/kgen/EmptyTensor.h"
#include "ingress/mlir/ImportParts.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
namespace {

bool isShort(Type type) {
  return type.isBF16() || type.isF16() || isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

/// Returns what the operation adds up in elements of at most 16 bits: a value of its body that does
/// not depend on the sum. Null: it does something else.
Value narrowTerm(linalg::LinalgOp op) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() == 0 || !op.hasPureTensorSemantics() ||
      convolutionForm(op) || !isShort(getElementTypeOrSelf(op->getResult(0))))
    return {};
  Block &body = op->getRegion(0).front();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  Value sum = body.getArguments().back();
  if (!add || !sum.hasOneUse() || !add->hasOneUse() || (add.getLhs() != sum && add.getRhs() != sum))
    return {};
  return add.getLhs() == sum ? add.getRhs() : add.getLhs();
}

/// A tensor of f32 with the numbers of `value`; a fill becomes one of f32.
Value widened(OpBuilder &b, Location loc, Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    if (auto number = fill.value().getDefiningOp<arith::ConstantOp>();
        number && isa<FloatAttr>(number.getValue())) {
      double content = cast<FloatAttr>(number.getValue()).getValueAsDouble();
      Value empty = emptyLike(b, loc, fill.getDpsInits()[0], b.getF32Type());
      Value start =
          arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(content)));
      return linalg::FillOp::create(b, loc, start, empty).getResult(0);
    }
  return convertedElements(b, loc, value, b.getF32Type());
}

/// A term of the sum in f32. A product is not rounded before it is added.
Value wideTerm(OpBuilder &b, Location loc, Value term, const IRMapping &map) {
  auto wide = [&](Value x) -> Value {
    if (auto extended = x.getDefiningOp<arith::ExtFOp>()) // exact
      x = extended.getIn();
    return arith::ExtFOp::create(b, loc, b.getF32Type(), map.lookupOrDefault(x));
  };
  auto product = term.getDefiningOp<arith::MulFOp>();
  if (!product)
    return wide(term);
  Value left = wide(product.getLhs()), right = wide(product.getRhs());
  return arith::MulFOp::create(b, loc, left, right);
}

void widen(linalg::LinalgOp op, Value term) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value start = widened(b, loc, op.getDpsInits()[0]);
  Block &body = op->getRegion(0).front();
  auto sum = linalg::GenericOp::create(
      b, loc, start.getType(), op.getDpsInputs(), start, op.getIndexingMapsArray(),
      op.getIteratorTypesArray(), [&](OpBuilder &inner, Location at, ValueRange args) {
        IRMapping map;
        map.map(body.getArguments(), args);
        Operation *add = body.getTerminator()->getOperand(0).getDefiningOp();
        for (Operation &each : body.without_terminator())
          if (&each != add && !(&each == term.getDefiningOp() && isa<arith::MulFOp>(each)))
            inner.clone(each, map);
        Value wide = wideTerm(inner, at, term, map);
        linalg::YieldOp::create(inner, at,
                                arith::AddFOp::create(inner, at, args.back(), wide).getResult());
      });
  op->getResult(0).replaceAllUsesWith(
      convertedElements(b, loc, sum.getResult(0), getElementTypeOrSelf(op->getResult(0))));
  op->erase();
}

} // namespace

void widenSums(func::FuncOp function) {
  SmallVector<std::pair<linalg::LinalgOp, Value>> sums;
  function.walk([&](linalg::LinalgOp op) {
    if (Value term = narrowTerm(op))
      sums.push_back({op, term});
  });
  for (auto [op, term] : sums)
    widen(op, term);
  resolveSizes(function);
}

} // namespace kgen
