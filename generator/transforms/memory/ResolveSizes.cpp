// Sizes that are known at run time as functions of the function's arguments.
#include "analysis/SizeBounds.h"
#include "dialect/kgen/Size.h"
#include "transforms/memory/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Interfaces/ShapedOpInterfaces.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_RESOLVESIZESPASS
#include "transforms/memory/Passes.h.inc"

namespace {

struct ResolveSizesPass : impl::ResolveSizesPassBase<ResolveSizesPass> {
  void runOnOperation() override {
    auto hasBounds = [](Value argument) { return sizeAttrOf(argument) != nullptr; };
    if (llvm::none_of(getOperation().getArguments(), hasBounds))
      return;
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (isa<ShapedDimOpInterface, affine::AffineApplyOp, affine::AffineMinOp,
              affine::AffineMaxOp>(op))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : found)
      resolve(rewriter, op);
    (void)runRegionDCE(rewriter, getOperation()->getRegions()); // what was read for its size alone
  }

private:
  /// Operands come first, so that a size of sizes is known when its turn comes.
  void resolve(RewriterBase &rewriter, Operation *op) {
    OpFoldResult size = op->getResult(0);
    rewriter.setInsertionPoint(op);
    if (auto dim = dyn_cast<ShapedDimOpInterface>(op)) {
      std::optional<int64_t> number = getConstantIntValue(dim.getDimension());
      if (!number || !sizeFormOf(dim.getShapedValue(), *number))
        return;
      size = sizeOf(rewriter, op->getLoc(), dim.getShapedValue(), *number);
    }
    std::optional<SizeBounds> bounds = sizeBoundsOf(size);
    if (bounds && bounds->isExact())
      size = rewriter.getIndexAttr(bounds->least);
    if (size == OpFoldResult(op->getResult(0)))
      return;
    ++numResolved;
    rewriter.replaceOp(op, getValueOrCreateConstantIndexOp(rewriter, op->getLoc(), size));
  }
};

} // namespace
} // namespace kgen
