#include "transforms/memory/PrefetchBuilder.h"

#include "analysis/ViewSource.h"
#include "costmodel/PrefetchPlan.h"
#include "dialect/kgen/TypeSizes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {

static int64_t elementsInLine(OpBuilder &b, Value memory) {
  int64_t line = cpuOf(b.getInsertionBlock()->getParentOp()).lineBytes;
  return std::max<int64_t>(line / bytesOfElement(memory.getType()), 1);
}

void prefetchLines(OpBuilder &b, Location loc, Value memory, ValueRange indices, int64_t elements,
                   PrefetchKind kind) {
  int64_t inLine = elementsInLine(b, memory);
  for (int64_t first = 0; first < elements; first += inLine) {
    SmallVector<Value> line(indices);
    if (first != 0)
      line.back() =
          arith::AddIOp::create(b, loc, line.back(), arith::ConstantIndexOp::create(b, loc, first));
    memref::PrefetchOp::create(b, loc, memory, line, kind.isWrite, kind.locality,
                               /*isDataCache=*/true);
  }
}

Value sliceOf(Value memory) {
  auto flat = memory.getDefiningOp<memref::CollapseShapeOp>();
  return flat && flat.getSrc().getDefiningOp<memref::SubViewOp>() ? flat.getSrc() : memory;
}

scf::ForOp loopOverSlices(Value slice) {
  auto view = sliceOf(slice).getDefiningOp<memref::SubViewOp>();
  auto loop = view ? dyn_cast<scf::ForOp>(view->getParentOp()) : scf::ForOp();
  return loop && llvm::is_contained(view.getOffsets(), loop.getInductionVar()) ? loop
                                                                               : scf::ForOp();
}

Value nextSlice(scf::ForOp loop, Value slice) {
  if (sliceOf(slice) != slice) {
    auto flat = slice.getDefiningOp<memref::CollapseShapeOp>();
    Value next = nextSlice(loop, flat.getSrc());
    OpBuilder b(flat->getNextNode());
    IRMapping mapping;
    mapping.map(flat.getSrc(), next);
    return b.clone(*flat, mapping)->getResult(0);
  }
  auto view = slice.getDefiningOp<memref::SubViewOp>();
  OpBuilder b(view->getContext());
  b.setInsertionPointAfter(view);
  Location loc = view.getLoc();
  Value i = loop.getInductionVar();
  Value next = arith::AddIOp::create(b, loc, i, loop.getStep());
  IRMapping mapping;
  mapping.map(i, next);
  // The last slice is followed by the first one of the outer loop's next iteration.
  auto around = dyn_cast<scf::ForOp>(loop->getParentOp());
  if (around && llvm::is_contained(view.getOffsets(), around.getInductionVar())) {
    Value outer = around.getInductionVar();
    Value isLast =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, next, loop.getUpperBound());
    Value further = arith::AddIOp::create(b, loc, outer, around.getStep());
    mapping.map(i, arith::SelectOp::create(b, loc, isLast, loop.getLowerBound(), next).getResult());
    mapping.map(outer, arith::SelectOp::create(b, loc, isLast, further, outer).getResult());
  }
  return b.clone(*view, mapping)->getResult(0);
}

namespace {

/// Nested loops, the innermost of which computes mathematical functions of vectors.
struct Nest {
  SmallVector<scf::ForOp> loops;
  int64_t iterations = 1;
};

/// Prefetches the lines of a block of rows, in loops of their own or some in each iteration of a
/// nest.
class BlockLines {
public:
  BlockLines(OpBuilder &b, Value block)
      : b(b), loc(block.getLoc()), block(block), inLine(elementsInLine(b, block)),
        rows(typeOf(block).getDimSize(0)),
        inRow(llvm::divideCeil(typeOf(block).getDimSize(1), inLine)) {}

  int64_t count() const { return rows * inRow; }
  void prefetchAll(bool isWrite);
  void prefetchInNest(Nest &nest, const BlockPrefetchPlan &plan, bool isWrite);

private:
  static MemRefType typeOf(Value block) { return cast<MemRefType>(block.getType()); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value times(Value x, int64_t y) { return arith::MulIOp::create(b, loc, x, index(y)); }
  Value over(Value x, int64_t y) { return arith::DivUIOp::create(b, loc, x, index(y)); }
  void prefetchLine(Value row, Value column, bool isWrite) {
    prefetchLines(b, loc, block, {row, column}, inLine, {isWrite, localityL2});
  }

  OpBuilder &b;
  Location loc;
  Value block;
  int64_t inLine; ///< elements in a line
  int64_t rows;   ///< of the block
  int64_t inRow;  ///< lines in a row
};

} // namespace

void BlockLines::prefetchAll(bool isWrite) {
  auto over = [&](int64_t size, int64_t step) {
    auto lines = scf::ForOp::create(b, loc, index(0), index(size), index(step));
    b.setInsertionPointToStart(lines.getBody());
    return lines.getInductionVar();
  };
  Value row = over(rows, 1), column = over(inRow * inLine, inLine);
  prefetchLine(row, column, isWrite);
}

void BlockLines::prefetchInNest(Nest &nest, const BlockPrefetchPlan &plan, bool isWrite) {
  b.setInsertionPointToStart(nest.loops.back().getBody());
  Value iteration = index(0);
  for (scf::ForOp loop : nest.loops) {
    Value own = arith::SubIOp::create(b, loc, loop.getInductionVar(), loop.getLowerBound());
    own = arith::DivUIOp::create(b, loc, own, loop.getStep());
    iteration = times(iteration, loop.getStaticTripCount()->getSExtValue());
    iteration = arith::AddIOp::create(b, loc, iteration, own);
  }
  Value first = plan.linesPerIteration > 1 ? times(iteration, plan.linesPerIteration)
                                           : over(iteration, plan.iterationsPerLine);
  for (int64_t i = 0; i < plan.linesPerIteration; ++i) {
    Value line = arith::AddIOp::create(b, loc, first, index(i));
    line = arith::MinUIOp::create(b, loc, line, index(count() - 1));
    Value column = arith::RemUIOp::create(b, loc, line, index(inRow));
    prefetchLine(over(line, inRow), times(column, inLine), isWrite);
  }
}

/// The first such nest after `op` in its block.
static std::optional<Nest> nestBehind(Operation *op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    Nest nest;
    for (auto loop = dyn_cast<scf::ForOp>(next); loop && loop.getStaticTripCount();) {
      nest.loops.push_back(loop);
      nest.iterations *= loop.getStaticTripCount()->getSExtValue();
      auto inner = loop.getOps<scf::ForOp>();
      loop = llvm::hasSingleElement(inner) ? *inner.begin() : scf::ForOp();
    }
    if (!nest.loops.empty() && llvm::any_of(*nest.loops.back().getBody(), [](Operation &inner) {
          return isMathFunction(&inner);
        }))
      return nest;
  }
  return std::nullopt;
}

int64_t prefetchBlocks(scf::ForOp loop, int64_t cache) {
  int64_t found = 0;
  for (auto view : llvm::make_early_inc_range(loop.getOps<memref::SubViewOp>())) {
    MemRefType type = view.getType();
    bool isBlock = type.getRank() == 2 && type.hasStaticShape() && type.isLastDimUnitStride() &&
                   loopOverSlices(view) == loop && bytesOfSource(view) > cache &&
                   llvm::all_of(view->getOperands(), [&](Value v) {
                     return v == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(v);
                   });
    bool isRead = llvm::all_of(view->getUsers(), llvm::IsaPred<vector::TransferReadOp>),
         isWritten = llvm::all_of(view->getUsers(), llvm::IsaPred<vector::TransferWriteOp>);
    if (!isBlock || (!isRead && !isWritten))
      continue;
    OpBuilder b(view->getNextNode());
    Value block = isRead ? nextSlice(loop, view) : view;
    b.setInsertionPointAfter(block.getDefiningOp());
    BlockLines lines(b, block);
    std::optional<Nest> nest = nestBehind(block.getDefiningOp());
    std::optional<BlockPrefetchPlan> plan =
        nest ? planBlockPrefetch(cpuOf(loop), lines.count(), nest->iterations) : std::nullopt;
    if (plan)
      lines.prefetchInNest(*nest, *plan, isWritten);
    else
      lines.prefetchAll(isWritten);
    ++found;
  }
  return found;
}

} // namespace kgen
