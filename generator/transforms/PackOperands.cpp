// Decides which B operands are copied into panels, and expresses it as linalg.pack.
#include "dialect/kgen/Decisions.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PACKOPERANDSPASS
#include "transforms/Passes.h.inc"

namespace {

int64_t positionOf(AffineMap map, unsigned dimension) {
  return *map.getResultPosition(getAffineDimExpr(dimension, map.getContext()));
}

/// Whether to pack B; `why` gets the reason, `when` the time at which it is packed.
bool worthPacking(tpp::GemmOp gemm, const GemmBlocking &blocking, StringRef &when, StringRef &why) {
  Attribute constant;
  when = "build";
  why = "it is constant";
  if (matchPattern(gemm.getB(), m_Constant(&constant)))
    return true;
  AffineMap map = gemm.getBMap();
  bool contiguous = positionOf(map, map.getNumDims() - 2) == map.getNumResults() - 1;
  bool worth = !contiguous || gemm.getM() > 64;
  when = worth ? "run" : "never";
  why = !contiguous ? "its columns are not contiguous"
        : worth     ? "enough rows of A read it to pay for the copy"
                    : "too few rows of A read it to pay for a copy";
  return worth;
}

void pack(tpp::GemmOp gemm, int64_t panel) {
  IRRewriter rewriter(gemm);
  Location loc = withPurpose(rewriter.getFusedLoc({gemm.getLoc(), gemm.getB().getLoc()}), "pack");
  AffineMap map = gemm.getBMap();
  unsigned kDim = map.getNumDims() - 1, nDim = kDim - 1;
  int64_t n = positionOf(map, nDim), k = positionOf(map, kDim);
  auto source = cast<RankedTensorType>(gemm.getB().getType());
  SmallVector<int64_t> outer, shape;
  SmallVector<AffineExpr> results;
  for (int64_t position = 0; position < source.getRank(); ++position)
    if (position != n && position != k)
      outer.push_back(position);
  for (int64_t position : outer) {
    shape.push_back(source.getDimSize(position));
    results.push_back(map.getResult(position));
  }
  outer.append({n, k});
  results.append({map.getResult(k), map.getResult(n)});
  shape.append({static_cast<int64_t>(llvm::divideCeil(source.getDimSize(n), panel)),
                source.getDimSize(k), panel});
  Type element = source.getElementType();
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, element);
  Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  Value packed = linalg::PackOp::create(rewriter, loc, gemm.getB(), empty, {n},
                                        {rewriter.getIndexAttr(panel)}, zero, outer)
                     .getResult();
  rewriter.modifyOpInPlace(gemm, [&] {
    gemm.getBMutable().assign(packed);
    gemm.setPanelAttr(rewriter.getI64IntegerAttr(panel));
    gemm.setBMapAttr(
        AffineMapAttr::get(AffineMap::get(map.getNumDims(), 0, results, map.getContext())));
  });
}

struct PackOperandsPass : impl::PackOperandsPassBase<PackOperandsPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    getOperation().walk([&](tpp::GemmOp gemm) {
      auto type = dyn_cast<RankedTensorType>(gemm.getB().getType());
      if (!type || gemm.getPanel() || type.getNumElements() == 0)
        return;
      GemmBlocking blocking =
          target.gemmBlocking(gemm.getElementType(), gemm.getM(), gemm.getN(), gemm.getK(),
                              /*packed=*/true);
      StringRef when, why;
      Details details = log.details().setNames("operand", gemm.getB().getLoc());
      bool worth = worthPacking(gemm, blocking, when, why);
      if (worth)
        pack(gemm, blocking.panel);
      details.set("when", when).set("why", why).set("panel", worth ? blocking.panel : 0);
      log.add("operand-b", gemm.getLoc(), details.set("bytes", bytesOf(gemm.getB().getType())));
    });
  }
};

} // namespace
} // namespace kgen
