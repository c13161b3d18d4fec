// Rows whose number is known at run time: whole register tiles, and kernels for what these leave.
#include "transforms/macrokernel/MacroKernel.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {

/// Returns where whole tiles end, and the tiles of what they leave (RowTiles::remainders).
MacroKernel::DynamicRemainder MacroKernel::dynamicRemainder(Value rows, int64_t tileRows) {
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
  DynamicRemainder remainders;
  remainders.endOfWhole = b.createOrFold<arith::SubIOp>(loc, rows, left);
  remainders.tiles = select(isNone, index(0), select(single, index(1), index(2)));
  remainders.areAll = areFew;
  remainders.first = select(single, left, half);
  remainders.other = b.createOrFold<arith::SubIOp>(loc, left, half);
  return remainders;
}

/// Whole tiles, then what they leave. What they share in prefetching is divided by their number.
void MacroKernel::emitDynamicRowLoop(SmallVector<Value> indices, const RowBlock &rows,
                                     const NBlocks &columns, const BlockTiles &block,
                                     const KBlock &depth, size_t numberOfK) {
  const RowTiles &tiles = block.tiles.front();
  int64_t tileRows = tiles.rows.front().size;
  DynamicRemainder remainders{rows.rows, {}, {}, {}, {}};
  if (!tiles.remainders.empty())
    remainders = dynamicRemainder(rows.rows, tileRows);
  PrefetchTarget prefetch =
      targetOf(block.prefetches[numberOfK], indices, rows, columns.width(), depth);
  repeatTo(remainders.endOfWhole, tileRows, [&](Value i) {
    PrefetchTarget own = prefetch;
    own.rowOfA = i;
    addShare(own, i, rows.rows, tileRows, columns);
    emitTileLoop(indices, add(rows.start, i), tileRows, columns.tileColumns, columns.tiles, depth,
                 own);
  });
  if (!tiles.remainders.empty())
    emitRemainderRows(indices, rows, columns, block, depth, numberOfK, remainders);
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
void MacroKernel::emitRemainderRows(SmallVector<Value> indices, const RowBlock &rows,
                                    const NBlocks &columns, const BlockTiles &block,
                                    const KBlock &depth, size_t numberOfK,
                                    const DynamicRemainder &remainders) {
  const RowTiles &tiles = block.tiles.front();
  const RemainderPrefetchPlans &plans = block.remainderPrefetches[numberOfK];
  PrefetchTarget prefetch =
      remainderTarget(plans, remainders.areAll, indices, rows, columns.width(), depth);
  SmallVector<int64_t> counts;
  for (const RemainderTile &remainder : tiles.remainders)
    counts.push_back(remainder.rows);
  repeatTo(remainders.tiles, 1, [&](Value number) {
    Value isFirst = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, number, index(0));
    auto either = [&](Value x, Value y) {
      return b.createOrFold<arith::SelectOp>(loc, isFirst, x, y);
    };
    Value row = add(remainders.endOfWhole, either(index(0), remainders.first));
    addShare(prefetch, row, rows.rows, tiles.rows.front().size, columns);
    if (prefetch.share && columns.tiles > 1) { // each of them reads its own panel from end to end
      auto ifAll = [&](Value x, Value y) {
        return b.createOrFold<arith::SelectOp>(loc, remainders.areAll, x, y);
      };
      prefetch.share = ifAll(index(prefetch.elements), prefetch.share);
      prefetch.nextShare = ifAll(index(0), prefetch.nextShare);
    }
    auto kinds = scf::IndexSwitchOp::create(
        b, loc, TypeRange(), either(remainders.first, remainders.other), counts, counts.size());
    OpBuilder::InsertionGuard guard(b);
    for (auto [remainder, region] : llvm::zip_equal(tiles.remainders, kinds.getCaseRegions())) {
      b.createBlock(&region);
      PrefetchTarget own = remainder.rows <= plans.maxFewRows
                               ? targetOf(plans.few, indices, rows, columns.width(), depth)
                               : prefetch;
      own.isTail = true;
      own.elementsPerRow = llvm::divideCeil(own.elements, remainder.rows);
      emitTileLoop(indices, add(rows.start, row), remainder.rows, remainder.tileColumns,
                   remainder.tiles, depth, own);
      scf::YieldOp::create(b, loc);
    }
    b.createBlock(&kinds.getDefaultRegion());
    scf::YieldOp::create(b, loc);
  });
}

} // namespace kgen
