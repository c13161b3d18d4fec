#include "transforms/tiling/TaskTileSizes.h"

#include "dialect/kgen/TypeSizes.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/tiling/DepthwiseLayoutTiles.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

#include <numeric>

using namespace mlir;

namespace kgen {
namespace {

/// As many tasks are aimed at; from `enough` on, no further dimension is cut.
constexpr int64_t mostTasks = 32, enoughTasks = 8;

/// Divides the loops of an operation, one after another.
class Cutter {
public:
  /// `evenly`: only into equal tiles.
  Cutter(Operation *op, int64_t wanted, bool evenly)
      : sizes(loopSizes(op)), tiles(sizes), wanted(wanted), evenly(evenly) {}

  /// Cuts a loop into tiles of a multiple of `unit`, none but the last one smaller than `least`,
  /// until there are enough tasks. What works on `grain` of them at a time should not have much
  /// less to do at the end of each tile.
  void cut(int64_t loop, int64_t unit, int64_t least, int64_t grain = 1) {
    if (isDone() || tiles[loop] != sizes[loop])
      return;
    int64_t remaining = llvm::divideCeil(wanted, count), size = sizes[loop];
    for (int64_t parts = 2; parts <= std::min(size, mostTasks); ++parts) {
      int64_t tile = size / parts;
      bool isWasteful = static_cast<int64_t>(llvm::alignTo(tile, grain)) > tile + tile / 16;
      if (size % parts != 0 || tile % unit != 0 || tile < least || isWasteful)
        continue;
      tiles[loop] = tile;
      if (parts >= remaining)
        break;
    }
    if (!evenly && count * partsOf(loop) < enough())
      chooseUnevenTile(loop, remaining, std::lcm(unit, grain), least);
    count *= partsOf(loop);
  }

  /// Whether tiles of `least` give enough tasks.
  bool isEnough(int64_t loop, int64_t least) const {
    return count * (sizes[loop] / least) >= enough();
  }

  bool isDone() const { return wanted < 2 || count >= enough(); }
  bool isEven() const { return evenly; }
  int64_t tasks() const { return count; }

  /// 0 where a loop stays whole.
  SmallVector<int64_t> result() const {
    SmallVector<int64_t> result;
    for (auto [size, tile] : llvm::zip(sizes, tiles))
      result.push_back(tile < size ? tile : 0);
    return result;
  }

private:
  /// Tiles of which two and four threads, each taking the next one when it is done, have the last
  /// one done soonest. A small tile at the end takes as long as a quarter of the least.
  void chooseUnevenTile(int64_t loop, int64_t parts, int64_t unit, int64_t least) {
    int64_t size = sizes[loop], step = std::max<int64_t>(unit, 1), best = 0, soonest = 0;
    int64_t first = llvm::alignTo(std::max(least, size / std::min(mostTasks, 2 * parts)), step);
    for (int64_t tile = first; tile > 0 && tile < size && tile <= (size + 1) / 2 + step;
         tile += step) {
      int64_t whole = size / tile, rest = size % tile;
      auto timeOf = [&](int64_t threads) {
        int64_t last = rest ? std::max(rest, least / 4) : 0, full = whole / threads * tile;
        return whole % threads == 0 ? full + last : full + tile;
      };
      // What is not equally long ends at different times; each task has its start.
      int64_t time = timeOf(2) + timeOf(4) + tile / 4 + whole * (size / 1024);
      if (best == 0 || time < soonest) {
        best = tile;
        soonest = time;
      }
    }
    if (best > 0)
      tiles[loop] = std::min(tiles[loop], best);
  }

  int64_t enough() const { return std::min(wanted, enoughTasks); }
  int64_t partsOf(int64_t loop) const {
    return tiles[loop] ? llvm::divideCeil(sizes[loop], tiles[loop]) : 1;
  }

  SmallVector<int64_t> sizes, tiles;
  int64_t wanted, count = 1;
  bool evenly;
};

/// The fewest columns of a task where the rows of a large B lie in place: as much of each row as is
/// fetched ahead by itself, within a page, or half of it; if very few `rows` of A meet it, eight
/// lines at least. Only where few rows make memory decide, or where rows of B are further apart.
int64_t shortestRun(tpp::ContractionOpInterface op, int64_t rows, TargetAttr target) {
  constexpr int64_t fewestRows = 4, fewRows = 16;
  unsigned n = op.getCType().getRank() - 1;
  int64_t columns = op.getN(), inPage = pageBytes * 8 / op.getBType().getIntOrFloatBitWidth();
  bool isLarge = bytesOf(op.getB().getType()) > target.getL2() / 4,
       hasRows = !op.getPanel() && op.getBMap().getNumResults() > 0 &&
                 op.getBMap().getResults().back() == getAffineDimExpr(n, op.getContext());
  if (!hasRows || !isLarge || (op.getM() > fewRows && columns <= inPage))
    return 1;
  int64_t lines = rows <= fewestRows ? inPage * 8 * lineBytes / pageBytes : 1;
  return std::max(std::min(inPage, columns / 2), lines);
}

/// Batch dimensions with a B of their own, then blocks of rows, then panels of columns, then rows
/// in smaller blocks. Batch dimensions that share B have rows, too: those of images, for example.
void cutContraction(Cutter &cutter, tpp::ContractionOpInterface op, TargetAttr target) {
  GemmBlocking blocking = tpp::blockingOf(op, target);
  SmallVector<int64_t> sizes = op.getIterationSizes();
  int64_t m = op.getBatchRank(), n = m + 1, rows = 1;
  SmallVector<int64_t> withRows;
  for (int64_t d = 0; d <= m; ++d) {
    if (d < m && op.getBMap().isFunctionOfDim(d)) {
      cutter.cut(d, 1, 1);
      continue;
    }
    withRows.push_back(d);
    rows *= sizes[d];
  }
  constexpr int64_t rowsOfTile = 16;
  int64_t grain = blocking.usesAmx ? rowsOfTile : 1;
  auto cutRows = [&](int64_t least) {
    int64_t inner = rows;
    for (int64_t d : withRows) {
      if (inner == 0)
        return;
      inner /= std::max<int64_t>(sizes[d], 1);
      cutter.cut(d, 1, llvm::divideCeil(std::max<int64_t>(least, 1), std::max<int64_t>(inner, 1)),
                 d == m ? grain : 1);
    }
  };
  int64_t panel = op.getPanel().value_or(blocking.panel), l2 = target.getL2();
  // Several panels, where there are enough of them: each block of A that comes into the cache is
  // used for all of a task's columns.
  auto cutColumns = [&] {
    int64_t several = 4;
    while (several > 1 && !cutter.isEnough(n, several * panel))
      --several;
    if (panel == blocking.panel)
      cutter.cut(n, panel, std::max(several * panel, shortestRun(op, rows, target)));
  };
  // An A of one block of rows, or one that leaves most of the second cache to others, may be read
  // by every task, so that each part of a B that does not stay there is read by one.
  int64_t bytesOfA = bytesOf(op.getA().getType());
  bool isBlock = rows <= blocking.mc && bytesOfA <= l2;
  if ((isBlock || bytesOfA <= l2 / 4) && bytesOf(op.getB().getType()) > l2 / 4 &&
      cutter.isEnough(n, panel))
    cutColumns();
  cutRows(blocking.mc / 2);
  cutColumns();
  cutRows(2 * blocking.mr);
}

/// Whether an operand that the result is moved through along lies along another loop: both are read
/// and written in squares then.
bool isTransposed(linalg::LinalgOp op, unsigned loop) {
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned innermost = result.getDimPosition(result.getNumResults() - 1);
  return loop != innermost && op.getNumReductionLoops() == 0 &&
         llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap map) {
           return map.getNumResults() > 0 && map.isFunctionOfDim(innermost) &&
                  map.getResults().back() == getAffineDimExpr(loop, map.getContext());
         });
}

/// Whether the operation, or one whose result it reads and that is cut together with it, reads its
/// operands through windows.
bool hasWindows(linalg::LinalgOp op) {
  return readsThroughWindows(op) || llvm::any_of(op->getOperands(), [](Value operand) {
           auto producer = operand.getDefiningOp<linalg::LinalgOp>();
           return producer && readsThroughWindows(producer);
         });
}

/// Whether all tiles of a loop need what a reduction makes: cut along it, they have to be apart
/// from the reduction.
bool needsWholeSums(linalg::LinalgOp op, unsigned loop) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    auto producer = input->get().getDefiningOp<linalg::LinalgOp>();
    return producer && producer.getNumReductionLoops() > 0 &&
           !op.getMatchingIndexingMap(input).isFunctionOfDim(loop);
  });
}

/// Rows that are worked on together: short ones that are reduced, by the operation or by one whose
/// result it reads (kgen-cache-tiling). Tiles of a number of them that has no divisors would have
/// them one by one.
int64_t rowsTogether(linalg::LinalgOp op) {
  constexpr int64_t together = 16, longestRow = 256, fewestRows = 64 * together;
  auto reducesRows = [&](linalg::LinalgOp member) {
    if (member.getNumReductionLoops() != 1 ||
        member.getIteratorTypesArray().back() != utils::IteratorType::reduction ||
        member.getStaticLoopRanges().back() > longestRow)
      return false;
    auto rows = cast<RankedTensorType>(member->getResult(0).getType()).getShape();
    return !rows.empty() && rows.back() >= fewestRows;
  };
  auto readsRows = [&](Value operand) {
    auto producer = operand.getDefiningOp<linalg::LinalgOp>();
    return producer && producer->getNumResults() == 1 && reducesRows(producer);
  };
  return reducesRows(op) || llvm::any_of(op->getOperands(), readsRows) ? together : 1;
}

/// The only dimension of a result. Where rows that lie apart are reduced, pieces of some pages
/// each, in which memory is fast, or as long as there are tasks enough.
void cutRow(Cutter &cutter, linalg::LinalgOp op, unsigned loop, int64_t rows) {
  constexpr int64_t lines = 64, longRun = 32 * pageBytes, fewTasks = 4;
  if (op.getNumReductionLoops() == 0)
    return cutter.cut(loop, lines, lines);
  if (op.getIteratorTypesArray().back() == utils::IteratorType::reduction)
    return cutter.cut(loop, rows, rows);
  int64_t run = longRun / bytesOfElement(op->getResult(0).getType()),
          all = op.getStaticLoopRanges()[loop];
  while (run > lines && all / run < fewTasks)
    run /= 2;
  cutter.cut(loop, run > lines ? lines : rows, run);
}

/// Outer dimensions of the result as they are; the innermost one only if it is the only one, in
/// whole cache lines if each element is little work. Several lines of what is transposed.
void cutLoops(Cutter &cutter, linalg::LinalgOp op, TargetAttr target) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned rank = map.getNumResults();
  // Windows keep whole rows of pixels: they know where a row begins and ends.
  bool keepsRows = rank > 2 && hasWindows(op);
  constexpr int64_t lines = 128;
  SmallVector<unsigned> transposed, around;
  int64_t inner = map.getNumDims() == 0 ? 0 : op.getStaticLoopRanges().back(),
          rows = rowsTogether(op);
  for (unsigned position = 0; position + (keepsRows ? 2 : 1) < rank; ++position) {
    unsigned loop = map.getDimPosition(position);
    // An inner loop whose dimension is an outer one of the result, as that of panels: long runs.
    constexpr int64_t run = 256;
    int64_t least = loop > position ? llvm::divideCeil(run, std::max<int64_t>(inner, 1)) : 1;
    if (isTransposed(op, loop))
      transposed.push_back(loop);
    else if (needsWholeSums(op, loop))
      around.push_back(loop);
    else
      cutter.cut(loop, position + 2 == rank ? rows : 1, least);
  }
  // Columns keep their sums, and what is made of them, in one task: short pieces of rows if the
  // second cache keeps them, or else pages, in which memory is fast.
  constexpr int64_t leastColumns = 256;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t width = bytesOfElement(op->getResult(0).getType()), bytes = leastColumns * width;
  for (unsigned loop : around)
    bytes *= sizes[loop];
  if (!around.empty()) {
    unsigned last = map.getDimPosition(rank - 1);
    int64_t inPage = pageBytes / width;
    if (cutter.tasks() == 1 && 2 * bytes <= target.getL2())
      cutter.cut(last, leastColumns, leastColumns);
    else if (2 * bytes > target.getL2() && cutter.isEnough(last, inPage))
      cutter.cut(last, inPage, inPage);
  }
  // Not where unequal tiles of others make tasks.
  for (unsigned loop : around)
    if (cutter.tasks() == 1 && !cutter.isEven())
      cutter.cut(loop, 1, 1);
  for (unsigned loop : transposed)
    cutter.cut(loop, 16, lines);
  bool isOneRow = rank > 0 && llvm::all_of(map.getResults().drop_back(), [&](AffineExpr outer) {
                    return sizes[cast<AffineDimExpr>(outer).getPosition()] == 1;
                  });
  if (isOneRow && !keepsRows && transposed.empty() && around.empty())
    cutRow(cutter, op, map.getDimPosition(rank - 1), rows);
  else if (!transposed.empty() && !keepsRows)
    cutter.cut(map.getDimPosition(rank - 1), 64, 4 * lines);
}

/// Whether what a tile writes without a gap of a large result is so short that memory is not
/// fetched ahead by itself for most of it.
bool hasShortRuns(Operation *op, ArrayRef<int64_t> tiles, TargetAttr target) {
  constexpr int64_t fewPages = 4;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || bytesOf(op->getResult(0).getType()) <= target.getL2())
    return false;
  AffineMap map = linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  SmallVector<int64_t> sizes = linalgOp.getStaticLoopRanges();
  int64_t run = bytesOfElement(op->getResult(0).getType());
  bool isCut = false, hasGaps = false;
  for (unsigned position = map.getNumResults(); position-- > 0;) {
    unsigned loop = map.getDimPosition(position);
    int64_t size = tiles[loop] ? tiles[loop] : sizes[loop];
    if (isCut)
      hasGaps |= size != 1;
    else
      run *= size;
    isCut |= tiles[loop] != 0;
  }
  return hasGaps && run < fewPages * pageBytes;
}

} // namespace

SmallVector<int64_t> loopSizes(Operation *op) {
  if (auto tile = dyn_cast<tpp::TileOpInterface>(op))
    return tile.getIterationSizes();
  return cast<linalg::LinalgOp>(op).getStaticLoopRanges();
}

bool readsThroughWindows(linalg::LinalgOp op) {
  return llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return !map.isProjectedPermutation(/*allowZeroInResults=*/true);
  });
}

int64_t workOf(Operation *op) {
  if (auto tile = dyn_cast<tpp::TileOpInterface>(op)) {
    // Few rows take as long as their operands need to come: what is read counts.
    int64_t bytes = 0;
    for (Type type : op->getOperandTypes())
      bytes += isa<ShapedType>(type) ? bytesOf(type) : 0;
    return std::max(tile.getFlops(), isa<tpp::ContractionOpInterface>(op) ? 4 * bytes : 0);
  }
  auto linalgOp = cast<linalg::LinalgOp>(op);
  int64_t steps = costOfMove;
  for (Operation &inner : linalgOp.getBlock()->without_terminator())
    steps += inner.getDialect()->getNamespace() == "arith" ? 2 : 50;
  SmallVector<int64_t> ranges = linalgOp.getStaticLoopRanges();
  return std::accumulate(ranges.begin(), ranges.end(), steps, std::multiplies<>());
}

SmallVector<int64_t> taskTiles(Operation *op, int64_t tasks, TargetAttr target) {
  if (auto tiles = tasks > 1 ? depthwiseLayoutTiles(op, target) : std::nullopt)
    return *tiles;
  auto cut = [&](bool evenly) {
    Cutter cutter(op, std::min(mostTasks, tasks), evenly);
    if (auto contraction = dyn_cast<tpp::ContractionOpInterface>(op))
      cutContraction(cutter, contraction, target);
    else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      cutLoops(cutter, linalgOp, target);
    return cutter;
  };
  // Equal tiles are one grid: the others only where they make more tasks, or longer runs.
  Cutter even = cut(/*evenly=*/true);
  if (even.isDone() && !hasShortRuns(op, even.result(), target))
    return even.result();
  Cutter uneven = cut(/*evenly=*/false);
  bool isBetter = even.isDone() ? uneven.isDone() && !hasShortRuns(op, uneven.result(), target)
                                : uneven.tasks() > even.tasks();
  return (isBetter ? uneven : even).result();
}

AffineMap operandMap(Operation *op, unsigned number) {
  if (auto contraction = dyn_cast<tpp::ContractionOpInterface>(op))
    if (number == 1 && contraction.getPanel())
      return {};
  AffineMap map;
  if (auto tile = dyn_cast<tpp::TileOpInterface>(op))
    map = tile.getOperandMap(number);
  else
    map = cast<linalg::LinalgOp>(op).getMatchingIndexingMap(&op->getOpOperand(number));
  return map.isProjectedPermutation() ? map : AffineMap();
}

/// Whether a part of the loops reads a part of each operand that is known from where the loops
/// are: not so where indices are divided, as those of blocks of weights are. Channels of groups are
/// not cut.
static bool readsSlices(linalg::LinalgOp op) {
  return llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return llvm::all_of(map.getResults(), [&](AffineExpr index) {
      return isa<AffineConstantExpr>(index) || tpp::linearCoefficients(index, map.getNumDims()) ||
             tpp::IndexInGroup::of(index);
    });
  });
}

bool dividesLoop(Operation *op, unsigned loop) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && llvm::any_of(linalgOp.getIndexingMapsArray(), [&](AffineMap map) {
           return llvm::any_of(map.getResults(), [&](AffineExpr index) {
             auto inGroup = tpp::IndexInGroup::of(index);
             return inGroup && inGroup->channel == loop;
           });
         });
}

bool isTileable(Operation *op) {
  if (!isa<tpp::TileOpInterface, linalg::LinalgOp>(op) || op->getNumResults() != 1)
    return false;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (linalgOp && (!linalgOp.hasPureTensorSemantics() || !readsSlices(linalgOp)))
    return false;
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto hasStaticShape = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  return result && llvm::all_of(op->getOperandTypes(), hasStaticShape) &&
         result.getNumElements() > 0 && operandMap(op, op->getNumOperands() - 1);
}

} // namespace kgen
