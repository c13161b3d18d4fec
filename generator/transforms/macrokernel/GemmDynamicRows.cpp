// Rows whose number is known at run time: whole register tiles, and kernels for what these leave.
#include "transforms/macrokernel/MacroKernel.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {

/// Returns where whole tiles end, and the tiles of what they leave (RowTiles::rests).
MacroKernel::DynamicRests MacroKernel::dynamicRests(Value rows, int64_t tileRows) {
  auto compare = [&](arith::CmpIPredicate predicate, Value x, int64_t y) {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, x, index(y));
  };
  auto select = [&](Value condition, Value x, Value y) {
    return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
  };
  using arith::CmpIPredicate;
  Value left = b.createOrFold<arith::RemUIOp>(loc, rows, index(tileRows)),
        areFew = compare(CmpIPredicate::ult, rows, tileRows),
        isOne = b.createOrFold<arith::OrIOp>(loc, areFew,
                                             compare(CmpIPredicate::eq, left, tileRows - 1)),
        isNone = compare(CmpIPredicate::eq, left, 0),
        single = b.createOrFold<arith::OrIOp>(loc, isOne, isNone);
  left = select(single, left, add(left, index(tileRows)));
  Value half = b.createOrFold<arith::CeilDivUIOp>(loc, left, index(2));
  DynamicRests rests;
  rests.endOfWhole = b.createOrFold<arith::SubIOp>(loc, rows, left);
  rests.tiles = select(isNone, index(0), select(single, index(1), index(2)));
  rests.areAll = areFew;
  rests.first = select(single, left, half);
  rests.other = b.createOrFold<arith::SubIOp>(loc, left, half);
  return rests;
}

/// Whole tiles, then what they leave. What they share in prefetching is divided by their number.
void MacroKernel::overDynamicRows(SmallVector<Value> indices, const RowBlock &rows,
                                  const NBlocks &columns, const BlockTiles &block,
                                  const KBlock &depth, size_t numberOfK) {
  const RowTiles &tiles = block.tiles.front();
  int64_t tileRows = tiles.rows.front().size;
  DynamicRests rests{rows.rows, {}, {}, {}, {}};
  if (!tiles.rests.empty())
    rests = dynamicRests(rows.rows, tileRows);
  PrefetchTarget prefetch =
      targetOf(block.prefetches[numberOfK], indices, rows, columns.width(), depth);
  repeatTo(rests.endOfWhole, tileRows, [&](Value i) {
    PrefetchTarget own = prefetch;
    own.rowOfA = i;
    addShare(own, i, rows.rows, tileRows, columns);
    overTilesOfRows(indices, add(rows.start, i), tileRows, columns.tileColumns, columns.tiles,
                    depth, own);
  });
  if (!tiles.rests.empty())
    overRests(indices, rows, columns, block, depth, numberOfK, rests);
}

/// The share of the tiles from `row` on: the same of each tile, as if all were whole.
void MacroKernel::addShare(PrefetchTarget &prefetch, Value row, Value rows, int64_t tileRows,
                           const NBlocks &columns) {
  if (prefetch.elements == 0)
    return;
  auto tilesOf = [&](Value numRows) {
    return scale(b.createOrFold<arith::CeilDivUIOp>(loc, numRows, index(tileRows)), columns.tiles);
  };
  prefetch.share = b.createOrFold<arith::CeilDivUIOp>(loc, index(prefetch.elements), tilesOf(rows));
  prefetch.startOfShare = b.createOrFold<arith::MulIOp>(loc, prefetch.share, tilesOf(row));
  prefetch.nextShare = prefetch.share;
}

/// One kernel for each number of rows that may remain, in a loop over the two tiles at most.
void MacroKernel::overRests(SmallVector<Value> indices, const RowBlock &rows,
                            const NBlocks &columns, const BlockTiles &block, const KBlock &depth,
                            size_t numberOfK, const DynamicRests &rests) {
  const RowTiles &tiles = block.tiles.front();
  const RestPrefetchPlans &plans = block.ofRests[numberOfK];
  PrefetchTarget prefetch =
      targetOfRests(plans, rests.areAll, indices, rows, columns.width(), depth);
  SmallVector<int64_t> counts;
  for (const RestTile &rest : tiles.rests)
    counts.push_back(rest.rows);
  repeatTo(rests.tiles, 1, [&](Value number) {
    Value isFirst = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, number, index(0));
    auto either = [&](Value x, Value y) {
      return b.createOrFold<arith::SelectOp>(loc, isFirst, x, y);
    };
    Value row = add(rests.endOfWhole, either(index(0), rests.first));
    addShare(prefetch, row, rows.rows, tiles.rows.front().size, columns);
    if (prefetch.share && columns.tiles > 1) { // each of them reads its own panel from end to end
      auto ifAll = [&](Value x, Value y) {
        return b.createOrFold<arith::SelectOp>(loc, rests.areAll, x, y);
      };
      prefetch.share = ifAll(index(prefetch.elements), prefetch.share);
      prefetch.nextShare = ifAll(index(0), prefetch.nextShare);
    }
    auto kinds = scf::IndexSwitchOp::create(b, loc, TypeRange(), either(rests.first, rests.other),
                                            counts, counts.size());
    OpBuilder::InsertionGuard guard(b);
    for (auto [rest, region] : llvm::zip_equal(tiles.rests, kinds.getCaseRegions())) {
      b.createBlock(&region);
      PrefetchTarget own = rest.rows <= plans.maxFewRows
                               ? targetOf(plans.few, indices, rows, columns.width(), depth)
                               : prefetch;
      own.isOfRest = true;
      own.elementsPerRow = llvm::divideCeil(own.elements, rest.rows);
      overTilesOfRows(indices, add(rows.start, row), rest.rows, rest.tileColumns, rest.tiles, depth,
                      own);
      scf::YieldOp::create(b, loc);
    }
    b.createBlock(&kinds.getDefaultRegion());
    scf::YieldOp::create(b, loc);
  });
}

} // namespace kgen
