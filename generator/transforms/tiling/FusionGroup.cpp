#include "transforms/tiling/FusionGroup.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/tiling/DepthwiseLayoutTiles.h"
#include "transforms/tiling/TaskTileSizes.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h>
#include <mlir/Dialect/Tensor/Transforms/Transforms.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {

FusionGroup::FusionGroup(Operation *anchor, ArrayRef<int64_t> tiles, ArrayRef<Operation *> apart,
                         Shared shared)
    : anchor(anchor), apart(apart.begin(), apart.end()), shared(shared), tiles(tiles) {
  SmallVector<unsigned> loops;
  for (auto [loop, tile] : llvm::enumerate(tiles))
    if (tile != 0)
      loops.push_back(loop);
  members[anchor] = loops;
  while (addProducer()) {
  }
}

SmallVector<Operation *> FusionGroup::operations() const {
  SmallVector<Operation *> found;
  for (const auto &[op, loops] : members)
    found.push_back(op);
  return found;
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

bool FusionGroup::tilesRows(int64_t least) const {
  int64_t elements = cast<RankedTensorType>(anchor->getResult(0).getType()).getNumElements();
  for (const auto &[op, loops] : members)
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      AffineMap map = operandMap(op, operand.getOperandNumber());
      if (!type || type.getRank() < 2 || type.getNumElements() < elements || !map)
        continue;
      unsigned last = map.getDimPosition(map.getNumResults() - 1);
      for (auto [loop, tile] : llvm::zip_equal(loops, nonZero(tiles)))
        if (loop == last && tile * bytesOfElement(type) < least)
          return true;
    }
  return false;
}

int64_t FusionGroup::bytesOfTile(OpOperand &operand, ArrayRef<unsigned> loops) const {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  AffineMap map = type ? operandMap(operand.getOwner(), operand.getOperandNumber()) : AffineMap();
  if (!type)
    return 0;
  int64_t elements = type.getNumElements();
  for (auto [loop, size] : llvm::zip_equal(loops, nonZero(tiles)))
    if (auto position =
            map ? map.getResultPosition(getAffineDimExpr(loop, map.getContext())) : std::nullopt)
      elements = elements / type.getDimSize(*position) * size;
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
    // What a member writes counts where it is read.
    for (OpOperand &operand : op->getOpOperands())
      if ((op == anchor || isRead(operand)) && seen.insert(operand.get()).second)
        bytes += bytesOfTile(operand, loops);
  }
  return bytes;
}

int64_t FusionGroup::bytesOfLargest() const {
  int64_t bytes = 0;
  for (const auto &[op, loops] : members)
    for (OpOperand &operand : op->getOpOperands())
      bytes = std::max(bytes, bytesOfTile(operand, loops));
  return bytes;
}

/// Grids of equal tiles that cover all loops together: whole tiles, and what is left of a loop that
/// they do not divide.
SmallVector<FusionGroup::Piece> FusionGroup::pieces() const {
  SmallVector<int64_t> sizes = loopSizes(anchor);
  SmallVector<Piece> result{{SmallVector<int64_t>(sizes.size(), 0), sizes}};
  for (auto [loop, tile] : llvm::enumerate(tiles)) {
    int64_t whole = tile == 0 ? sizes[loop] : sizes[loop] / tile * tile;
    if (whole == sizes[loop])
      continue;
    for (Piece piece : SmallVector<Piece>(result)) {
      piece.from[loop] = whole;
      result.push_back(piece);
    }
    for (Piece &piece : result)
      if (piece.from[loop] == 0)
        piece.to[loop] = whole;
  }
  return result;
}

/// The loop over the tiles of a piece. Where there is one tile only, its place is a constant.
static FailureOr<scf::SCFTilingOptions::CustomLoopHeaderInfo>
loopOver(ArrayRef<int64_t> from, ArrayRef<int64_t> to, ArrayRef<int64_t> tiles, bool isOneOfMany,
         RewriterBase &rewriter, Location loc, ValueRange destinations) {
  SmallVector<OpFoldResult> lower, upper, step;
  SmallVector<int64_t> lengths;
  for (auto [first, end, tile] : llvm::zip_equal(from, to, tiles)) {
    lengths.push_back(tile == 0 ? end - first : std::min(tile, end - first));
    if (tile == 0)
      continue;
    lower.push_back(rewriter.getIndexAttr(first));
    upper.push_back(rewriter.getIndexAttr(end));
    step.push_back(rewriter.getIndexAttr(lengths.back()));
  }
  std::optional<ArrayAttr> mapping;
  if (isOneOfMany)
    mapping = rewriter.getArrayAttr(
        SmallVector<Attribute>(lower.size(), GridPartitionAttr::get(rewriter.getContext())));
  auto loop = scf::ForallOp::create(rewriter, loc, lower, upper, step, destinations, mapping);
  rewriter.setInsertionPoint(loop.getTerminator());
  scf::SCFTilingOptions::CustomLoopHeaderInfo header;
  auto variable = loop.getInductionVars().begin();
  for (auto [first, end, tile, length] : llvm::zip_equal(from, to, tiles, lengths)) {
    header.tileSizes.push_back(rewriter.getIndexAttr(length));
    bool isOne = end - first == length;
    header.tileOffset.push_back(isOne ? OpFoldResult(rewriter.getIndexAttr(first)) : *variable);
    if (tile != 0)
      ++variable;
  }
  header.loops.push_back(loop);
  llvm::append_range(header.destinationTensors, loop.getRegionIterArgs());
  return header;
}

/// Puts the tile that an iteration makes in its place.
static LogicalResult insertTiles(RewriterBase &rewriter, Location loc,
                                 ArrayRef<LoopLikeOpInterface> loops, ValueRange results,
                                 ArrayRef<SmallVector<OpFoldResult>> offsets,
                                 ArrayRef<SmallVector<OpFoldResult>> sizes,
                                 ValueRange destinations) {
  auto loop = cast<scf::ForallOp>(loops.front());
  rewriter.setInsertionPointToEnd(loop.getTerminator().getBody());
  for (auto [result, into, offset, size] : llvm::zip_equal(results, destinations, offsets, sizes)) {
    SmallVector<OpFoldResult> steps(offset.size(), rewriter.getIndexAttr(1));
    tensor::ParallelInsertSliceOp::create(rewriter, loc, result, into, offset, size, steps);
  }
  return success();
}

FailureOr<Value> FusionGroup::tile(IRRewriter &rewriter, Operation *consumer, TilingLoops loops,
                                   llvm::function_ref<bool(Operation *)> isInside) {
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions = std::move(loops);
  options.tilingOptions.setTileSizes(getAsIndexOpFoldResult(anchor->getContext(), tiles));
  SmallPtrSet<Operation *, 4> isRead; // after the loop
  for (Operation *member : operations())
    if (shared != Shared::nothing &&
        llvm::any_of(member->getUsers(), [&](Operation *user) { return !contains(user); }))
      isRead.insert(member);
  using Answer = std::optional<scf::SCFTileAndFuseOptions::ControlFnResult>;
  options.setFusionControlFn([&](tensor::ExtractSliceOp, OpResult producer, bool) -> Answer {
    if (!isInside(producer.getOwner()))
      return std::nullopt;
    return Answer({/*yieldProducerReplacement=*/isRead.contains(producer.getOwner())});
  });
  auto tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(rewriter, cast<TilingInterface>(consumer), options);
  if (failed(tiled) || failed(fusePadded(rewriter, tiled->loops)))
    return failure(); // reported where the tile could not be made
  for (Operation *op : isRead)
    if (Value all = tiled->replacements.lookup(op->getResult(0)); all && op != consumer)
      rewriter.replaceUsesWithIf(op->getResult(0), all,
                                 [&](OpOperand &use) { return !members.contains(use.getOwner()); });
  return tiled->replacements.lookup(consumer->getResult(0));
}

/// Moves the padding of what a member makes into the loops, with that member.
LogicalResult FusionGroup::fusePadded(IRRewriter &rewriter,
                                      MutableArrayRef<LoopLikeOpInterface> loops) const {
  SmallVector<tensor::ExtractSliceOp> parts;
  if (!loops.empty())
    loops.back()->walk([&](tensor::ExtractSliceOp part) {
      auto pad = part.getSource().getDefiningOp<tensor::PadOp>();
      if (pad && pad.getSource().getDefiningOp() && contains(pad.getSource().getDefiningOp()))
        parts.push_back(part);
    });
  for (tensor::ExtractSliceOp part : parts) {
    rewriter.setInsertionPoint(part);
    auto padded =
        tensor::bubbleUpPadSlice(rewriter, part.getSource().getDefiningOp<tensor::PadOp>(),
                                 part.getMixedOffsets(), part.getMixedSizes(),
                                 /*generateZeroSliceGuard=*/false);
    if (failed(padded))
      return failure();
    for (Operation *slice : padded->generatedSlices)
      if (!scf::tileAndFuseProducerOfSlice(rewriter, cast<tensor::ExtractSliceOp>(slice), loops))
        return failure();
    rewriter.replaceOp(part, padded->tiledValues);
  }
  return success();
}

/// A copy of `op` that writes over `previous`; so do the members that make what it writes over.
/// Where `op` reads what it writes over as another operand too, that stays what it was.
Operation *FusionGroup::cloneOnto(IRRewriter &rewriter, Operation *op, Value previous,
                                  SmallPtrSetImpl<Operation *> &clones) {
  Value init = op->getOperands().back();
  Operation *producer = init.getDefiningOp();
  Value onto = previous;
  if (producer && contains(producer))
    onto = cloneOnto(rewriter, producer, previous, clones)->getResult(0);
  Operation *copy = rewriter.clone(*op);
  copy->setOperand(copy->getNumOperands() - 1, onto);
  clones.insert(copy);
  return copy;
}

LogicalResult FusionGroup::tile(Loop loop) {
  IRRewriter rewriter(anchor);
  Value result;
  moveReaders();
  if (loop == Loop::sequential) {
    TilingLoops loops;
    loops.setLoopType(scf::SCFTilingOptions::LoopType::ForOp);
    FailureOr<Value> tiled =
        tile(rewriter, anchor, loops, [&](Operation *op) { return contains(op); });
    if (failed(tiled))
      return failure();
    result = *tiled;
  }
  SmallVector<Piece> grids = loop == Loop::parallel ? pieces() : SmallVector<Piece>();
  for (const Piece &piece : grids) {
    TilingLoops loops;
    loops.setLoopType(scf::SCFTilingOptions::LoopType::CustomOp);
    loops.setCustomLoopGenerationFns(
        [&](RewriterBase &b, Location loc, ArrayRef<Range>, ArrayRef<OpFoldResult>,
            ValueRange into) {
          return loopOver(piece.from, piece.to, tiles, grids.size() > 1, b, loc, into);
        },
        insertTiles);
    SmallPtrSet<Operation *, 4> clones;
    Operation *consumer = anchor;
    if (result) {
      rewriter.setInsertionPointAfterValue(result);
      consumer = cloneOnto(rewriter, anchor, result, clones);
    }
    FailureOr<Value> tiled = tile(rewriter, consumer, loops, [&](Operation *op) {
      return contains(op) || clones.contains(op);
    });
    if (failed(tiled))
      return failure();
    result = *tiled;
  }
  rewriter.replaceAllUsesWith(anchor->getResult(0), result);
  return success();
}

/// Adds one producer all of whose users are members and agree on the tile that they need; false if
/// there is none.
bool FusionGroup::addProducer() {
  for (const auto &[user, loops] : members)
    for (OpOperand &operand : user->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (auto pad = dyn_cast_or_null<tensor::PadOp>(producer))
        producer = pad.getSource().getDefiningOp();
      if (!producer || apart.contains(producer) || producer->getBlock() != anchor->getBlock() ||
          contains(producer) || !isTileable(producer) || readsState(producer))
        continue;
      if (auto cut = loopsTiledBy(producer)) {
        members[producer] = *cut;
        return true;
      }
    }
  return false;
}

/// Whether the producer reads the state of a loop that the anchor writes over: it has to be done
/// before the first tile begins.
bool FusionGroup::readsState(Operation *producer) const {
  Value init = anchor->getOperands().back();
  return isa<BlockArgument>(init) && llvm::is_contained(producer->getOperands(), init);
}

/// What windows read of what turns an image for them, or else what is known for all operands.
static AffineMap readingMapOf(OpOperand &use, Operation *producer) {
  auto windows = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (windows && readsThroughWindows(windows) && isLayoutTranspose(producer))
    return windows.getMatchingIndexingMap(&use);
  return operandMap(use.getOwner(), use.getOperandNumber());
}

/// The producer's loops for the user's, by way of the tensor between them, which may be padded.
static std::optional<SmallVector<unsigned>> translate(OpOperand &use, ArrayRef<unsigned> loops,
                                                      Operation *producer, tensor::PadOp pad) {
  AffineMap read = readingMapOf(use, producer);
  AffineMap written = operandMap(producer, producer->getNumOperands() - 1);
  if (!read || !written)
    return std::nullopt;
  SmallVector<unsigned> result;
  for (unsigned loop : loops) {
    auto position = read.getResultPosition(getAffineDimExpr(loop, read.getContext()));
    bool isOne = llvm::count_if(read.getResults(),
                                [&](AffineExpr index) { return index.isFunctionOfDim(loop); }) == 1;
    if (!position || !isOne)
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

/// Whether the loop can give all of a member's results to a user that is not in it.
bool FusionGroup::mayBeRead(Operation *producer, Operation *user) const {
  auto op = dyn_cast<linalg::LinalgOp>(producer);
  return shared == Shared::reductions && op && op.getNumReductionLoops() > 0 &&
         (isBehind(user) ||
          (isa<linalg::LinalgOp>(user) && user->getBlock() == anchor->getBlock() &&
           llvm::all_of(user->getUsers(), [&](Operation *next) { return isBehind(next); })));
}

bool FusionGroup::isBehind(Operation *user) const {
  Operation *own = anchor->getBlock()->findAncestorOpInBlock(*user);
  return own && anchor->isBeforeInBlock(own);
}

/// Others that read members' results come after the loop.
void FusionGroup::moveReaders() const {
  for (Operation *member : operations())
    for (Operation *user : member->getUsers())
      if (!contains(user) && !isBehind(user))
        user->moveAfter(anchor);
}

std::optional<SmallVector<unsigned>> FusionGroup::loopsTiledBy(Operation *producer) const {
  std::optional<SmallVector<unsigned>> result;
  for (OpOperand &own : producer->getUses()) {
    tensor::PadOp pad = isLayoutTranspose(producer) ? padOf(own) : tensor::PadOp();
    OpOperand &use = pad ? useThroughPad(own) : own;
    auto member = members.find(use.getOwner());
    if (member == members.end() && mayBeRead(producer, use.getOwner()))
      continue;
    if (member == members.end())
      return std::nullopt;
    auto loops = translate(use, member->second, producer, pad);
    if (!loops || (result && result != loops))
      return std::nullopt;
    result = loops;
  }
  return result;
}

LogicalResult foldTensorEmpty(Operation *function) {
  RewritePatternSet patterns(function->getContext());
  tensor::populateFoldTensorEmptyPatterns(patterns);
  return applyPatternsGreedily(function, std::move(patterns));
}

} // namespace kgen
