// Packs matmuls into a blocked layout: chooses which, and the block sizes.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/layout/Passes.h"
#include "transforms/raise/ContractionLoops.h"

#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PACKMATMULPASS
#include "transforms/layout/Passes.h.inc"

namespace {

/// Returns the largest divisor of `size` between half of `block` and `block` that is a multiple of
/// `unit`; `block` if there is none, `size` if that is smaller than a block. With a divisor nothing
/// is padded, so that packs and unpacks between layers cancel.
int64_t dividingBlock(int64_t size, int64_t block, int64_t unit) {
  if (size <= block)
    return size;
  for (int64_t candidate = block; 2 * candidate >= block; --candidate)
    if (size % candidate == 0 && candidate % unit == 0)
      return candidate;
  return block;
}

/// Returns the block sizes (m, n, k) of a contraction; nothing if it stays as it is.
std::optional<SmallVector<int64_t, 3>> blocksFor(linalg::LinalgOp op, ArrayRef<int64_t> wanted) {
  auto roles = linalg::inferContractionDims(op);
  if (wanted.size() != 3 || llvm::any_of(wanted, [](int64_t size) { return size <= 0; }) ||
      failed(roles) || roles->m.size() != 1 || roles->n.size() != 1 || roles->k.size() != 1)
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t m = sizes[roles->m[0]], n = sizes[roles->n[0]], k = sizes[roles->k[0]];
  if (n < cpuOf(op).heuristics.minPackedColumns || 2 * m < wanted[0])
    return std::nullopt;
  // Columns fill whole vectors even if they do not divide n. Dot products of bytes take 4 of k.
  return SmallVector<int64_t, 3>{dividingBlock(m, wanted[0], 1), std::min(n, wanted[1]),
                                 dividingBlock(k, wanted[2], 4)};
}

/// The target's key for the block layout of contractions of `element`: "block_layout_f32".
std::string packKind(Type element) {
  std::string kind = "block_layout_";
  llvm::raw_string_ostream(kind) << element;
  return kind;
}

struct PackMatmulPass : impl::PackMatmulPassBase<PackMatmulPass> {
  using PackMatmulPassBase::PackMatmulPassBase;

  /// Returns the block sizes that the option or the target gives for contractions of `element`;
  /// empty or zeros if it gives none.
  SmallVector<int64_t> wantedBlocks(Type element) {
    if (!blockFactors.empty())
      return llvm::to_vector(blockFactors);
    TargetAttr target = targetOf(getOperation());
    if (!target)
      return {};
    std::string kind = packKind(element);
    return {target.gemmTileSize(kind, "m", 0), target.gemmTileSize(kind, "n", 0),
            target.gemmTileSize(kind, "k", 0)};
  }

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isStaticContraction(op))
        contractions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    auto control = [&](linalg::LinalgOp op) -> std::optional<linalg::BlockPackMatmulOptions> {
      auto blocks =
          blocksFor(op, wantedBlocks(getElementTypeOrSelf(op.getDpsInputs().front().getType())));
      if (!blocks)
        return std::nullopt;
      linalg::BlockPackMatmulOptions options;
      options.blockFactors = *blocks;
      options.rhsTransposeInnerBlocks = false;
      return options;
    };
    DecisionLog log(getOperation(), getArgument());
    for (linalg::LinalgOp op : contractions) {
      rewriter.setInsertionPoint(op);
      Location loc = op.getLoc();
      auto wanted = wantedBlocks(getElementTypeOrSelf(op.getDpsInputs().front().getType()));
      bool hasBlocks = !wanted.empty() && !llvm::is_contained(wanted, 0);
      // A failure means that the contraction stays as it is.
      if (succeeded(linalg::blockPackMatmul(rewriter, op, control))) {
        ++numPacked;
        log.add("applied", loc, log.details().set("what", "packed into a blocked layout"));
      } else if (hasBlocks) {
        ++numRefused;
        log.add("refused", loc,
                log.details().set("why", "too few rows or columns for a block, or a batch"));
      }
    }
  }
};

} // namespace
} // namespace kgen
