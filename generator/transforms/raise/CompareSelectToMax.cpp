// Compare and select become maximum and minimum, where both agree on every input.
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_COMPARESELECTTOMAXPASS
#include "transforms/Passes.h.inc"

namespace {

/// What a comparison of floats says.
struct Comparison {
  bool greater;   ///< true for a > b rather than a < b
  bool equal;     ///< true for a == b
  bool unordered; ///< true for NaN
};

std::optional<Comparison> orderOf(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OGT:
    return Comparison{true, false, false};
  case P::OGE:
    return Comparison{true, true, false};
  case P::OLT:
    return Comparison{false, false, false};
  case P::OLE:
    return Comparison{false, true, false};
  case P::UGT:
    return Comparison{true, false, true};
  case P::UGE:
    return Comparison{true, true, true};
  case P::ULT:
    return Comparison{false, false, true};
  case P::ULE:
    return Comparison{false, true, true};
  default:
    return std::nullopt;
  }
}

/// The same value, or constants of the same bits.
bool same(Value x, Value y) {
  if (x == y)
    return true;
  APFloat a(0.0f), b(0.0f);
  return matchPattern(x, m_ConstantFloat(&a)) && matchPattern(y, m_ConstantFloat(&b)) &&
         &a.getSemantics() == &b.getSemantics() && a.bitwiseIsEqual(b);
}

/// The operation for select(compare(a, b), a, b) or select(compare(a, b), b, a), one of which is
/// the constant c, or null. Written for what happens to the other one, x.
Value replacement(OpBuilder &builder, arith::SelectOp select, arith::CmpFOp compare) {
  std::optional<Comparison> order = orderOf(compare.getPredicate());
  Value a = compare.getLhs(), b = compare.getRhs();
  Value yes = select.getTrueValue(), no = select.getFalseValue();
  bool straight = same(yes, a) && same(no, b), crossed = same(yes, b) && same(no, a);
  APFloat c(0.0f);
  bool right = matchPattern(b, m_ConstantFloat(&c));
  if (!order || straight == crossed || (!right && !matchPattern(a, m_ConstantFloat(&c))) ||
      c.isNaN())
    return {};
  Value x = right ? a : b, constant = right ? b : a;
  bool isMax = order->greater == straight;
  bool xIfTrue = straight == right;
  bool xIfEqual = order->equal == xIfTrue, xIfNan = order->unordered == xIfTrue;
  Location loc = select.getLoc();
  if (!xIfNan) {
    // maxnumf leaves open which zero it takes.
    if (c.isZero())
      return {};
    return isMax ? arith::MaxNumFOp::create(builder, loc, x, constant).getResult()
                 : arith::MinNumFOp::create(builder, loc, x, constant).getResult();
  }
  // Zeros are equal to a comparison, but -0 is below +0 for maximumf and minimumf: the result is c
  // if c is the zero that they prefer.
  bool preferred = c.isNegative() != isMax;
  if (c.isZero() && xIfEqual == preferred)
    return {};
  return isMax ? arith::MaximumFOp::create(builder, loc, x, constant).getResult()
               : arith::MinimumFOp::create(builder, loc, x, constant).getResult();
}

struct CompareSelectToMaxPass : impl::CompareSelectToMaxPassBase<CompareSelectToMaxPass> {
  void runOnOperation() override {
    SmallVector<arith::SelectOp> selects;
    getOperation().walk([&](arith::SelectOp op) { selects.push_back(op); });
    for (arith::SelectOp select : selects) {
      auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
      OpBuilder builder(select);
      Value value = compare ? replacement(builder, select, compare) : Value();
      if (!value)
        continue;
      select.getResult().replaceAllUsesWith(value);
      select.erase();
      if (compare->use_empty())
        compare.erase();
    }
  }
};

} // namespace
} // namespace kgen
