// Strided copies as loops over rows; upstream would call a runtime function.
#include "dialect/kgen/Decisions.h"
#include "transforms/Passes.h"
#include "transforms/tasks/TaskTiles.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERCOPIESPASS
#include "transforms/Passes.h.inc"

namespace {

/// Loops over all dimensions but the last, then whole vectors and one shorter one along it. Without
/// a contiguous last dimension, elements.
void lower(memref::CopyOp copy, TargetAttr target) {
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  auto type = cast<MemRefType>(copy.getSource().getType());
  auto targetType = cast<MemRefType>(copy.getTarget().getType());
  // Bits in memory are a byte apart, in a vector they are not; an index has no size of its own.
  Type element = type.getElementType();
  bool wholeBytes = element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0;
  bool rows = wholeBytes && type.getRank() > 0 && type.isLastDimUnitStride() &&
              targetType.isLastDimUnitStride();
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value).getResult();
  };
  SmallVector<Value> at;
  for (int64_t size : type.getShape().drop_back(rows ? 1 : 0)) {
    auto loop = scf::ForOp::create(b, loc, index(0), index(size), index(1));
    at.push_back(loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }
  if (!rows) {
    Value element = memref::LoadOp::create(b, loc, copy.getSource(), at);
    memref::StoreOp::create(b, loc, element, copy.getTarget(), at);
    return;
  }
  int64_t width = target ? target.lanes(type.getElementType()) : 4, size = type.getShape().back();
  auto move = [&](int64_t lanes, Value column) {
    SmallVector<Value> position(at);
    position.push_back(column);
    auto vector = VectorType::get({lanes}, type.getElementType());
    Value value = vector::LoadOp::create(b, loc, vector, copy.getSource(), position);
    vector::StoreOp::create(b, loc, value, copy.getTarget(), position);
  };
  int64_t whole = size / width * width;
  if (size > whole)
    move(size - whole, index(whole));
  if (whole > 0) {
    auto loop = scf::ForOp::create(b, loc, index(0), index(whole), index(width));
    b.setInsertionPointToStart(loop.getBody());
    move(width, loop.getInductionVar());
  }
}

/// Cuts the outermost dimension of a large copy into tasks, if it can be cut evenly; the copy that
/// is left to do.
memref::CopyOp cutIntoTasks(memref::CopyOp copy, int64_t tasks) {
  constexpr int64_t mostTasks = 32;
  ArrayRef<int64_t> shape = cast<MemRefType>(copy.getSource().getType()).getShape();
  const auto *outer = llvm::find_if(shape, [](int64_t size) { return size != 1; });
  // Parts of a row are not worth a task of their own.
  if (outer == shape.end() || outer + 1 == shape.end())
    return copy;
  int64_t count = std::min({tasks, mostTasks, *outer});
  while (*outer % count != 0)
    --count;
  if (count < 2)
    return copy;
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  auto loop = scf::ForallOp::create(b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(count)},
                                    ValueRange(), std::nullopt);
  b.setInsertionPointToStart(loop.getBody());
  Value size = arith::ConstantIndexOp::create(b, loc, *outer / count);
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)),
      sizes = getAsIndexOpFoldResult(b.getContext(), shape), steps(shape.size(), b.getIndexAttr(1));
  size_t dimension = outer - shape.begin();
  offsets[dimension] = arith::MulIOp::create(b, loc, loop.getInductionVar(0), size).getResult();
  sizes[dimension] = b.getIndexAttr(*outer / count);
  auto part = [&](Value buffer) -> Value {
    return memref::SubViewOp::create(b, loc, buffer, offsets, sizes, steps);
  };
  auto inner = memref::CopyOp::create(b, loc, part(copy.getSource()), part(copy.getTarget()));
  copy.erase();
  return inner;
}

/// What a buffer is a view of: "input", "output", "workspace", "weight", or "buffer".
StringRef placeOf(Value buffer, func::FuncOp function) {
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
  bool isWorkspace = function->hasAttr("kgen.workspace") &&
                     argument.getArgNumber() + 1 == function.getNumArguments();
  return isWorkspace ? "workspace" : "output";
}

/// Why bufferization left a copy.
StringRef whyCopied(StringRef from, StringRef into) {
  if (into == "output")
    return from == "workspace"
               ? "a result must be in the caller's buffer, but was computed elsewhere"
               : "a result is data that the library must not hand out";
  return from == "workspace" ? "it is overwritten while the old value is still needed"
                             : "it is overwritten, but belongs to the caller or is constant";
}

void record(DecisionLog &log, memref::CopyOp copy, func::FuncOp function) {
  if (!log.isOn())
    return;
  StringRef from = placeOf(copy.getSource(), function), into = placeOf(copy.getTarget(), function);
  log.add("copy", copy.getLoc(),
          log.details()
              .set("from", from)
              .set("into", into)
              .set("bytes", bytesOf(copy.getSource().getType()))
              .set("why", whyCopied(from, into)));
}

struct LowerCopiesPass : impl::LowerCopiesPassBase<LowerCopiesPass> {
  using LowerCopiesPassBase::LowerCopiesPassBase;

  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    TargetAttr target = targetOf(getOperation());
    DecisionLog log(getOperation(), getArgument());
    for (memref::CopyOp copy : copies) {
      auto source = dyn_cast<MemRefType>(copy.getSource().getType()),
           into = dyn_cast<MemRefType>(copy.getTarget().getType());
      bool known = source && into && source.hasStaticShape() && into.hasStaticShape();
      if (copy.getSource() == copy.getTarget() || (known && source.getNumElements() == 0)) {
        copy.erase();
        continue;
      }
      if (known)
        record(log, copy, getOperation());
      int64_t tasks = known && taskWork > 0 ? source.getNumElements() * workOfMove / taskWork : 0;
      bool isCut = false;
      if (tasks > 1 && copy->getParentOp() == getOperation()) {
        memref::CopyOp whole = copy;
        copy = cutIntoTasks(copy, tasks);
        isCut = copy != whole;
      }
      bool isContiguous = known && source.getLayout().isIdentity() && into.getLayout().isIdentity();
      if (!known || (isContiguous && !isCut))
        continue;
      lower(copy, target);
      copy.erase();
    }
  }
};

} // namespace
} // namespace kgen
