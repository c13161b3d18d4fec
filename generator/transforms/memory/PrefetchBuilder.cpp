#include "transforms/memory/PrefetchBuilder.h"

#include "dialect/kgen/TypeSizes.h"
#include "transforms/analysis/ViewSource.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {

static int64_t elementsInLine(Value memory) {
  return std::max<int64_t>(lineBytes / bytesOfElement(memory.getType()), 1);
}

void prefetchLines(OpBuilder &b, Location loc, Value memory, ValueRange place, int64_t elements,
                   PrefetchKind kind) {
  int64_t inLine = elementsInLine(memory);
  for (int64_t first = 0; first < elements; first += inLine) {
    SmallVector<Value> line(place);
    if (first != 0)
      line.back() =
          arith::AddIOp::create(b, loc, line.back(), arith::ConstantIndexOp::create(b, loc, first));
    memref::PrefetchOp::create(b, loc, memory, line, kind.isWrite, kind.locality,
                               /*isDataCache=*/true);
  }
}

Value partOf(Value memory) {
  auto flat = memory.getDefiningOp<memref::CollapseShapeOp>();
  return flat && flat.getSrc().getDefiningOp<memref::SubViewOp>() ? flat.getSrc() : memory;
}

scf::ForOp loopOverSlices(Value part) {
  auto view = partOf(part).getDefiningOp<memref::SubViewOp>();
  auto loop = view ? dyn_cast<scf::ForOp>(view->getParentOp()) : scf::ForOp();
  return loop && llvm::is_contained(view.getOffsets(), loop.getInductionVar()) ? loop
                                                                               : scf::ForOp();
}

Value nextSlice(scf::ForOp loop, Value part) {
  if (partOf(part) != part) {
    auto flat = part.getDefiningOp<memref::CollapseShapeOp>();
    Value next = nextSlice(loop, flat.getSrc());
    OpBuilder b(flat->getNextNode());
    IRMapping mapping;
    mapping.map(flat.getSrc(), next);
    return b.clone(*flat, mapping)->getResult(0);
  }
  auto view = part.getDefiningOp<memref::SubViewOp>();
  OpBuilder b(view->getContext());
  b.setInsertionPointAfter(view);
  Location loc = view.getLoc();
  Value i = loop.getInductionVar();
  Value next = arith::AddIOp::create(b, loc, i, loop.getStep());
  IRMapping mapping;
  mapping.map(i, next);
  // Behind the last one is the first one of the next step around.
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

/// Loops inside each other, the last of which computes functions of vectors.
struct Nest {
  SmallVector<scf::ForOp> loops;
  int64_t steps = 1;
};

/// The lines of a block of rows, asked for in loops of their own, or some in each step of a nest.
class BlockLines {
public:
  BlockLines(OpBuilder &b, Value block)
      : b(b), loc(block.getLoc()), block(block), inLine(elementsInLine(block)),
        rows(typeOf(block).getDimSize(0)),
        inRow(llvm::divideCeil(typeOf(block).getDimSize(1), inLine)) {}

  int64_t count() const { return rows * inRow; }
  void askForAll(bool isWrite);
  void askForSome(Nest &nest, bool isWrite);

private:
  static MemRefType typeOf(Value block) { return cast<MemRefType>(block.getType()); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value times(Value x, int64_t y) { return arith::MulIOp::create(b, loc, x, index(y)); }
  Value over(Value x, int64_t y) { return arith::DivUIOp::create(b, loc, x, index(y)); }
  void ask(Value row, Value column, bool isWrite) {
    prefetchLines(b, loc, block, {row, column}, inLine, {isWrite, localityL2});
  }

  OpBuilder &b;
  Location loc;
  Value block;
  int64_t inLine, rows, inRow; ///< elements, rows, lines
};

} // namespace

void BlockLines::askForAll(bool isWrite) {
  auto over = [&](int64_t size, int64_t step) {
    auto lines = scf::ForOp::create(b, loc, index(0), index(size), index(step));
    b.setInsertionPointToStart(lines.getBody());
    return lines.getInductionVar();
  };
  Value row = over(rows, 1), column = over(inRow * inLine, inLine);
  ask(row, column, isWrite);
}

void BlockLines::askForSome(Nest &nest, bool isWrite) {
  b.setInsertionPointToStart(nest.loops.back().getBody());
  Value step = index(0);
  for (scf::ForOp loop : nest.loops) {
    Value own = arith::SubIOp::create(b, loc, loop.getInductionVar(), loop.getLowerBound());
    own = arith::DivUIOp::create(b, loc, own, loop.getStep());
    step = times(step, loop.getStaticTripCount()->getSExtValue());
    step = arith::AddIOp::create(b, loc, step, own);
  }
  int64_t inStep = llvm::divideCeil(count(), nest.steps);
  Value first = inStep > 1 ? times(step, inStep) : over(step, nest.steps / count());
  for (int64_t i = 0; i < inStep; ++i) {
    Value line = arith::AddIOp::create(b, loc, first, index(i));
    line = arith::MinUIOp::create(b, loc, line, index(count() - 1));
    Value column = arith::RemUIOp::create(b, loc, line, index(inRow));
    ask(over(line, inRow), times(column, inLine), isWrite);
  }
}

/// The first nest in the loop's body, behind `op`.
static std::optional<Nest> nestBehind(Operation *op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    Nest nest;
    for (auto loop = dyn_cast<scf::ForOp>(next); loop && loop.getStaticTripCount();) {
      nest.loops.push_back(loop);
      nest.steps *= loop.getStaticTripCount()->getSExtValue();
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

void prefetchBlocks(scf::ForOp loop, int64_t cache) {
  constexpr int64_t mostInStep = 2;
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
    if (nest && lines.count() <= mostInStep * nest->steps)
      lines.askForSome(*nest, isWritten);
    else
      lines.askForAll(isWritten);
  }
}

} // namespace kgen
