// Loops over blocks of rows around chains that read the same rows several times.
#include "dialect/kgen/Decisions.h"
#include "transforms/Passes.h"
#include "transforms/analysis/ViewSource.h"
#include "transforms/tiling/CacheTileSizes.h"
#include "transforms/tiling/FusionGroup.h"
#include "transforms/tiling/TaskTileSizes.h"
#include "transforms/vectorize/AlignedLineRows.h"
#include "transforms/vectorize/FlattenedRows.h"
#include "transforms/vectorize/UnrolledTiles.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/SCF/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Transforms/Passes.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_CACHETILINGPASS
#include "transforms/Passes.h.inc"

namespace {

struct CacheTilingPass : impl::CacheTilingPassBase<CacheTilingPass> {
  void runOnOperation() override {
    target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    firstCache = target.getL1d() / 2;
    secondCache = target.getL2() / 4;
    SmallVector<Block *> blocks = {&getOperation().getBody().front()};
    getOperation().walk([&](scf::ForallOp tasks) { blocks.push_back(tasks.getBody()); });
    for (Block *block : blocks)
      if (failed(cutChainsOf(*block)))
        return signalPassFailure();
    if (failed(partLastBlocks()) || failed(foldTensorEmpty(getOperation())))
      signalPassFailure();
  }

private:
  /// What is left behind whole blocks becomes code of its own, so that all sizes are constants.
  LogicalResult partLastBlocks() {
    SmallVector<scf::ForOp> uneven;
    getOperation().walk([&](scf::ForOp loop) {
      std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound()),
                             to = getConstantIntValue(loop.getUpperBound()),
                             step = getConstantIntValue(loop.getStep());
      if (from && to && step && (*to - *from) % *step != 0)
        uneven.push_back(loop);
    });
    if (uneven.empty())
      return success();
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : uneven) {
      scf::ForOp rest;
      LogicalResult parted = scf::peelForLoopAndSimplifyBounds(rewriter, loop, rest);
      assert(succeeded(parted) && "it refuses loops that steps divide");
      (void)parted;
    }
    OpPassManager simplify(func::FuncOp::getOperationName());
    simplify.addPass(createCanonicalizerPass());
    return runPipeline(simplify, getOperation());
  }

  static FusionGroup groupOf(Operation *anchor, ArrayRef<int64_t> tiles,
                             ArrayRef<Operation *> apart) {
    return CacheTileSizes::groupOf(anchor, tiles, apart);
  }

  LogicalResult cutChainsOf(Block &block) {
    SmallVector<Operation *> anchors, apart;
    for (Operation &op : llvm::reverse(block))
      if (isa<tpp::TileOpInterface>(op))
        apart.push_back(&op);
      else if (isa<linalg::LinalgOp>(op) && isTileable(&op))
        anchors.push_back(&op);
    for (Operation *anchor : anchors)
      if (!anchor->use_empty() && failed(cut(cast<linalg::LinalgOp>(anchor), apart)))
        return failure();
    return success();
  }

  /// Outer loops of the result one by one, until a block of the next one has room. Loops along
  /// which something in the chain is reduced stay whole: the others are cut around them.
  LogicalResult cut(linalg::LinalgOp anchor, ArrayRef<Operation *> apart) const {
    AffineMap result = anchor.getMatchingIndexingMap(anchor.getDpsInitOperand(0));
    SmallVector<int64_t> sizes = anchor.getStaticLoopRanges(), tiles(sizes.size());
    size_t members = 0; // of the chain, as soon as it is cut
    bool inRegisters = false;
    for (unsigned dim = 0; dim < result.getNumResults(); ++dim) {
      unsigned loop = result.getDimPosition(dim);
      if (sizes[loop] == 1) // of a task for each of them
        continue;
      SmallVector<int64_t> next = tiles;
      next[loop] = 1;
      FusionGroup group = groupOf(anchor, next, apart);
      bool isTurned = llvm::any_of(group.operations(), [&](Operation *member) {
        return llvm::any_of(group.loopsOf(member), [&](unsigned own) {
          return turnsRows(cast<linalg::LinalgOp>(member), own);
        });
      });
      // A row of what rows come to is as long as there are rows.
      bool isOfRows = isTurned || loop + 1 < sizes.size() || readsRowsAgain(group, anchor);
      if (!isOfRows || !isChain(group, isTurned) || group.operations().size() < members)
        continue;
      CacheTileSizes blocks(anchor, next, loop, apart, target);
      int64_t room = roomFor(group, anchor, isTurned);
      inRegisters = isTurned && blocks.fitInRegisters();
      next[loop] = inRegisters ? square : rowsOf(blocks, group, anchor, isTurned, room);
      if (isTurned && next[loop] % square != 0) // the least that is turned
        next[loop] = blocks.rowsWithin(isTurned, firstCache);
      if (isTurned && next[loop] % square != 0)
        continue;
      if (next[loop] == sizes[loop]) // the caches keep all of it
        break;
      members = group.operations().size();
      tiles = next;
      if (tiles[loop] > 1 || !hasLoopsBetween(dim, result, sizes) || group.bytesOfTile() <= room)
        break;
    }
    inRegisters |= cutIntoVectors(anchor, result, sizes, tiles, apart);
    if (!inRegisters)
      cutColumns(anchor, result, sizes, tiles, apart);
    if (llvm::all_of(tiles, [](int64_t tile) { return tile == 0; }))
      return success();
    FusionGroup group = groupOf(anchor, tiles, apart);
    if (inRegisters)
      markUnrollFully(group.operations());
    return group.tile(FusionGroup::Loop::sequential);
  }

  /// Bytes for a block.
  int64_t roomFor(const FusionGroup &group, linalg::LinalgOp anchor, bool isTurned) const {
    if (reducesAcross(group) && !isTurned && !liesTogether(group))
      return secondCache;
    return passesCaches(group, anchor) ? firstCache / 4 : firstCache;
  }

  int64_t rowsOf(const CacheTileSizes &blocks, const FusionGroup &group, linalg::LinalgOp anchor,
                 bool isTurned, int64_t room) const {
    if (!isTurned && passesCaches(group, anchor) && canFlatten(anchor, target))
      return blocks.flattenedRows();
    int64_t rows = !isTurned && isFromMemory(group) && canStoreFullLines(anchor)
                       ? blocks.alignedLineRows()
                       : 0;
    return rows ? rows : blocks.rowsWithin(isTurned, room);
  }

  /// Few rows from memory that are reduced across go through registers, two vectors of each at a
  /// time; whether they do.
  bool cutIntoVectors(linalg::LinalgOp anchor, AffineMap result, ArrayRef<int64_t> sizes,
                      SmallVectorImpl<int64_t> &tiles, ArrayRef<Operation *> apart) const {
    constexpr int64_t together = 2, fewestTiles = 8;
    Type element = getElementTypeOrSelf(anchor->getResult(0).getType());
    if (result.getNumResults() == 0 || !element.isIntOrFloat())
      return false;
    unsigned loop = result.getDimPosition(result.getNumResults() - 1);
    int64_t lanes = target.getVectorBits() / element.getIntOrFloatBitWidth(),
            columns = together * lanes;
    if (tiles[loop] != 0 || sizes[loop] < fewestTiles * columns)
      return false;
    SmallVector<int64_t> next(tiles.begin(), tiles.end());
    next[loop] = columns;
    FusionGroup group = groupOf(anchor, next, apart);
    if (!isFromMemory(group) || !reducesAcross(group) || reducesBlocks(group) ||
        !isChain(group, /*cutsColumns=*/true) ||
        !fitsInRegisters(group.operations(), group.bytesOfLargest(), target))
      return false;
    tiles.assign(next);
    return true;
  }

  /// Whether rows come from memory, and go there through the caches, as they are not aligned to be
  /// streamed (kgen-non-temporal-stores): the fewer of them in a block, the more both overlap.
  bool passesCaches(const FusionGroup &group, linalg::LinalgOp anchor) const {
    constexpr int64_t leastStore = 16; // bytes
    auto row = cast<RankedTensorType>(anchor->getResult(0).getType());
    return isFromMemory(group) && row.getRank() > 1 &&
           row.getShape().back() * bytesOfElement(row) % leastStore != 0;
  }

  bool isFromMemory(const FusionGroup &group) const { return !fromMemory(group).empty(); }

  SmallVector<Value> fromMemory(const FusionGroup &group) const {
    SmallVector<Value> found;
    for (Operation *op : group.operations())
      llvm::copy_if(
          cast<linalg::LinalgOp>(op).getDpsInputs(), std::back_inserter(found),
          [&](Value input) { return exceedsLastLevelCache(bytesOfSource(input), target); });
    return found;
  }

  /// Whether rows come from memory, and those that are whole pages apart, which meet in the same
  /// few sets of a cache, are not among them.
  bool hasRowsInAllSets(const FusionGroup &group) const {
    SmallVector<Value> read = fromMemory(group);
    return !read.empty() && llvm::all_of(read, [](Value input) {
      auto whole = cast<ShapedType>(viewSourceThroughLoops(input).getType());
      int64_t piece = cast<ShapedType>(input.getType()).getShape().back(), row = 1;
      for (int64_t size : llvm::reverse(whole.getShape()))
        if (row < piece)
          row *= size;
      return row * bytesOfElement(whole) % pageBytes != 0;
    });
  }

  /// Columns are cut where rows that lie apart are reduced, into pieces of whole lines that stay
  /// near the core. Up to a page, half of the second-level cache may be filled; where the result is
  /// computed from a tensor of its size, a quarter, and only by the shortest pieces but one, unless
  /// memory is read in rows that lie in all parts of that cache.
  void cutColumns(linalg::LinalgOp anchor, AffineMap result, ArrayRef<int64_t> sizes,
                  SmallVectorImpl<int64_t> &tiles, ArrayRef<Operation *> apart) const {
    constexpr int64_t shortest = 8 * 256, page = 8 * 4096, severalReaders = 3; // bits
    Type element = getElementTypeOrSelf(anchor->getResult(0).getType());
    if (result.getNumResults() == 0 || !element.isIntOrFloat())
      return;
    unsigned loop = result.getDimPosition(result.getNumResults() - 1);
    int64_t unit = shortest / element.getIntOrFloatBitWidth();
    SmallVector<int64_t> next(tiles.begin(), tiles.end());
    next[loop] = unit;
    FusionGroup least = groupOf(anchor, next, apart);
    int64_t elements = cast<RankedTensorType>(anchor->getResult(0).getType()).getNumElements();
    bool hasBetween =
        anchor.getNumReductionLoops() == 0 && llvm::any_of(anchor.getDpsInputs(), [&](Value input) {
          Operation *producer = input.getDefiningOp();
          return producer && least.contains(producer) &&
                 cast<RankedTensorType>(input.getType()).getNumElements() == elements;
        });
    int64_t all = groupOf(anchor, tiles, apart).bytesOfTile(), near = 6 * firstCache,
            room = hasBetween && !hasRowsInAllSets(least) ? near : 2 * secondCache;
    if (all <= (hasBetween ? room : secondCache))
      return;
    // Pieces of different lengths pay where several operations read them.
    if (sizes[loop] <= unit ||
        (sizes[loop] % unit != 0 && readersOf(least, elements) < severalReaders) ||
        !reducesAcross(least) || reducesBlocks(least) || !isChain(least, /*cutsColumns=*/true) ||
        least.bytesOfTile() > 4 * secondCache)
      return;
    auto fits = [&](int64_t tile) {
      next[loop] = tile;
      int64_t bytes = groupOf(anchor, next, apart).bytesOfTile();
      bool isShort = tile * element.getIntOrFloatBitWidth() <= page;
      return bytes <= near || (isShort && bytes <= room) ||
             (tile <= 2 * unit && bytes <= secondCache);
    };
    int64_t most = sizes[loop] / unit * unit;
    while (most > unit && !fits(most))
      most -= unit;
    bool isEven = sizes[loop] % unit == 0;
    if (most == sizes[loop] || (most == unit && !isEven && !fits(unit)))
      return;
    // Equal ones are less code.
    int64_t tile = most;
    while (isEven && sizes[loop] % tile != 0)
      tile -= unit;
    tiles[loop] = tile;
  }

  /// Operations of a group that read a tensor of so many elements.
  static int64_t readersOf(const FusionGroup &group, int64_t elements) {
    return llvm::count_if(group.operations(), [&](Operation *op) {
      return llvm::any_of(cast<linalg::LinalgOp>(op).getDpsInputs(), [&](Value input) {
        auto type = dyn_cast<RankedTensorType>(input.getType());
        return type && type.getNumElements() == elements;
      });
    });
  }

  /// Whether there are loops to cut inside of a result's dimension, but for the innermost one.
  static bool hasLoopsBetween(unsigned dim, AffineMap result, ArrayRef<int64_t> sizes) {
    for (unsigned inner = dim + 1; inner + 1 < result.getNumResults(); ++inner)
      if (sizes[result.getDimPosition(inner)] != 1)
        return true;
    return false;
  }

  /// Whether rows stay whole, and several operations read some. Windows share rows with their
  /// neighbours: blocks of them would be read again and again.
  static bool isChain(const FusionGroup &group, bool cutsColumns = false) {
    auto hasWindows = [](Operation *op) { return readsThroughWindows(cast<linalg::LinalgOp>(op)); };
    auto isReader = [](Operation *op) {
      return llvm::any_of(cast<linalg::LinalgOp>(op).getDpsInputs(),
                          [](Value input) { return isa<RankedTensorType>(input.getType()); });
    };
    return (cutsColumns || !group.tilesRows()) && llvm::none_of(group.operations(), hasWindows) &&
           llvm::count_if(group.operations(), isReader) > 1;
  }

  /// Whether rows are reduced that lie apart from each other: the wider their blocks, the longer
  /// the pieces of memory in which they are read.
  static bool reducesAcross(const FusionGroup &group) {
    return llvm::any_of(group.operations(), [](Operation *op) {
      auto linalgOp = cast<linalg::LinalgOp>(op);
      return linalgOp.getNumReductionLoops() > 0 &&
             linalgOp.getIteratorTypesArray().back() == utils::IteratorType::parallel;
    });
  }

  /// Whether blocks are whole pieces of memory, because all that is reduced is inside of them.
  static bool liesTogether(const FusionGroup &group) {
    return llvm::all_of(group.operations(), [&](Operation *op) {
      SmallVector<unsigned> reduced;
      cast<linalg::LinalgOp>(op).getReductionDims(reduced);
      return llvm::all_of(group.loopsOf(op), [&](unsigned cut) {
        return llvm::all_of(reduced, [&](unsigned loop) { return cut < loop; });
      });
    });
  }

  /// Whether blocks of rows are reduced to one each: they are worked on one after another.
  static bool reducesBlocks(const FusionGroup &group) {
    return llvm::any_of(group.operations(), [&](Operation *op) {
      auto linalgOp = cast<linalg::LinalgOp>(op);
      SmallVector<unsigned> reduced;
      linalgOp.getReductionDims(reduced);
      if (reduced.size() != 1 || reduced.front() == 0)
        return false;
      unsigned blocks = reduced.front() - 1;
      return linalgOp.getStaticLoopRanges()[blocks] > 1 &&
             !llvm::is_contained(group.loopsOf(op), blocks);
    });
  }

  /// Whether several operations of a group read a tensor that is larger than the result.
  static bool readsRowsAgain(const FusionGroup &group, linalg::LinalgOp anchor) {
    auto elementsOf = [](Value v) {
      auto type = dyn_cast<RankedTensorType>(v.getType());
      return type ? type.getNumElements() : 0;
    };
    llvm::SmallDenseSet<Value> read;
    for (Operation *op : group.operations())
      for (Value input : cast<linalg::LinalgOp>(op).getDpsInputs())
        if (elementsOf(input) > elementsOf(anchor->getResult(0)) && !read.insert(input).second)
          return true;
    return false;
  }

  /// Whether what lies along a loop is turned, so that short rows lie across it, or back.
  static bool turnsRows(linalg::LinalgOp anchor, unsigned loop) {
    if (anchor.getNumReductionLoops() != 0)
      return false;
    SmallVector<int64_t> sizes = anchor.getStaticLoopRanges();
    AffineMap result = anchor.getMatchingIndexingMap(anchor.getDpsInitOperand(0));
    unsigned innermost = result.getDimPosition(result.getNumResults() - 1);
    return llvm::any_of(anchor.getDpsInputOperands(), [&](OpOperand *input) {
      AffineMap map = anchor.getMatchingIndexingMap(input);
      auto last = map.getNumResults() ? dyn_cast<AffineDimExpr>(map.getResults().back()) : nullptr;
      if (!last || last.getPosition() == innermost || !map.isFunctionOfDim(innermost))
        return false;
      bool isBack = last.getPosition() == loop && sizes[innermost] <= maxTransposedRow;
      return isBack || (innermost == loop && sizes[last.getPosition()] <= maxTransposedRow);
    });
  }

  TargetAttr target;

  int64_t firstCache = 0, secondCache = 0; ///< bytes of them for a block
};

} // namespace
} // namespace kgen
