// A value that is rounded and extended again within one body is used unrounded.
#include "dialect/kgen/Kgen.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/fusion/Roundings.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

using namespace mlir;

namespace kgen {
namespace {

/// The rounding in the same body and from the same type whose result `extension` extends, or null.
arith::TruncFOp roundingOf(arith::ExtFOp extension) {
  auto rounding = extension.getIn().getDefiningOp<arith::TruncFOp>();
  bool isInverse = rounding && rounding->getBlock() == extension->getBlock() &&
                   rounding.getIn().getType() == extension.getType();
  return isInverse ? rounding : arith::TruncFOp();
}

/// The reason why a rounding has to stay; empty if it can be left out.
StringRef refusalOf(arith::TruncFOp rounding) {
  if (rounding.getRoundingmode())
    return "the graph casts there";
  if (accumulatorOf(rounding.getType()) != rounding.getIn().getType())
    return "operators on the narrow type compute in that type";
  return {};
}

} // namespace

RoundingCounts foldTruncExt(func::FuncOp func, DecisionLog &log) {
  RoundingCounts counts;
  SmallVector<arith::ExtFOp> found;
  func.walk([&](arith::ExtFOp op) {
    Operation *parent = op->getParentOp();
    if (isa<linalg::LinalgOp>(parent) || isa_and_nonnull<tpp::TppDialect>(parent->getDialect()))
      found.push_back(op);
  });
  IRRewriter rewriter(func.getContext());
  for (arith::ExtFOp op : found) {
    arith::TruncFOp rounding = roundingOf(op);
    if (!rounding)
      continue;
    if (StringRef refusal = refusalOf(rounding); !refusal.empty()) {
      log.add("refused", op.getLoc(), log.details().set("why", refusal));
      ++counts.kept;
      continue;
    }
    log.add("applied", rounding.getLoc(),
            log.details().set("what", "the result is used unrounded in the same body"));
    ++counts.folded;
    rewriter.replaceOp(op, rounding.getIn());
    if (rounding->use_empty())
      rewriter.eraseOp(rounding);
  }
  return counts;
}

} // namespace kgen
