// Packs of run-time operands as plain copies: whole panels in one go, then the last one with its
// padding. Upstream's decomposition, for everything else, copies twice when something is padded.
#include "dialect/kgen/Decisions.h"
#include "dialect/kgen/TensorSlice.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERPACKSPASS
#include "transforms/Passes.h.inc"

namespace {

/// A pack of one dimension `n` into panels of `width` that become the last dimension.
class PanelPack {
public:
  explicit PanelPack(linalg::PackOp pack)
      : pack(pack), b(pack), loc(pack.getLoc()), n(pack.getInnerDimsPos().front()),
        width(pack.getStaticInnerTiles().front()), shape(pack.getSourceType().getShape()),
        outer(pack.getOuterDimsPerm()) {
    if (outer.empty())
      llvm::append_range(outer, llvm::seq<int64_t>(0, shape.size()));
    panelDim = llvm::find(outer, n) - outer.begin();
    TargetAttr target = targetOf(pack);
    exceedsCaches = target && bytesOf(pack.getSourceType()) > target.getL2();
  }

  static bool handles(linalg::PackOp pack) {
    return pack.getInnerDimsPos().size() == 1 && pack.getSourceType().hasStaticShape() &&
           pack.getDestType().hasStaticShape();
  }

  Value lower() {
    int64_t whole = shape[n] / width, rest = shape[n] % width;
    Value packed = pack.getDest();
    if (whole > 0)
      packed = insertPanels(packed, 0, copyWhole(whole));
    if (rest > 0)
      packed = insertPanels(packed, whole, copyRest(whole * width, rest));
    return packed;
  }

private:
  using Sizes = SmallVector<int64_t>;

  Value slice(Value tensor, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
    return extract(b, loc, tensor, TensorSlice(b, offsets, sizes));
  }
  Value insertAt(ArrayRef<int64_t> offsets, Value part, Value tensor) {
    TensorSlice box(b, offsets, cast<RankedTensorType>(part.getType()).getShape());
    return insert(b, loc, part, tensor, box);
  }
  Value insertPanels(Value packed, int64_t panel, Value part) {
    if (part.getType() == packed.getType())
      return part;
    Sizes offsets(shape.size() + 1, 0);
    offsets[panelDim] = panel;
    return insertAt(offsets, part, packed);
  }

  /// A tensor of `panels` panels with `columns` columns each that is a copy of `source`, whose
  /// dimensions are those of the pack's source with n split in two (panel, column) if `split`.
  Value copy(Value source, int64_t panels, int64_t columns, bool split) {
    Sizes sizes;
    for (int64_t dim : outer)
      sizes.push_back(dim == n ? panels : shape[dim]);
    sizes.push_back(columns);
    unsigned rank = sizes.size();
    // What comes from memory is read row by row, all panels of each: in pieces as long as can be.
    SmallVector<int64_t> loops(outer);
    if (exceedsCaches) {
      loops.erase(loops.begin() + panelDim);
      loops.push_back(n);
    }
    auto loopOf = [&](int64_t dim) {
      return b.getAffineDimExpr(llvm::find(loops, dim) - loops.begin());
    };
    SmallVector<AffineExpr> from, to;
    for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
      if (dim != n || split)
        from.push_back(loopOf(dim));
      if (dim == n)
        from.push_back(b.getAffineDimExpr(rank - 1));
    }
    for (int64_t dim : outer)
      to.push_back(loopOf(dim));
    to.push_back(b.getAffineDimExpr(rank - 1));
    SmallVector<AffineMap> maps{AffineMap::get(rank, 0, from, b.getContext()),
                                AffineMap::get(rank, 0, to, b.getContext())};
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    Value empty = tensor::EmptyOp::create(b, loc, sizes, pack.getSourceType().getElementType());
    auto generic =
        linalg::GenericOp::create(b, loc, empty.getType(), source, empty, maps, iterators,
                                  [](OpBuilder &builder, Location where, ValueRange arguments) {
                                    linalg::YieldOp::create(builder, where, arguments[0]);
                                  });
    return generic.getResult(0);
  }

  Value copyWhole(int64_t panels) {
    Sizes sizes(shape);
    sizes[n] = panels * width;
    Value source = pack.getSource();
    if (sizes[n] != shape[n])
      source = slice(source, Sizes(shape.size(), 0), sizes);
    SmallVector<ReassociationIndices> groups;
    Sizes expanded;
    for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
      ReassociationIndices group{static_cast<int64_t>(expanded.size())};
      expanded.push_back(dim == n ? panels : shape[dim]);
      if (dim == n) {
        group.push_back(expanded.size());
        expanded.push_back(width);
      }
      groups.push_back(group);
    }
    auto type = RankedTensorType::get(expanded, pack.getSourceType().getElementType());
    source = tensor::ExpandShapeOp::create(b, loc, type, source, groups);
    return copy(source, panels, width, /*split=*/true);
  }

  /// The last panel: the columns that are left, beside padding.
  Value copyRest(int64_t start, int64_t columns) {
    Sizes offsets(shape.size(), 0), sizes(shape);
    offsets[n] = start;
    sizes[n] = columns;
    Value part = copy(slice(pack.getSource(), offsets, sizes), 1, columns, /*split=*/false);
    Value padding = pack.getPaddingValue();
    Sizes panelSizes(cast<RankedTensorType>(part.getType()).getShape());
    panelSizes.back() = width;
    Value panel =
        tensor::EmptyOp::create(b, loc, panelSizes, pack.getSourceType().getElementType());
    panel = linalg::FillOp::create(b, loc, padding, panel).getResult(0);
    return insertAt(Sizes(panelSizes.size(), 0), part, panel);
  }

  linalg::PackOp pack;
  OpBuilder b;
  Location loc;
  int64_t n, width;
  Sizes shape, outer;
  int64_t panelDim;
  bool exceedsCaches;
};

bool isStatic(Operation *op) {
  return llvm::all_of(op->getOperands(), [](Value v) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    return !type || type.hasStaticShape();
  });
}

/// Upstream's decomposition: pad, reshape, transpose.
LogicalResult decompose(IRRewriter &rewriter, linalg::PackOp pack) {
  rewriter.setInsertionPoint(pack);
  auto lowered = linalg::lowerPack(rewriter, pack, /*lowerPadLikeWithInsertSlice=*/false);
  if (failed(lowered))
    return failure();
  RewritePatternSet patterns(rewriter.getContext());
  linalg::populateDecomposePadPatterns(patterns);
  if (!lowered->padOp)
    return success();
  return applyOpPatternsGreedily({lowered->padOp}, std::move(patterns));
}

/// Transpose, reshape, cut off the padding.
LogicalResult decompose(IRRewriter &rewriter, linalg::UnPackOp unpack) {
  rewriter.setInsertionPoint(unpack);
  return LogicalResult(linalg::lowerUnPack(rewriter, unpack,
                                           /*lowerUnpadLikeWithExtractSlice=*/false));
}

struct LowerPacksPass : impl::LowerPacksPassBase<LowerPacksPass> {
  LogicalResult lower(IRRewriter &rewriter, linalg::PackOp pack) {
    if (!PanelPack::handles(pack))
      return isStatic(pack) ? decompose(rewriter, pack) : failure();
    rewriter.replaceOp(pack, PanelPack(pack).lower());
    return success();
  }
  LogicalResult lower(IRRewriter &rewriter, linalg::UnPackOp unpack) {
    return isStatic(unpack) ? decompose(rewriter, unpack) : failure();
  }

  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (isa<linalg::PackOp, linalg::UnPackOp>(op))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : found) {
      auto pack = dyn_cast<linalg::PackOp>(op);
      if (succeeded(pack ? lower(rewriter, pack) : lower(rewriter, cast<linalg::UnPackOp>(op))))
        continue;
      op->emitError("only packs and unpacks of static size can be lowered");
      return signalPassFailure();
    }
  }
};

} // namespace
} // namespace kgen
