// Recognises contractions by what they compute, not by name, and keeps their layout in affine maps.
#include "dialect/kgen/Decisions.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_CONTRACTIONSTOTPPPASS
#include "transforms/Passes.h.inc"

namespace {

/// Old loop dimensions in the order (batch..., m, n, k), or nothing if the operation has another
/// structure.
std::optional<SmallVector<unsigned>> gemmDimensions(linalg::LinalgOp op) {
  AffineMap a = op.getIndexingMapsArray()[0], b = op.getIndexingMapsArray()[1],
            c = op.getIndexingMapsArray()[2];
  if (c.getNumResults() < 2 || op.getNumReductionLoops() != 1 || !c.isProjectedPermutation() ||
      c.getNumResults() + 1 != op.getNumLoops())
    return std::nullopt;
  SmallVector<unsigned> order;
  for (AffineExpr result : c.getResults())
    order.push_back(cast<AffineDimExpr>(result).getPosition());
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  unsigned m = order[order.size() - 2], n = order.back(), k = reductions.front();
  bool fits = a.isFunctionOfDim(m) && !b.isFunctionOfDim(m) && b.isFunctionOfDim(n) &&
              !a.isFunctionOfDim(n) && a.isFunctionOfDim(k) && b.isFunctionOfDim(k);
  if (!fits)
    return std::nullopt;
  order.push_back(k);
  return order;
}

/// Whether the body is one multiplication and one addition. Upstream's contractions may also apply
/// unary operations on the way, which tpp.gemm does not.
bool onlyMultipliesAndAdds(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  return llvm::range_size(body.without_terminator()) == 2 &&
         llvm::all_of(body.without_terminator(),
                      [](Operation &inner) { return isa<arith::MulFOp, arith::AddFOp>(inner); });
}

/// `map` over the dimensions in the new order.
AffineMap reorder(AffineMap map, ArrayRef<unsigned> order) {
  SmallVector<AffineExpr> replacement(order.size());
  for (auto [position, dimension] : llvm::enumerate(order))
    replacement[dimension] = getAffineDimExpr(position, map.getContext());
  return map.replaceDimsAndSymbols(replacement, {}, order.size(), 0);
}

/// The tensor below a fill with +0, or null.
Value belowZeroFill(Value init) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.value(), m_PosZeroFloat()) ? fill.output() : Value();
}

void convert(linalg::LinalgOp op, ArrayRef<unsigned> order) {
  IRRewriter rewriter(op);
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Value init = op.getDpsInits()[0], below = belowZeroFill(init);
  auto gemm = tpp::GemmOp::create(
      rewriter, loc, op->getResultTypes(), op.getDpsInputs()[0], op.getDpsInputs()[1], ValueRange(),
      below ? below : init, reorder(maps[0], order), reorder(maps[1], order),
      rewriter.getAffineMapArrayAttr({}), IntegerAttr(), /*accumulate=*/!below);
  Type element = getElementTypeOrSelf(init.getType());
  Block *body = rewriter.createBlock(&gemm.getEpilogue(), {}, {element}, {loc});
  tpp::YieldOp::create(rewriter, loc, body->getArgument(0));
  rewriter.replaceOp(op, gemm.getResults());
}

struct ContractionsToTppPass : impl::ContractionsToTppPassBase<ContractionsToTppPass> {
  void runOnOperation() override {
    SmallVector<std::pair<linalg::LinalgOp, SmallVector<unsigned>>> found;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!op.hasPureTensorSemantics() || !linalg::isaContractionOpInterface(op) ||
          op.getNumDpsInits() != 1 || !onlyMultipliesAndAdds(op))
        return;
      auto type = dyn_cast<RankedTensorType>(op.getDpsInits()[0].getType());
      bool sameFloat = type && type.hasStaticShape() &&
                       isa<Float32Type, Float64Type>(type.getElementType()) &&
                       llvm::all_of(op.getDpsInputs(), [&](Value v) {
                         return getElementTypeOrSelf(v.getType()) == type.getElementType();
                       });
      if (!sameFloat)
        return;
      if (auto order = gemmDimensions(op))
        found.emplace_back(op, *order);
    });
    DecisionLog log(getOperation(), getArgument());
    for (auto &[op, order] : found) {
      log.add("contraction", op.getLoc(), log.details());
      convert(op, order);
    }
  }
};

} // namespace
} // namespace kgen
