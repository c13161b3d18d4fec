#include "transforms/TileGroup.h"

#include "transforms/TaskTiles.h"

#include <mlir/Dialect/SCF/Transforms/TileUsingInterface.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Tensor/Transforms/Transforms.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {

TileGroup::TileGroup(Operation *anchor, ArrayRef<int64_t> tiles, ArrayRef<Operation *> apart)
    : anchor(anchor), apart(apart.begin(), apart.end()), tiles(tiles) {
  SmallVector<unsigned> loops;
  for (auto [loop, tile] : llvm::enumerate(tiles))
    if (tile != 0)
      loops.push_back(loop);
  members[anchor] = loops;
  while (addProducer()) {
  }
}

SmallVector<Operation *> TileGroup::operations() const {
  SmallVector<Operation *> found;
  for (const auto &[op, loops] : members)
    found.push_back(op);
  return found;
}

SmallVector<tpp::ContractionOpInterface> TileGroup::contractions() const {
  SmallVector<tpp::ContractionOpInterface> found;
  for (const auto &[op, loops] : members)
    if (auto contraction = dyn_cast<tpp::ContractionOpInterface>(op))
      found.push_back(contraction);
  llvm::stable_sort(found, [](auto a, auto b) { return workOf(a) > workOf(b); });
  return found;
}

int64_t TileGroup::work() const {
  int64_t sum = 0;
  for (const auto &[op, loops] : members)
    sum += workOf(op);
  return sum;
}

static SmallVector<int64_t> nonZero(ArrayRef<int64_t> tiles) {
  return llvm::to_vector(llvm::make_filter_range(tiles, [](int64_t tile) { return tile != 0; }));
}

SmallVector<int64_t> TileGroup::tilesOf(tpp::ContractionOpInterface member) const {
  SmallVector<int64_t> result(member.getIterationSizes().size());
  for (auto [loop, size] : llvm::zip_equal(members.find(member)->second, nonZero(tiles)))
    result[loop] = size;
  return result;
}

bool TileGroup::cutsRows() const {
  int64_t elements = cast<RankedTensorType>(anchor->getResult(0).getType()).getNumElements();
  for (const auto &[op, loops] : members)
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      AffineMap map = operandMapOf(op, operand.getOperandNumber());
      if (type && type.getRank() > 1 && type.getNumElements() >= elements && map &&
          llvm::is_contained(loops, map.getDimPosition(map.getNumResults() - 1)))
        return true;
    }
  return false;
}

int64_t TileGroup::bytesOfTile(OpOperand &operand, ArrayRef<unsigned> loops) const {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  AffineMap map = type ? operandMapOf(operand.getOwner(), operand.getOperandNumber()) : AffineMap();
  if (!type)
    return 0;
  int64_t elements = type.getNumElements();
  for (auto [loop, size] : llvm::zip_equal(loops, nonZero(tiles)))
    if (auto position =
            map ? map.getResultPosition(getAffineDimExpr(loop, map.getContext())) : std::nullopt)
      elements = elements / type.getDimSize(*position) * size;
  return elements * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

int64_t TileGroup::bytesOfTile() const {
  llvm::SmallDenseSet<Value> seen;
  int64_t bytes = 0;
  for (const auto &[op, loops] : members) {
    for (OpOperand &operand : op->getOpOperands())
      if (seen.insert(operand.get()).second)
        bytes += bytesOfTile(operand, loops);
  }
  return bytes;
}

LogicalResult TileGroup::tile(Loop loop) {
  IRRewriter rewriter(anchor);
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(getAsIndexOpFoldResult(anchor->getContext(), tiles));
  options.tilingOptions.setLoopType(loop == Loop::parallel
                                        ? scf::SCFTilingOptions::LoopType::ForallOp
                                        : scf::SCFTilingOptions::LoopType::ForOp);
  using Answer = std::optional<scf::SCFTileAndFuseOptions::ControlFnResult>;
  options.setFusionControlFn([&](tensor::ExtractSliceOp, OpResult producer, bool) -> Answer {
    if (!contains(producer.getOwner()))
      return std::nullopt;
    return Answer(std::in_place);
  });
  auto tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(rewriter, cast<TilingInterface>(anchor), options);
  if (failed(tiled))
    return failure(); // reported where the tile could not be made
  for (auto [old, replacement] : tiled->replacements)
    rewriter.replaceAllUsesWith(old, replacement);
  return success();
}

/// Adds one producer all of whose users are members and agree on the tile that they need; false if
/// there is none.
bool TileGroup::addProducer() {
  for (const auto &[user, loops] : members)
    for (OpOperand &operand : user->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (!producer || apart.contains(producer) || producer->getBlock() != anchor->getBlock() ||
          contains(producer) || !canBeCut(producer) || readsState(producer))
        continue;
      if (auto cut = loopsCutBy(producer)) {
        members[producer] = *cut;
        return true;
      }
    }
  return false;
}

/// Whether the producer reads the state of a loop that the anchor writes over: it has to be done
/// before the first tile begins.
bool TileGroup::readsState(Operation *producer) const {
  Value init = anchor->getOperands().back();
  return isa<BlockArgument>(init) && llvm::is_contained(producer->getOperands(), init);
}

/// The producer's loops for the user's, by way of the tensor between them.
static std::optional<SmallVector<unsigned>> translate(OpOperand &use, ArrayRef<unsigned> loops,
                                                      Operation *producer) {
  AffineMap read = operandMapOf(use.getOwner(), use.getOperandNumber());
  AffineMap written = operandMapOf(producer, producer->getNumOperands() - 1);
  if (!read || !written)
    return std::nullopt;
  SmallVector<unsigned> result;
  for (unsigned loop : loops) {
    auto position = read.getResultPosition(getAffineDimExpr(loop, read.getContext()));
    if (!position)
      return std::nullopt; // several tiles need the same elements
    result.push_back(written.getDimPosition(*position));
  }
  return result;
}

std::optional<SmallVector<unsigned>> TileGroup::loopsCutBy(Operation *producer) const {
  std::optional<SmallVector<unsigned>> result;
  for (OpOperand &use : producer->getUses()) {
    auto member = members.find(use.getOwner());
    if (member == members.end())
      return std::nullopt;
    auto loops = translate(use, member->second, producer);
    if (!loops || (result && result != loops))
      return std::nullopt;
    result = loops;
  }
  return result;
}

LogicalResult makeRoomForTilesOnly(Operation *function) {
  RewritePatternSet patterns(function->getContext());
  tensor::populateFoldTensorEmptyPatterns(patterns);
  return applyPatternsGreedily(function, std::move(patterns));
}

} // namespace kgen
