// The loops that replace a fusion group.
#include "analysis/IndexRange.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/RefusalListener.h"
#include "transforms/tiling/FusionGroup.h"
#include "transforms/tiling/TileableOps.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h>
#include <mlir/Dialect/Tensor/Transforms/Transforms.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {

/// The sizes of the root's loops as its type has them.
static SmallVector<int64_t> sizesInType(Operation *root) {
  auto tile = dyn_cast<tpp::TileOpInterface>(root);
  return tile ? tile.getIterationSizes() : cast<linalg::LinalgOp>(root).getStaticLoopRanges();
}

/// Splits the iteration space into grids of equal tiles: one of whole tiles, and one for each
/// combination of remainders. A loop whose size is known at run time is not split.
SmallVector<FusionGroup::Grid> FusionGroup::equalGrids() const {
  SmallVector<int64_t> sizes = sizesInType(root);
  SmallVector<Grid> result{{SmallVector<int64_t>(sizes.size(), 0), sizes}};
  for (auto [loop, tile] : llvm::enumerate(tiles)) {
    if (ShapedType::isDynamic(sizes[loop]))
      continue;
    int64_t whole = tile == 0 ? sizes[loop] : sizes[loop] / tile * tile;
    if (whole == sizes[loop])
      continue;
    for (Grid grid : SmallVector<Grid>(result)) {
      grid.from[loop] = whole;
      result.push_back(grid);
    }
    for (Grid &grid : result)
      if (grid.from[loop] == 0)
        grid.to[loop] = whole;
  }
  return result;
}

/// Returns what is left of a loop of `size` iterations, which is known at run time, from `offset`
/// on, at most a tile. A constant if tiles divide all sizes that there can be.
static OpFoldResult remainderOfLoop(RewriterBase &rewriter, Location loc, OpFoldResult size,
                                    OpFoldResult offset, int64_t tile) {
  if (knownDivisor(size) % tile == 0)
    return rewriter.getIndexAttr(tile);
  AffineExpr all = rewriter.getAffineSymbolExpr(0), first = rewriter.getAffineDimExpr(0);
  auto map = AffineMap::get(1, 1, {rewriter.getAffineConstantExpr(tile), all - first},
                            rewriter.getContext());
  return affine::makeComposedFoldedAffineMin(rewriter, loc, map, {offset, size});
}

/// Builds the scf.forall over the tiles of a grid. The offset of a single tile is a constant. Loops
/// without a known end have the size of the operation's loop in `space`.
static FailureOr<scf::SCFTilingOptions::CustomLoopHeaderInfo>
buildForall(ArrayRef<int64_t> from, ArrayRef<int64_t> to, ArrayRef<int64_t> tiles,
            bool isOneOfSeveral, RewriterBase &rewriter, Location loc, ArrayRef<Range> space,
            ValueRange destinations) {
  SmallVector<OpFoldResult> lower, upper, step;
  SmallVector<int64_t> lengths;
  for (auto [first, end, tile, range] : llvm::zip_equal(from, to, tiles, space)) {
    bool isStatic = !ShapedType::isDynamic(end);
    lengths.push_back(!isStatic ? tile : tile == 0 ? end - first : std::min(tile, end - first));
    if (tile == 0)
      continue;
    lower.push_back(rewriter.getIndexAttr(first));
    upper.push_back(isStatic ? OpFoldResult(rewriter.getIndexAttr(end)) : range.size);
    step.push_back(rewriter.getIndexAttr(lengths.back()));
  }
  std::optional<ArrayAttr> mapping;
  if (isOneOfSeveral)
    mapping = rewriter.getArrayAttr(
        SmallVector<Attribute>(lower.size(), GridPartitionAttr::get(rewriter.getContext())));
  auto loop = scf::ForallOp::create(rewriter, loc, lower, upper, step, destinations, mapping);
  rewriter.setInsertionPoint(loop.getTerminator());
  scf::SCFTilingOptions::CustomLoopHeaderInfo header;
  SmallVector<Value> variables = loop.getInductionVars();
  auto variable = variables.begin();
  for (auto [first, end, tile, length, range] : llvm::zip_equal(from, to, tiles, lengths, space)) {
    bool isStatic = !ShapedType::isDynamic(end),
         isSingle = isStatic ? end - first == length : tile == 0;
    OpFoldResult offset = isSingle ? OpFoldResult(rewriter.getIndexAttr(first)) : *variable;
    header.tileOffset.push_back(offset);
    header.tileSizes.push_back(isStatic ? rewriter.getIndexAttr(length)
                               : tile == 0
                                   ? range.size
                                   : remainderOfLoop(rewriter, loc, range.size, offset, tile));
    if (tile != 0)
      ++variable;
  }
  header.loops.push_back(loop);
  llvm::append_range(header.destinationTensors, loop.getRegionIterArgs());
  return header;
}

/// Inserts the tile that an iteration computes into the destinations.
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
                                   llvm::function_ref<bool(Operation *)> isMember) {
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions = std::move(loops);
  options.tilingOptions.setTileSizes(getAsIndexOpFoldResult(root->getContext(), tiles));
  SmallPtrSet<Operation *, 4> yielded; // after the loop
  for (Operation *member : operations())
    if (sharedProducers != SharedProducers::none &&
        llvm::any_of(member->getUsers(), [&](Operation *user) { return !contains(user); }))
      yielded.insert(member);
  using Result = std::optional<scf::SCFTileAndFuseOptions::ControlFnResult>;
  options.setFusionControlFn([&](tensor::ExtractSliceOp, OpResult producer, bool) -> Result {
    if (!isMember(producer.getOwner()))
      return std::nullopt;
    return Result({/*yieldProducerReplacement=*/yielded.contains(producer.getOwner())});
  });
  auto tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(rewriter, cast<TilingInterface>(consumer), options);
  if (failed(tiled) || failed(fusePadded(rewriter, tiled->loops)))
    return failure(); // reported where the tile could not be made
  for (Operation *op : yielded)
    if (Value all = tiled->replacements.lookup(op->getResult(0)); all && op != consumer)
      rewriter.replaceUsesWithIf(op->getResult(0), all,
                                 [&](OpOperand &use) { return !members.contains(use.getOwner()); });
  return tiled->replacements.lookup(consumer->getResult(0));
}

/// Moves a pad of a member's result into the loops, together with that member.
LogicalResult FusionGroup::fusePadded(IRRewriter &rewriter,
                                      MutableArrayRef<LoopLikeOpInterface> loops) const {
  SmallVector<tensor::ExtractSliceOp> slices;
  if (!loops.empty())
    loops.back()->walk([&](tensor::ExtractSliceOp slice) {
      auto pad = slice.getSource().getDefiningOp<tensor::PadOp>();
      if (pad && pad.getSource().getDefiningOp() && contains(pad.getSource().getDefiningOp()))
        slices.push_back(slice);
    });
  for (tensor::ExtractSliceOp slice : slices) {
    rewriter.setInsertionPoint(slice);
    auto padded =
        tensor::bubbleUpPadSlice(rewriter, slice.getSource().getDefiningOp<tensor::PadOp>(),
                                 slice.getMixedOffsets(), slice.getMixedSizes(),
                                 /*generateZeroSliceGuard=*/false);
    if (failed(padded))
      return failure();
    for (Operation *slice : padded->generatedSlices)
      if (!scf::tileAndFuseProducerOfSlice(rewriter, cast<tensor::ExtractSliceOp>(slice), loops))
        return failure();
    rewriter.replaceOp(slice, padded->tiledValues);
  }
  return success();
}

/// Clones `op` with `previous` as its destination; members that compute the destination are cloned
/// likewise. Where `op` reads its destination as another operand, too, that operand stays.
Operation *FusionGroup::cloneWithDestination(IRRewriter &rewriter, Operation *op, Value previous,
                                             SmallPtrSetImpl<Operation *> &clones) {
  Value init = op->getOperands().back();
  Operation *producer = init.getDefiningOp();
  Value destination = previous;
  if (producer && contains(producer))
    destination = cloneWithDestination(rewriter, producer, previous, clones)->getResult(0);
  Operation *clone = rewriter.clone(*op);
  clone->setOperand(clone->getNumOperands() - 1, destination);
  clones.insert(clone);
  return clone;
}

LogicalResult FusionGroup::tile(Loop loop) {
  IRRewriter rewriter(root);
  Value result;
  moveUsersBehind();
  if (loop == Loop::sequential) {
    TilingLoops loops;
    loops.setLoopType(scf::SCFTilingOptions::LoopType::ForOp);
    FailureOr<Value> tiled =
        tile(rewriter, root, loops, [&](Operation *op) { return contains(op); });
    if (failed(tiled))
      return failure();
    result = *tiled;
  }
  SmallVector<Grid> grids = loop == Loop::parallel ? equalGrids() : SmallVector<Grid>();
  for (const Grid &grid : grids) {
    TilingLoops loops;
    loops.setLoopType(scf::SCFTilingOptions::LoopType::CustomOp);
    loops.setCustomLoopGenerationFns(
        [&](RewriterBase &b, Location loc, ArrayRef<Range> space, ArrayRef<OpFoldResult>,
            ValueRange into) {
          return buildForall(grid.from, grid.to, tiles, grids.size() > 1, b, loc, space, into);
        },
        insertTiles);
    SmallPtrSet<Operation *, 4> clones;
    Operation *consumer = root;
    if (result) {
      rewriter.setInsertionPointAfterValue(result);
      consumer = cloneWithDestination(rewriter, root, result, clones);
    }
    FailureOr<Value> tiled = tile(rewriter, consumer, loops, [&](Operation *op) {
      return contains(op) || clones.contains(op);
    });
    if (failed(tiled))
      return failure();
    result = *tiled;
  }
  rewriter.replaceAllUsesWith(root->getResult(0), result);
  return success();
}

/// Moves users outside of the group after the loop.
void FusionGroup::moveUsersBehind() const {
  for (Operation *member : operations())
    for (Operation *user : member->getUsers())
      if (!contains(user) && !isAfterRoot(user))
        user->moveAfter(root);
}

LogicalResult foldTensorEmpty(Operation *function) {
  RewritePatternSet patterns(function->getContext());
  tensor::populateFoldTensorEmptyPatterns(patterns);
  return applyPatternsGreedily(function, std::move(patterns),
                               GreedyRewriteConfig().setListener(refusalListener()));
}

} // namespace kgen
