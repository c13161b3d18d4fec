#include "transforms/tiling/FusionGroup.h"

#include "analysis/SizeBounds.h"
#include "dialect/kgen/DebugOutput.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/tiling/DepthwiseLayoutTiles.h"
#include "transforms/tiling/TileableOps.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

FusionGroup::FusionGroup(Operation *root, ArrayRef<int64_t> tiles, ArrayRef<Operation *> excluded,
                         SharedProducers sharedProducers)
    : root(root), excluded(excluded.begin(), excluded.end()), sharedProducers(sharedProducers),
      tiles(tiles) {
  SmallVector<unsigned> loops;
  for (auto [loop, tile] : llvm::enumerate(tiles))
    if (tile != 0)
      loops.push_back(loop);
  add(root, loops);
  addProducers();
}

SmallVector<Operation *> FusionGroup::operations() const {
  SmallVector<Operation *> found;
  for (const auto &[op, loops] : members)
    found.push_back(op);
  return found;
}

Location FusionGroup::location() const {
  SmallVector<Location> locations;
  for (const auto &[op, loops] : members)
    locations.push_back(op->getLoc());
  return FusedLoc::get(root->getContext(), locations);
}

SmallVector<tpp::ContractionOpInterface> FusionGroup::contractions() const {
  SmallVector<tpp::ContractionOpInterface> found;
  for (const auto &[op, loops] : members)
    if (auto contraction = dyn_cast<tpp::ContractionOpInterface>(op))
      found.push_back(contraction);
  llvm::stable_sort(found, [](auto a, auto b) { return workOf(a) > workOf(b); });
  return found;
}

int64_t FusionGroup::work() const {
  int64_t sum = 0;
  for (const auto &[op, loops] : members)
    sum += workOf(op);
  return sum;
}

static SmallVector<int64_t> nonZero(ArrayRef<int64_t> tiles) {
  return llvm::to_vector(llvm::make_filter_range(tiles, [](int64_t tile) { return tile != 0; }));
}

SmallVector<int64_t> FusionGroup::tilesOf(tpp::ContractionOpInterface member) const {
  SmallVector<int64_t> result(member.getIterationSizes().size());
  for (auto [loop, size] : llvm::zip_equal(members.find(member)->second, nonZero(tiles)))
    result[loop] = size;
  return result;
}

bool FusionGroup::tilesRows(int64_t minBytes) const {
  int64_t elements = greatestElementsOf(root->getResult(0));
  for (const auto &[op, loops] : members)
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      AffineMap map = operandMap(op, operand.getOperandNumber());
      if (!type || type.getRank() < 2 || greatestElementsOf(operand.get()) < elements || !map)
        continue;
      unsigned last = map.getDimPosition(map.getNumResults() - 1);
      for (auto [loop, tile] : llvm::zip_equal(loops, nonZero(tiles)))
        if (loop == last && tile * bytesOfElement(type) < minBytes)
          return true;
    }
  return false;
}

int64_t FusionGroup::bytesOfTile(OpOperand &operand, ArrayRef<unsigned> loops) const {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  AffineMap map = type ? operandMap(operand.getOwner(), operand.getOperandNumber()) : AffineMap();
  if (!type)
    return 0;
  SmallVector<int64_t> sizes = *greatestSizesOf(operand.get());
  int64_t elements = greatestElementsOf(operand.get());
  for (auto [loop, size] : llvm::zip_equal(loops, nonZero(tiles)))
    if (auto position =
            map ? map.getResultPosition(getAffineDimExpr(loop, map.getContext())) : std::nullopt)
      elements = elements / sizes[*position] * size;
  return elements * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

int64_t FusionGroup::bytesOfTile() const {
  llvm::SmallDenseSet<Value> seen;
  int64_t bytes = 0;
  for (const auto &[op, loops] : members) {
    auto isRead = [op = op](OpOperand &operand) {
      auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
      return !linalgOp || !linalgOp.isDpsInit(&operand) ||
             linalgOp.payloadUsesValueFromOperand(&operand);
    };
    // An intermediate result counts where it is read.
    for (OpOperand &operand : op->getOpOperands())
      if ((op == root || isRead(operand)) && seen.insert(operand.get()).second)
        bytes += bytesOfTile(operand, loops);
  }
  return bytes;
}

int64_t FusionGroup::bytesOfLargestSlice() const {
  int64_t bytes = 0;
  for (const auto &[op, loops] : members)
    for (OpOperand &operand : op->getOpOperands())
      bytes = std::max(bytes, bytesOfTile(operand, loops));
  return bytes;
}

/// The operation that computes an operand, or what is padded for it; or null.
static Operation *producerOf(Value operand) {
  Operation *producer = operand.getDefiningOp();
  auto pad = dyn_cast_or_null<tensor::PadOp>(producer);
  return pad ? pad.getSource().getDefiningOp() : producer;
}

void FusionGroup::add(Operation *op, ArrayRef<unsigned> loops) {
  const auto user = static_cast<unsigned>(members.size());
  members[op].assign(loops.begin(), loops.end());
  for (OpOperand &operand : op->getOpOperands())
    if (Operation *producer = producerOf(operand.get()))
      firstUses.try_emplace(producer, user, operand.getOperandNumber());
}

/// Adds producers all of whose users are members that need the same tile of it: first those that
/// the first members read. Whether a producer is one of them changes only with a user of it.
void FusionGroup::addProducers() {
  std::set<std::pair<FirstUse, Operation *>> waiting;
  auto consider = [&](Operation *user) {
    for (Value operand : user->getOperands()) {
      Operation *producer = producerOf(operand);
      if (producer && !contains(producer) && refusalOf(producer).empty())
        waiting.insert({firstUses.lookup(producer), producer});
    }
  };
  consider(root);
  while (!waiting.empty() && static_cast<int64_t>(members.size()) < maxMembers) {
    Operation *producer = waiting.begin()->second;
    waiting.erase(waiting.begin());
    if (contains(producer))
      continue;
    add(producer, *loopsFor(producer));
    consider(producer);
  }
}

/// Returns why the producer of a member is no member itself; empty if it can be one.
StringRef FusionGroup::refusalOf(Operation *producer) const {
  if (excluded.contains(producer))
    return "it has tiles of its own";
  if (producer->getBlock() != root->getBlock())
    return "it is in another block than the operation that is tiled";
  if (!isTileable(producer))
    return "it cannot be tiled";
  if (readsLoopCarried(producer))
    return "it reads the tensor that the tiles overwrite";
  if (!loopsFor(producer))
    return "its users do not all need the same one of its tiles";
  return {};
}

void FusionGroup::traceRefusals() const {
  if (!isDebugged())
    return;
  for (const auto &[op, loops] : members)
    for (Value operand : op->getOperands()) {
      Operation *producer = producerOf(operand);
      if (!producer || contains(producer) || isa<tensor::EmptyOp>(producer) ||
          producer->hasTrait<OpTrait::ConstantLike>())
        continue;
      StringRef why = refusalOf(producer);
      traceRefusal(producer->getLoc(), "is not computed tile by tile for its user: " +
                                           (why.empty() ? "the group has members enough" : why));
    }
}

/// True if the producer reads the loop-carried tensor that the root overwrites: it has to be
/// computed before the first tile.
bool FusionGroup::readsLoopCarried(Operation *producer) const {
  Value init = root->getOperands().back();
  return isa<BlockArgument>(init) && llvm::is_contained(producer->getOperands(), init);
}

/// Returns the map by which windows read a layout-transposed image, or else the operand's projected
/// permutation (null if unknown).
static AffineMap readingMap(OpOperand &use, Operation *producer) {
  auto windows = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (windows && readsThroughWindows(windows) && isLayoutTranspose(producer))
    return windows.getMatchingIndexingMap(&use);
  return operandMap(use.getOwner(), use.getOperandNumber());
}

/// Translates loops of a user to loops of its producer by the dimensions of the tensor between
/// them, which may be padded.
static std::optional<SmallVector<unsigned>> translateLoops(OpOperand &use, ArrayRef<unsigned> loops,
                                                           Operation *producer, tensor::PadOp pad) {
  AffineMap read = readingMap(use, producer);
  AffineMap written = operandMap(producer, producer->getNumOperands() - 1);
  if (!read || !written)
    return std::nullopt;
  SmallVector<unsigned> result;
  for (unsigned loop : loops) {
    auto position = read.getResultPosition(getAffineDimExpr(loop, read.getContext()));
    bool isSingle = llvm::count_if(read.getResults(), [&](AffineExpr index) {
                      return index.isFunctionOfDim(loop);
                    }) == 1;
    if (!position || !isSingle)
      return std::nullopt; // several tiles need the same elements
    if (pad && (pad.getStaticLow()[*position] != 0 || pad.getStaticHigh()[*position] != 0))
      return std::nullopt;
    unsigned own = written.getDimPosition(*position);
    if (dividesLoop(producer, own))
      return std::nullopt;
    result.push_back(own);
  }
  return result;
}

/// True if `user` may stay outside of the group because the loop yields the producer's whole
/// result.
bool FusionGroup::canYieldTo(Operation *producer, Operation *user) const {
  auto op = dyn_cast<linalg::LinalgOp>(producer);
  return sharedProducers == SharedProducers::reductions && op && op.getNumReductionLoops() > 0 &&
         (isAfterRoot(user) ||
          (isa<linalg::LinalgOp>(user) && user->getBlock() == root->getBlock() &&
           llvm::all_of(user->getUsers(), [&](Operation *next) { return isAfterRoot(next); })));
}

bool FusionGroup::isAfterRoot(Operation *user) const {
  Operation *own = root->getBlock()->findAncestorOpInBlock(*user);
  return own && root->isBeforeInBlock(own);
}

std::optional<SmallVector<unsigned>> FusionGroup::loopsFor(Operation *producer) const {
  std::optional<SmallVector<unsigned>> result;
  for (OpOperand &own : producer->getUses()) {
    tensor::PadOp pad = isLayoutTranspose(producer) ? padOf(own) : tensor::PadOp();
    OpOperand &use = pad ? useThroughPad(own) : own;
    auto member = members.find(use.getOwner());
    if (member == members.end() && canYieldTo(producer, use.getOwner()))
      continue;
    if (member == members.end())
      return std::nullopt;
    auto loops = translateLoops(use, member->second, producer, pad);
    if (!loops || (result && result != loops))
      return std::nullopt;
    result = loops;
  }
  return result;
}

} // namespace kgen
