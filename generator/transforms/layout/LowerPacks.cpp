// Lowers packs of run-time operands to copies. Packs into panels are one copy of the full panels
// and one of the padded rest; upstream's decomposition, used for other packs, copies padded tensors
// twice.
#include "costmodel/Caches.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/TensorSlice.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/layout/LowerPads.h"
#include "transforms/layout/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERPACKSPASS
#include "transforms/layout/Passes.h.inc"

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
    exceedsL2 = target && !fits(target.cpu(), bytesOf(pack.getSourceType()), Cache::l2);
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
      packed = insertPanels(packed, whole, copyRemainder(whole * width, rest));
    return packed;
  }

private:
  using Sizes = SmallVector<int64_t>;

  Value extractAt(Value tensor, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
    return extract(b, loc, tensor, TensorSlice(b, offsets, sizes));
  }
  Value insertAt(ArrayRef<int64_t> offsets, Value source, Value tensor) {
    TensorSlice slice(b, offsets, cast<RankedTensorType>(source.getType()).getShape());
    return insert(b, loc, source, tensor, slice);
  }
  Value insertPanels(Value packed, int64_t panel, Value panels) {
    if (panels.getType() == packed.getType())
      return panels;
    Sizes offsets(shape.size() + 1, 0);
    offsets[panelDim] = panel;
    return insertAt(offsets, panels, packed);
  }

  /// Copies `source` into a tensor of `panels` panels with `columns` columns each. The dimensions
  /// of `source` are those of the pack's source; with `split`, n is two dimensions (panel, column).
  Value copy(Value source, int64_t panels, int64_t columns, bool split) {
    Sizes sizes;
    for (int64_t dim : outer)
      sizes.push_back(dim == n ? panels : shape[dim]);
    sizes.push_back(columns);
    unsigned rank = sizes.size();
    // A source that L2 does not hold is read row by row, all panels of a row: in contiguous runs.
    SmallVector<int64_t> loops(outer);
    if (exceedsL2) {
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
    Value empty = emptyTensor(b, loc, sizes, pack.getSourceType().getElementType());
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
      source = extractAt(source, Sizes(shape.size(), 0), sizes);
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

  /// The last panel: the remaining columns, then padding.
  Value copyRemainder(int64_t start, int64_t columns) {
    Sizes offsets(shape.size(), 0), sizes(shape);
    offsets[n] = start;
    sizes[n] = columns;
    Value rest = copy(extractAt(pack.getSource(), offsets, sizes), 1, columns, /*split=*/false);
    Value padding = pack.getPaddingValue();
    Sizes panelSizes(cast<RankedTensorType>(rest.getType()).getShape());
    panelSizes.back() = width;
    Value panel = emptyTensor(b, loc, panelSizes, pack.getSourceType().getElementType());
    panel = linalg::FillOp::create(b, loc, padding, panel).getResult(0);
    return insertAt(Sizes(panelSizes.size(), 0), rest, panel);
  }

  linalg::PackOp pack;
  OpBuilder b;
  Location loc;
  int64_t n, width;
  Sizes shape, outer;
  int64_t panelDim;
  bool exceedsL2;
};

bool isStatic(Operation *op) {
  return llvm::all_of(op->getOperands(), [](Value v) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    return !type || type.hasStaticShape();
  });
}

/// Upstream's decomposition of a pack: pad, reshape, transpose.
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

/// Upstream's decomposition of an unpack: transpose, reshape, extract_slice without the padding.
LogicalResult decompose(IRRewriter &rewriter, linalg::UnPackOp unpack) {
  rewriter.setInsertionPoint(unpack);
  return LogicalResult(linalg::lowerUnPack(rewriter, unpack,
                                           /*lowerUnpadLikeWithExtractSlice=*/false));
}

struct LowerPacksPass : impl::LowerPacksPassBase<LowerPacksPass> {
  using LowerPacksPassBase::LowerPacksPassBase;

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
    DecisionLog log(getOperation(), getArgument());
    for (Operation *op : found) {
      auto pack = dyn_cast<linalg::PackOp>(op);
      bool isPanelPack = pack && PanelPack::handles(pack);
      ++(isPanelPack ? numPanelPacks : numDecomposed);
      log.add("applied", op->getLoc(),
              log.details().set("what", isPanelPack ? "copied into panels at run time"
                                        : pack      ? "copied into blocks at run time"
                                                    : "copied out of blocks at run time"));
      if (succeeded(pack ? lower(rewriter, pack) : lower(rewriter, cast<linalg::UnPackOp>(op))))
        continue;
      op->emitError("only packs and unpacks of static size can be lowered");
      return signalPassFailure();
    }
    if (pads == LoweredPads::none)
      return;
    PadCounts counts = lowerPads(getOperation(), pads == LoweredPads::outsideWindows, log);
    numPads += counts.lowered;
    numKeptPads += counts.kept;
  }
};

} // namespace
} // namespace kgen
