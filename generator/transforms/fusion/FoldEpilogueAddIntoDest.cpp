// What an epilogue adds to the sums of a contraction becomes what they are added to.
#include "dialect/tpp/Tpp.h"
#include "transforms/Passes.h"
#include "transforms/analysis/OperandLiveness.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FOLDEPILOGUEADDINTODESTPASS
#include "transforms/Passes.h.inc"

namespace {

using tpp::ContractionOpInterface;

/// The sum that alone uses `value`, once; null if something else does.
arith::AddFOp onlySumOf(Value value) {
  return value.hasOneUse() ? dyn_cast<arith::AddFOp>(*value.user_begin()) : arith::AddFOp();
}

/// Whether a sum of which `addend` is a part has the accumulator as another part of it, with
/// nothing but sums in between.
bool isAddedToSums(BlockArgument addend, BlockArgument accumulator) {
  llvm::SmallDenseSet<Operation *> sums;
  for (arith::AddFOp sum = onlySumOf(addend); sum; sum = onlySumOf(sum))
    sums.insert(sum);
  for (arith::AddFOp sum = onlySumOf(accumulator); sum; sum = onlySumOf(sum))
    if (sums.contains(sum))
      return true;
  return false;
}

/// Whether `value` is what another contraction leaves in memory of this function, which nobody
/// reads after `gemm`.
bool isFreeFor(Value value, ContractionOpInterface gemm) {
  auto producer = value.getDefiningOp<ContractionOpInterface>();
  return producer && producer->getBlock() == gemm->getBlock() && startsFromEmpty(value) &&
         isLastReader(value, gemm, gemm) && value != gemm.getA() && value != gemm.getB() &&
         llvm::count(gemm.getEpilogueIns(), value) == 1;
}

/// The number of the extra that `gemm` can start from.
std::optional<unsigned> startOf(ContractionOpInterface gemm) {
  Block &body = gemm.getEpilogue().front();
  Type type = gemm.getAccumulatorType();
  if (!isa<RankedTensorType>(gemm.getInit().getType()) || gemm.getAccumulate() ||
      gemm.getStrictOrder() || gemm.getF16Accumulate() || !isa<FloatType>(type) ||
      gemm.getCType().getElementType() != type || !gemm.getInit().getDefiningOp<tensor::EmptyOp>())
    return std::nullopt;
  auto maps = gemm.getEpilogueMaps().getAsValueRange<AffineMapAttr>();
  for (auto [index, extra, map] : llvm::enumerate(gemm.getEpilogueIns(), maps))
    if (map.isIdentity() && extra.getType() == gemm.getInit().getType() &&
        isAddedToSums(body.getArgument(index + 1), body.getArgument(0)) && isFreeFor(extra, gemm))
      return index;
  return std::nullopt;
}

void startFrom(unsigned index, ContractionOpInterface gemm) {
  IRRewriter rewriter(gemm);
  SmallVector<Value> extras(gemm.getEpilogueIns());
  SmallVector<AffineMap> maps(gemm.getEpilogueMaps().getAsValueRange<AffineMapAttr>());
  Value start = extras[index];
  extras.erase(extras.begin() + index);
  maps.erase(maps.begin() + index);
  auto fused = tpp::cloneWithoutEpilogue(rewriter, gemm, gemm.getLoc(), extras, maps, start);
  fused->setAttr("accumulate", rewriter.getUnitAttr());
  rewriter.inlineRegionBefore(gemm.getEpilogue(), fused.getEpilogue(), fused.getEpilogue().end());
  Block &body = fused.getEpilogue().front();
  BlockArgument argument = body.getArgument(index + 1);
  arith::AddFOp sum = onlySumOf(argument);
  rewriter.replaceOp(sum, sum.getLhs() == argument ? sum.getRhs() : sum.getLhs());
  body.eraseArgument(index + 1);
  rewriter.replaceOp(gemm, fused->getResults());
}

struct FoldEpilogueAddIntoDestPass
    : impl::FoldEpilogueAddIntoDestPassBase<FoldEpilogueAddIntoDestPass> {
  void runOnOperation() override {
    SmallVector<ContractionOpInterface> gemms;
    getOperation().walk([&](ContractionOpInterface gemm) { gemms.push_back(gemm); });
    for (ContractionOpInterface gemm : gemms)
      if (std::optional<unsigned> index = startOf(gemm))
        startFrom(*index, gemm);
  }
};

} // namespace
} // namespace kgen
