// Compare and select become maximum and minimum where the result is the same for every input.
#include "transforms/idioms/RaiseIdioms.h"
#include "transforms/idioms/SelectedExtremum.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
namespace {

/// The maximum or minimum that computes what a selection does, or the reason against it. Both are
/// null if the selection is not between the two values that are compared.
struct Replacement {
  Value value;
  StringRef refusal;
};

Replacement replacement(OpBuilder &builder, arith::SelectOp select) {
  std::optional<SelectedExtremum> found = selectedExtremum(select);
  if (!found)
    return {};
  if (!found->constant)
    return {{}, "neither value is a constant, so either may be the NaN"};
  if (found->number.isNaN())
    return {{}, "the constant is a NaN"};
  const APFloat &c = found->number;
  Value x = found->x, constant = found->constant;
  bool isMax = found->isMax, xIfEqual = found->xIfEqual, xIfNan = found->xIfNan;
  Location loc = select.getLoc();
  if (!xIfNan) {
    if (c.isZero())
      return {{}, "maxnumf and minnumf may return either zero"};
    return isMax ? Replacement{arith::MaxNumFOp::create(builder, loc, x, constant), {}}
                 : Replacement{arith::MinNumFOp::create(builder, loc, x, constant), {}};
  }
  // A comparison finds the zeros equal, but -0 is less than +0 for maximumf and minimumf: they
  // return c if c is the zero that they prefer.
  bool isPreferred = c.isNegative() != isMax;
  if (c.isZero() && xIfEqual == isPreferred)
    return {{}, "the zeros are chosen in another way"};
  return isMax ? Replacement{arith::MaximumFOp::create(builder, loc, x, constant), {}}
               : Replacement{arith::MinimumFOp::create(builder, loc, x, constant), {}};
}

void replaceSelect(arith::SelectOp select, arith::CmpFOp compare, IdiomLog &log) {
  OpBuilder builder(select);
  Replacement found = replacement(builder, select);
  if (!found.refusal.empty())
    log.refused(select.getLoc(), found.refusal);
  if (!found.value)
    return;
  log.applied(select.getLoc(),
              "compare and select are " + found.value.getDefiningOp()->getName().getStringRef());
  select.getResult().replaceAllUsesWith(found.value);
  select.erase();
  if (compare->use_empty())
    compare.erase();
}

} // namespace

void raiseExtrema(func::FuncOp func, IdiomLog &log) {
  SmallVector<arith::SelectOp> selects;
  func.walk([&](arith::SelectOp op) { selects.push_back(op); });
  for (arith::SelectOp select : selects)
    if (auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>())
      replaceSelect(select, compare, log);
}

} // namespace kgen
