#include "transforms/buffers/Prefetches.h"

#include "dialect/kgen/Decisions.h"
#include "transforms/buffers/MemoryViews.h"

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

scf::ForOp loopOverParts(Value part) {
  auto view = partOf(part).getDefiningOp<memref::SubViewOp>();
  auto loop = view ? dyn_cast<scf::ForOp>(view->getParentOp()) : scf::ForOp();
  return loop && llvm::is_contained(view.getOffsets(), loop.getInductionVar()) ? loop
                                                                               : scf::ForOp();
}

Value nextPart(scf::ForOp loop, Value part) {
  if (partOf(part) != part) {
    auto flat = part.getDefiningOp<memref::CollapseShapeOp>();
    Value next = nextPart(loop, flat.getSrc());
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

static void prefetchBlock(OpBuilder &b, Value block, bool isWrite) {
  Location loc = block.getLoc();
  auto type = cast<MemRefType>(block.getType());
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
  auto over = [&](int64_t size, int64_t step) {
    auto lines = scf::ForOp::create(b, loc, index(0), index(size), index(step));
    b.setInsertionPointToStart(lines.getBody());
    return lines.getInductionVar();
  };
  int64_t inLine = elementsInLine(block);
  Value row = over(type.getDimSize(0), 1), column = over(type.getDimSize(1), inLine);
  prefetchLines(b, loc, block, {row, column}, inLine, {isWrite, fromSecondCache});
}

void prefetchBlocks(scf::ForOp loop, int64_t cache) {
  for (auto view : llvm::make_early_inc_range(loop.getOps<memref::SubViewOp>())) {
    MemRefType type = view.getType();
    bool isBlock = type.getRank() == 2 && type.hasStaticShape() && type.isLastDimUnitStride() &&
                   loopOverParts(view) == loop && bytesOfWhole(view) > cache &&
                   llvm::all_of(view->getOperands(), [&](Value v) {
                     return v == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(v);
                   });
    bool isRead = llvm::all_of(view->getUsers(), llvm::IsaPred<vector::TransferReadOp>),
         isWritten = llvm::all_of(view->getUsers(), llvm::IsaPred<vector::TransferWriteOp>);
    if (!isBlock || (!isRead && !isWritten))
      continue;
    OpBuilder b(view->getNextNode());
    Value block = isRead ? nextPart(loop, view) : view;
    b.setInsertionPointAfter(block.getDefiningOp());
    prefetchBlock(b, block, isWritten);
  }
}

} // namespace kgen
