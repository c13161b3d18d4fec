// Strided copies become loops over rows; upstream would call a runtime function.
#include "analysis/SizeBounds.h"
#include "analysis/ViewSource.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/State.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/memory/Passes.h"
#include "transforms/tiling/TaskTileSizes.h"
#include "transforms/tiling/TileableOps.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERCOPIESPASS
#include "transforms/memory/Passes.h.inc"

namespace {

using Copies = SmallVector<memref::CopyOp>;

MemRefType sourceOf(memref::CopyOp copy) { return cast<MemRefType>(copy.getSource().getType()); }
MemRefType destinationOf(memref::CopyOp copy) {
  return cast<MemRefType>(copy.getTarget().getType());
}

/// True if the last dimension is contiguous on both sides, of elements of whole bytes. Bits are a
/// byte apart in memory, but not in a vector; an index has no size of its own.
bool hasContiguousRows(memref::CopyOp copy) {
  MemRefType type = sourceOf(copy);
  Type element = type.getElementType();
  bool wholeBytes = element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0;
  return wholeBytes && type.getRank() > 0 && type.isLastDimUnitStride() &&
         destinationOf(copy).isLastDimUnitStride();
}

/// Copies a row by whole vectors and a shorter one for the remainder.
void moveRow(OpBuilder &b, memref::CopyOp copy, ArrayRef<Value> indices, TargetAttr target) {
  Location loc = copy.getLoc();
  Type element = sourceOf(copy).getElementType();
  int64_t width = target ? target.lanes(element) : 4, size = sourceOf(copy).getShape().back();
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value).getResult();
  };
  auto move = [&](int64_t lanes, Value column) {
    SmallVector<Value> position(indices);
    position.push_back(column);
    auto vector = VectorType::get({lanes}, element);
    Value value = vector::TransferReadOp::create(b, loc, vector, copy.getSource(), position,
                                                 /*padding=*/std::nullopt, ArrayRef<bool>{true});
    vector::TransferWriteOp::create(b, loc, value, copy.getTarget(), position,
                                    ArrayRef<bool>{true});
  };
  int64_t whole = size / width * width;
  if (size > whole)
    move(size - whole, index(whole));
  if (whole == 0)
    return;
  auto loop = scf::ForOp::create(b, loc, index(0), index(whole), index(width));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  move(width, loop.getInductionVar());
}

/// Builds loops over all dimensions but the last, with each copy's row in them; without contiguous
/// rows loops over all dimensions of the only copy, element by element.
void lower(ArrayRef<memref::CopyOp> copies, TargetAttr target) {
  memref::CopyOp last = copies.back();
  OpBuilder b(last);
  Location loc = last.getLoc();
  bool rows = hasContiguousRows(last);
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value).getResult();
  };
  SmallVector<Value> indices;
  for (int64_t dim = 0, loops = sourceOf(last).getRank() - (rows ? 1 : 0); dim < loops; ++dim) {
    Value size = getValueOrCreateConstantIndexOp(b, loc, sizeOf(b, loc, last.getSource(), dim));
    auto loop = scf::ForOp::create(b, loc, index(0), size, index(1));
    indices.push_back(loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }
  if (!rows) {
    Value element = memref::LoadOp::create(b, loc, last.getSource(), indices);
    memref::StoreOp::create(b, loc, element, last.getTarget(), indices);
    return;
  }
  for (memref::CopyOp copy : copies)
    moveRow(b, copy, indices, target);
}

/// Lowers a copy of unknown size, such as that of a border tile: element by element.
void lowerDynamic(memref::CopyOp copy) {
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value).getResult();
  };
  SmallVector<Value> indices;
  for (int64_t dim = 0; dim < sourceOf(copy).getRank(); ++dim) {
    Value size = getValueOrCreateConstantIndexOp(b, loc, sizeOf(b, loc, copy.getSource(), dim));
    auto loop = scf::ForOp::create(b, loc, index(0), size, index(1));
    indices.push_back(loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }
  Value element = memref::LoadOp::create(b, loc, copy.getSource(), indices);
  memref::StoreOp::create(b, loc, element, copy.getTarget(), indices);
  copy.erase();
}

/// True if source and target may be views of one buffer.
bool isWithinOneBuffer(memref::CopyOp copy) {
  return viewSource(copy.getSource()) == viewSource(copy.getTarget());
}

/// Of one loop: LLVM takes quadratic time for the loads and stores of a block.
constexpr size_t maxCopiesTogether = 64;

/// True if two copies, with nothing between them that accesses memory, write neighboring columns of
/// the same rows: one loop can write these rows from end to end.
bool writeNeighboringColumns(memref::CopyOp copy, memref::CopyOp next) {
  auto left = copy.getTarget().getDefiningOp<memref::SubViewOp>(),
       right = next.getTarget().getDefiningOp<memref::SubViewOp>();
  if (!left || !right || left.getSource() != right.getSource() || isWithinOneBuffer(copy) ||
      isWithinOneBuffer(next) || !sourceOf(copy).hasStaticShape() ||
      copy->getBlock() != next->getBlock() || !hasContiguousRows(copy) ||
      !hasContiguousRows(next) || sourceOf(copy).getRank() != sourceOf(next).getRank() ||
      sourceOf(copy).getShape().drop_back() != sourceOf(next).getShape().drop_back() ||
      sourceOf(copy).getRank() != left.getSourceType().getRank() ||
      ArrayRef(left.getMixedOffsets()).drop_back() != ArrayRef(right.getMixedOffsets()).drop_back())
    return false;
  for (Operation *op = copy->getNextNode(); op != next; op = op->getNextNode())
    if (!op || !isMemoryEffectFree(op))
      return false;
  return true;
}

/// Replaces a copy whose outermost dimension is known at run time by tasks of `rows` rows.
Copies splitDynamic(memref::CopyOp copy, int64_t rows) {
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  SmallVector<OpFoldResult> sizes = sizesOf(b, loc, copy.getSource()),
                            offsets(sizes.size(), b.getIndexAttr(0)),
                            steps(sizes.size(), b.getIndexAttr(1));
  auto loop = scf::ForallOp::create(b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(0)}, sizes[0],
                                    ArrayRef<OpFoldResult>{b.getIndexAttr(rows)}, ValueRange(),
                                    std::nullopt);
  b.setInsertionPointToStart(loop.getBody());
  offsets[0] = loop.getInductionVar(0);
  auto rest = AffineMap::get(
      1, 1, {b.getAffineConstantExpr(rows), b.getAffineSymbolExpr(0) - b.getAffineDimExpr(0)},
      b.getContext());
  sizes[0] = affine::makeComposedFoldedAffineMin(b, loc, rest, {offsets[0], sizes[0]});
  auto slice = [&](Value buffer) -> Value {
    return memref::SubViewOp::create(b, loc, buffer, offsets, sizes, steps);
  };
  Value from = slice(copy.getSource()), into = slice(copy.getTarget());
  auto sliced = memref::CopyOp::create(b, loc, from, into);
  copy.erase();
  return {sliced};
}

/// Splits the outermost dimension of large copies evenly into tasks. Returns the copies of slices
/// that replace them; none if the dimension has no divisor that would do.
Copies splitIntoTasks(ArrayRef<memref::CopyOp> copies, int64_t tasks) {
  memref::CopyOp last = copies.back();
  SmallVector<int64_t> shape = *greatestSizesOf(last.getSource());
  if (!sourceOf(last).hasStaticShape()) {
    int64_t count = std::min({tasks, cpuOf(last).heuristics.maxCopyTasks, shape[0]});
    bool isOutermost = sourceOf(last).isDynamicDim(0) && shape.size() > 1 && count > 1;
    return isOutermost ? splitDynamic(last, llvm::divideCeil(shape[0], count)) : Copies();
  }
  const auto *outer = llvm::find_if(shape, [](int64_t size) { return size != 1; });
  // Slices of a row are not worth a task of their own.
  if (outer == shape.end() || outer + 1 == shape.end())
    return {};
  int64_t count = std::min({tasks, cpuOf(last).heuristics.maxCopyTasks, *outer});
  while (*outer % count != 0)
    --count;
  if (count < 2)
    return {};
  OpBuilder b(last);
  Location loc = last.getLoc();
  auto loop = scf::ForallOp::create(b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(count)},
                                    ValueRange(), std::nullopt);
  b.setInsertionPointToStart(loop.getBody());
  int64_t step = *outer / count;
  size_t dimension = outer - shape.begin();
  Value first = arith::MulIOp::create(b, loc, loop.getInductionVar(0),
                                      arith::ConstantIndexOp::create(b, loc, step));
  Copies slices;
  for (memref::CopyOp copy : copies) {
    ArrayRef<int64_t> all = sourceOf(copy).getShape();
    SmallVector<OpFoldResult> offsets(all.size(), b.getIndexAttr(0)),
        sizes = getAsIndexOpFoldResult(b.getContext(), all), steps(all.size(), b.getIndexAttr(1));
    offsets[dimension] = first;
    sizes[dimension] = b.getIndexAttr(step);
    auto slice = [&](Value buffer) -> Value {
      return memref::SubViewOp::create(b, loc, buffer, offsets, sizes, steps);
    };
    Value from = slice(copy.getSource()), into = slice(copy.getTarget());
    slices.push_back(memref::CopyOp::create(b, copy.getLoc(), from, into));
  }
  for (memref::CopyOp copy : copies)
    copy.erase();
  return slices;
}

/// Returns which memory a buffer is a view of: "input", "output", "state", "workspace", "weight",
/// or "buffer".
StringRef memoryKindOf(Value buffer, func::FuncOp function) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (isa<memref::GetGlobalOp>(op))
      return "weight";
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      buffer = view.getViewSource();
    else if (auto aligned = dyn_cast<memref::AssumeAlignmentOp>(op))
      buffer = aligned.getMemref();
    else
      return "buffer";
  }
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getOwner() != &function.getBody().front())
    return "buffer";
  if (function.getArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getReadonlyAttrName()))
    return "input";
  if (function.getArgAttr(argument.getArgNumber(), stateAttrName))
    return "state";
  bool isWorkspace = function->hasAttr("kgen.workspace") &&
                     argument.getArgNumber() + 1 == function.getNumArguments();
  return isWorkspace ? "workspace" : "output";
}

/// Returns why bufferization left a copy, for `kgen explain`.
StringRef whyCopied(StringRef from, StringRef into) {
  if (into == "state")
    return from == "workspace" ? "its new value was computed elsewhere, since the old one is read "
                                 "meanwhile or has another form"
                               : "it gets the value of other memory";
  if (from == "state" && into == "workspace")
    return "the state's old value is read after it is updated, or it is read in another form";
  if (into == "output")
    return from == "workspace"
               ? "a result must be in the caller's buffer, but was computed elsewhere"
               : "a result is data that the library must not hand out";
  return from == "workspace" ? "it is overwritten while the old value is still needed"
                             : "it is overwritten, but belongs to the caller or is constant";
}

/// The buffer that `memory` is a reshape or a cast of.
Value withoutReshapes(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp>(op))
      break;
    memory = op->getOperand(0);
  }
  return memory;
}

bool isOntoItself(memref::CopyOp copy) {
  return withoutReshapes(copy.getSource()) == withoutReshapes(copy.getTarget());
}

void record(DecisionLog &log, memref::CopyOp copy, func::FuncOp function) {
  if (!log.isOn())
    return;
  StringRef from = memoryKindOf(copy.getSource(), function),
            into = memoryKindOf(copy.getTarget(), function);
  log.add("copy", copy.getLoc(),
          log.details()
              .set("from", from)
              .set("into", into)
              .set("bytes", greatestBytesOf(copy.getSource()))
              .set("why", whyCopied(from, into)));
}

struct LowerCopiesPass : impl::LowerCopiesPassBase<LowerCopiesPass> {
  using LowerCopiesPassBase::LowerCopiesPassBase;

  void runOnOperation() override {
    Copies copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    DecisionLog log(getOperation(), getArgument());
    SmallVector<Copies> groups;
    for (memref::CopyOp copy : copies) {
      bool known = hasKnownShape(copy) || hasKnownRows(copy);
      if (isOntoItself(copy) || (known && greatestElementsOf(copy.getSource()) == 0)) {
        copy.erase();
        ++numErased;
        continue;
      }
      if (!known && isRanked(copy)) {
        lowerDynamic(copy);
        ++numLoops;
        continue;
      }
      if (!known) {
        ++numKept;
        continue;
      }
      record(log, copy, getOperation());
      if (!groups.empty() && groups.back().size() < maxCopiesTogether &&
          writeNeighboringColumns(groups.back().back(), copy))
        groups.back().push_back(copy);
      else
        groups.push_back({copy});
    }
    for (Copies &group : groups)
      lowerGroup(group);
  }

private:
  static bool isRanked(memref::CopyOp copy) {
    return isa<MemRefType>(copy.getSource().getType()) &&
           isa<MemRefType>(copy.getTarget().getType());
  }

  static bool hasKnownShape(memref::CopyOp copy) {
    auto source = dyn_cast<MemRefType>(copy.getSource().getType()),
         into = dyn_cast<MemRefType>(copy.getTarget().getType());
    return source && into && source.hasStaticShape() && into.hasStaticShape();
  }

  /// True if only the number of contiguous rows is known at run time.
  static bool hasKnownRows(memref::CopyOp copy) {
    return isRanked(copy) && greatestSizesOf(copy.getSource()) && hasContiguousRows(copy) &&
           !ShapedType::isDynamic(sourceOf(copy).getShape().back());
  }

  void lowerGroup(Copies group) {
    memref::CopyOp last = group.back();
    int64_t elements = 0;
    for (memref::CopyOp copy : group)
      elements += greatestElementsOf(copy.getSource());
    int64_t tasks = taskWork > 0 ? elements * cpuOf(last).heuristics.moveCost / taskWork : 0;
    bool isContiguous =
        sourceOf(last).getLayout().isIdentity() && destinationOf(last).getLayout().isIdentity();
    Copies slices;
    if (tasks > 1 && last->getParentOp() == getOperation())
      slices = splitIntoTasks(group, tasks);
    if (!slices.empty())
      group = slices;
    else if (isContiguous) {
      ++numKept; // it becomes a memcpy
      return;
    }
    ++numLoops;
    lower(group, targetOf(getOperation()));
    for (memref::CopyOp copy : group)
      copy.erase();
  }
};

} // namespace
} // namespace kgen
