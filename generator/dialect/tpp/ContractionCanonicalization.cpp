// Simplifications of contractions that are always right.
#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen::tpp {
namespace {

SmallVector<AffineMap> epilogueMaps(ContractionOpInterface op) {
  return llvm::to_vector(op.getEpilogueMaps().getAsValueRange<AffineMapAttr>());
}

/// `op` with only those epilogue operands that `keep` says, whose arguments are all that the
/// epilogue uses.
void dropEpilogueIns(ContractionOpInterface op, const BitVector &keep, PatternRewriter &rewriter) {
  SmallVector<Value> epilogueIns;
  SmallVector<AffineMap> maps;
  BitVector dropped(op.getEpilogueIns().size() + 1);
  for (auto [index, operand, map] : llvm::enumerate(op.getEpilogueIns(), epilogueMaps(op))) {
    if (!keep[index]) {
      dropped.set(index + 1);
      continue;
    }
    epilogueIns.push_back(operand);
    maps.push_back(map);
  }
  auto slim = cloneWithoutEpilogue(rewriter, op, op.getLoc(), epilogueIns, maps, op.getInit());
  rewriter.inlineRegionBefore(op.getEpilogue(), slim.getEpilogue(), slim.getEpilogue().end());
  rewriter.modifyOpInPlace(slim, [&] { slim.getEpilogue().front().eraseArguments(dropped); });
  rewriter.replaceOp(op, slim->getResults());
}

/// An epilogue operand that the epilogue does not use, and one that is there twice.
struct DropRedundantEpilogueIns : OpInterfaceRewritePattern<ContractionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ContractionOpInterface op,
                                PatternRewriter &rewriter) const override {
    Block &body = op.getEpilogue().front();
    BitVector keep(op.getEpilogueIns().size(), true);
    SmallVector<AffineMap> maps = epilogueMaps(op);
    for (unsigned index = 0; index < keep.size(); ++index) {
      BlockArgument argument = body.getArgument(index + 1);
      for (unsigned earlier = 0; earlier < index && keep[index]; ++earlier)
        if (keep[earlier] && op.getEpilogueIns()[earlier] == op.getEpilogueIns()[index] &&
            maps[earlier] == maps[index]) {
          rewriter.replaceAllUsesWith(argument, body.getArgument(earlier + 1));
          keep.reset(index);
        }
      if (argument.use_empty())
        keep.reset(index);
    }
    if (keep.all())
      return rewriter.notifyMatchFailure(op, "every epilogue operand is used and there once");
    dropEpilogueIns(op, keep, rewriter);
    return success();
  }
};

/// An epilogue operand with the same value everywhere is a constant of the epilogue.
struct InlineSplatEpilogueIns : OpInterfaceRewritePattern<ContractionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ContractionOpInterface op,
                                PatternRewriter &rewriter) const override {
    Block &body = op.getEpilogue().front();
    bool changed = false;
    rewriter.setInsertionPointToStart(&body);
    for (auto [operand, argument] :
         llvm::zip(op.getEpilogueIns(), body.getArguments().drop_front())) {
      SplatElementsAttr splat;
      if (argument.use_empty() || !matchPattern(operand, m_Constant(&splat)))
        continue;
      Value constant =
          arith::ConstantOp::create(rewriter, op.getLoc(), splat.getSplatValue<TypedAttr>());
      rewriter.replaceAllUsesWith(argument, constant);
      changed = true;
    }
    return success(changed);
  }
};

/// Adding to zeros is not adding.
struct DropZeroAccumulator : OpInterfaceRewritePattern<ContractionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ContractionOpInterface op,
                                PatternRewriter &rewriter) const override {
    auto fill = op.getInit().getDefiningOp<linalg::FillOp>();
    if (!op.getAccumulate() || !fill || !fill.hasPureTensorSemantics() ||
        !(matchPattern(fill.value(), m_PosZeroFloat()) || matchPattern(fill.value(), m_Zero())))
      return rewriter.notifyMatchFailure(op, "C is not known to be zero");
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(op->getNumOperands() - 1, fill.output());
      op->removeAttr("accumulate");
    });
    return success();
  }
};

/// Returns `value` without dimension `position`, whose size is one.
Value dropUnit(PatternRewriter &rewriter, Location loc, Value value, unsigned position) {
  SmallVector<int64_t> shape(cast<ShapedType>(value.getType()).getShape());
  shape.erase(shape.begin() + position);
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    return tensor::createCanonicalRankReducingExtractSliceOp(
        rewriter, loc, value, RankedTensorType::get(shape, tensor.getElementType()));
  return memref::createCanonicalRankReducingSubViewOp(rewriter, loc, value, shape);
}

/// `map` without dimension `dimension`, and where it was among the results.
AffineMap dropDimension(AffineMap map, unsigned dimension, std::optional<unsigned> &position) {
  position = map.getResultPosition(getAffineDimExpr(dimension, map.getContext()));
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults()) {
    unsigned old = cast<AffineDimExpr>(result).getPosition();
    if (old != dimension)
      results.push_back(getAffineDimExpr(old - (old > dimension), map.getContext()));
  }
  return AffineMap::get(map.getNumDims() - 1, 0, results, map.getContext());
}

/// One product of matrices is a gemm.
struct BrgemmOfOne : OpRewritePattern<BrgemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BrgemmOp op, PatternRewriter &rewriter) const override {
    unsigned r = op.getCType().getRank();
    if (op.getReductionSizes())
      return rewriter.notifyMatchFailure(op, "A is read through a window");
    if (op.getIterationSizes()[r] != 1)
      return rewriter.notifyMatchFailure(op, "several products are added up");
    std::optional<unsigned> inA, inB;
    AffineMap aMap = dropDimension(op.getAMap(), r, inA),
              bMap = dropDimension(op.getBMap(), r, inB);
    Value a = dropUnit(rewriter, op.getLoc(), op.getA(), *inA);
    Value b = inB ? dropUnit(rewriter, op.getLoc(), op.getB(), *inB) : op.getB();
    auto gemm = GemmOp::create(
        rewriter, op.getLoc(), op->getResultTypes(), a, b, op.getEpilogueIns(), op.getInit(), aMap,
        bMap, op.getEpilogueMaps(), op.getPanelAttr(), op.getVnni(), op.getAccumulate(),
        op.getStrictOrder(), op.getAUnsigned(), op.getBUnsigned(), op.getBQuantAttr(),
        /*reduced=*/DenseI64ArrayAttr(), op.getF16Accumulate());
    rewriter.inlineRegionBefore(op.getEpilogue(), gemm.getEpilogue(), gemm.getEpilogue().end());
    rewriter.replaceOp(op, gemm->getResults());
    return success();
  }
};

void addPatterns(RewritePatternSet &patterns) {
  patterns.add<DropRedundantEpilogueIns, InlineSplatEpilogueIns, DropZeroAccumulator>(
      patterns.getContext());
}

} // namespace

void GemmOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  addPatterns(patterns);
}

void BrgemmOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  addPatterns(patterns);
  patterns.add<BrgemmOfOne>(context);
}

} // namespace kgen::tpp
