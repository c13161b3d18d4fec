// Matrix products over blocks: which are packed, and into blocks of which size.
#include "transforms/Passes.h"
#include "transforms/raise/ContractionLoops.h"

#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PACKMATMULPASS
#include "transforms/Passes.h.inc"

namespace {

/// The largest divisor of `size` between half a block and a block: nothing is padded, so that packs
/// and unpacks between layers cancel. `block` where there is none that is a multiple of `unit`, all
/// of it if it is smaller.
int64_t dividingBlock(int64_t size, int64_t block, int64_t unit) {
  if (size <= block)
    return size;
  for (int64_t candidate = block; 2 * candidate >= block; --candidate)
    if (size % candidate == 0 && candidate % unit == 0)
      return candidate;
  return block;
}

/// The block sizes (m, n, k) for a contraction, or nothing if it stays as it is: padding would cost
/// more than blocks bring.
std::optional<SmallVector<int64_t, 3>> blocksFor(linalg::LinalgOp op, ArrayRef<int64_t> wanted) {
  constexpr int64_t fewColumns = 16;
  auto roles = linalg::inferContractionDims(op);
  if (wanted.size() != 3 || llvm::any_of(wanted, [](int64_t size) { return size <= 0; }) ||
      failed(roles) || roles->m.size() != 1 || roles->n.size() != 1 || roles->k.size() != 1)
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t m = sizes[roles->m[0]], n = sizes[roles->n[0]], k = sizes[roles->k[0]];
  if (n < fewColumns || 2 * m < wanted[0])
    return std::nullopt;
  // Columns fill whole vectors, whatever divides n; dot-product instructions take k in fours.
  return SmallVector<int64_t, 3>{dividingBlock(m, wanted[0], 1), std::min(n, wanted[1]),
                                 dividingBlock(k, wanted[2], 4)};
}

/// The key in the target's table of block sizes for contractions of `element`: "block_layout_f32".
std::string packKind(Type element) {
  std::string kind = "block_layout_";
  llvm::raw_string_ostream(kind) << element;
  return kind;
}

struct PackMatmulPass : impl::PackMatmulPassBase<PackMatmulPass> {
  using PackMatmulPassBase::PackMatmulPassBase;

  /// What the option or the target says about contractions of `element`; empty: not to be packed.
  SmallVector<int64_t> wantedBlocks(Type element) {
    if (!blockFactors.empty())
      return llvm::to_vector(blockFactors);
    TargetAttr target = targetOf(getOperation());
    if (!target)
      return {};
    std::string kind = packKind(element);
    return {target.block(kind, "m", 0), target.block(kind, "n", 0), target.block(kind, "k", 0)};
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
    for (linalg::LinalgOp op : contractions) {
      rewriter.setInsertionPoint(op);
      // What is not packed stays: that is the policy, no failure.
      if (failed(linalg::blockPackMatmul(rewriter, op, control)))
        continue;
    }
  }
};

} // namespace
} // namespace kgen
