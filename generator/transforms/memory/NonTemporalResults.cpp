// Stores that go past the caches, for results that no cache keeps until somebody reads them.
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/Passes.h"
#include "transforms/analysis/ViewSource.h"
#include "transforms/memory/NonTemporal.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_NONTEMPORALRESULTSPASS
#include "transforms/Passes.h.inc"

namespace {

constexpr int64_t leastStore = 16; ///< bytes
constexpr int64_t leastRun = 256;  ///< bytes that a loop writes one after another

using Writes = SmallVector<vector::TransferWriteOp>;

int64_t bytesOfVector(vector::TransferWriteOp write) {
  return write.getVectorType().getNumElements() * bytesOfElement(write.getVectorType());
}

/// Everything that writes to the memory with vectors; none if somebody reads it, or if it is
/// written in another way.
bool collectWrites(Value memory, Writes &writes) {
  return llvm::all_of(memory.getUsers(), [&](Operation *user) {
    if (isViewLike(user))
      return collectWrites(user->getResult(0), writes);
    if (isa<memref::PrefetchOp, memref::StoreOp>(user))
      return true;
    auto write = dyn_cast<vector::TransferWriteOp>(user);
    if (!write || write.getBase() != memory)
      return false;
    writes.push_back(write);
    return true;
  });
}

/// The bytes by a multiple of which the vectors begin apart from where the whole memory does, at
/// most a line; 0 for what is no vector of neighbours.
int64_t alignmentOfPlace(vector::TransferWriteOp write) {
  auto memory = dyn_cast<MemRefType>(write.getBase().getType());
  VectorType vector = write.getVectorType();
  if (!memory || vector.getRank() != 1 || !vector.getElementType().isIntOrFloat() ||
      vector.getElementTypeBitWidth() % 8 != 0 || !write.getPermutationMap().isMinorIdentity() ||
      write.getMask() || write.hasOutOfBoundsDim() || !memory.isLastDimUnitStride())
    return 0;
  int64_t bytes = bytesOfElement(write.getVectorType()), alignment = lineBytes;
  auto limit = [&](int64_t distance) {
    if (distance != 0)
      alignment = std::min(alignment, distance & -distance);
  };
  auto limitByPlace = [&](MemRefType type, ArrayRef<OpFoldResult> place) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)) ||
        llvm::any_of(strides, ShapedType::isDynamic))
      return false;
    for (auto [index, stride] : llvm::zip_equal(place, strides))
      limit(knownDivisor(index) * stride * bytes);
    return true;
  };
  if (!limitByPlace(memory, getAsOpFoldResult(write.getIndices())))
    return 0;
  for (Value part = write.getBase(); Operation *view = part.getDefiningOp();
       part = view->getOperand(0))
    if (auto slice = dyn_cast<memref::SubViewOp>(view))
      if (!limitByPlace(slice.getSourceType(), slice.getMixedOffsets()))
        return 0;
  return alignment;
}

/// The same for the vectors' ends, too.
int64_t alignmentOf(vector::TransferWriteOp write) {
  int64_t bytes = bytesOfVector(write);
  return std::min(alignmentOfPlace(write), bytes & -bytes);
}

/// Whether the vector is the end of a result: the beginning of a line, all of it that is written
/// with others that begin where parts of lines do; or a part of one, once in a task.
bool isEnd(vector::TransferWriteOp write) {
  int64_t place = alignmentOfPlace(write);
  bool isAlone =
      place == lineBytes || (place >= leastStore && !write->getParentOfType<scf::ForOp>());
  return isAlone && bytesOfVector(write) < lineBytes && alignmentOf(write) < leastStore;
}

/// Whether a loop writes a good number of bytes one after another.
bool isRun(vector::TransferWriteOp write) {
  auto loop = dyn_cast<scf::ForOp>(write->getParentOp());
  if (!loop || !isOrAddsTo(write.getIndices().back(), loop.getInductionVar()))
    return false;
  std::optional<APInt> trips = loop.getStaticTripCount();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return trips && step &&
         trips->getSExtValue() * *step * bytesOfElement(write.getVectorType()) >= leastRun;
}

/// Whether parts of lines go past the caches: LLVM narrows parts of a vector as it stores them, by
/// instructions that know no such stores, and a line that is written in both ways takes
/// microseconds.
bool mayStoreParts(vector::TransferWriteOp write) {
  return write.getVectorType().getElementTypeBitWidth() >= 32;
}

/// Whether the vectors make whole lines, also if each is a part of one.
bool writeLines(ArrayRef<vector::TransferWriteOp> writes) {
  auto isWhole = [](vector::TransferWriteOp write) {
    return bytesOfVector(write) % lineBytes == 0 && alignmentOf(write) == lineBytes;
  };
  auto isRest = [](vector::TransferWriteOp write) {
    return getConstantIntValue(write.getIndices().back()).has_value();
  };
  auto isLineOrPart = [&](vector::TransferWriteOp write) {
    return isEnd(write) ||
           (alignmentOf(write) >= leastStore &&
            (isWhole(write) || (mayStoreParts(write) && (isRun(write) || isRest(write)))));
  };
  return llvm::all_of(writes, isLineOrPart) &&
         llvm::any_of(writes, [&](auto write) { return isWhole(write) || isRun(write); });
}

/// The vector in pieces that are as long as they are aligned. The end of a result stays what it is.
void store(vector::TransferWriteOp write) {
  if (isEnd(write))
    return;
  OpBuilder b(write);
  Location loc = write.getLoc();
  int64_t alignment = std::min(alignmentOf(write), bytesOfVector(write)),
          count = alignment / bytesOfElement(write.getVectorType());
  for (int64_t first = 0; first < write.getVectorType().getNumElements(); first += count) {
    Value piece = write.getVector();
    SmallVector<Value> place(write.getIndices());
    if (count != write.getVectorType().getNumElements()) {
      piece = vector::ExtractStridedSliceOp::create(b, loc, piece, first, count, int64_t(1));
      place.back() = arith::AddIOp::create(b, loc, place.back(),
                                           arith::ConstantIndexOp::create(b, loc, first));
    }
    vector::StoreOp::create(b, loc, piece, write.getBase(), place, /*nontemporal=*/true,
                            llvm::Align(alignment));
  }
  write.erase();
}

/// The operation of a task, or of the function, that holds another one.
Operation *stepAround(Operation *op) {
  while (!isa<scf::ForallOp, func::FuncOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

struct NonTemporalResultsPass : impl::NonTemporalResultsPassBase<NonTemporalResultsPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    llvm::MapVector<Operation *, Writes> steps;
    for (BlockArgument result : getOperation().getArguments()) {
      Writes writes;
      if (!isa<MemRefType>(result.getType()) ||
          !exceedsLastLevelCache(bytesOfSource(result), target) || !collectWrites(result, writes) ||
          !writeLines(writes))
        continue;
      for (vector::TransferWriteOp write : writes)
        steps[stepAround(write)].push_back(write);
    }
    for (auto &[step, writes] : steps)
      if (step->getNumResults() == 0)
        stream(step, writes);
  }

private:
  /// The step twice: with stores past the caches where the results are aligned, and as it is.
  static void stream(Operation *step, ArrayRef<vector::TransferWriteOp> writes) {
    OpBuilder b(step);
    Location loc = step->getLoc();
    llvm::MapVector<Value, int64_t> alignments;
    for (vector::TransferWriteOp write : writes) {
      int64_t &most = alignments[viewSource(write.getBase())];
      most = std::max(most, alignmentOf(write));
    }
    Value isAligned;
    for (auto [memory, alignment] : alignments) {
      Value one = isAlignedTo(b, loc, memory, alignment);
      isAligned = isAligned ? arith::AndIOp::create(b, loc, isAligned, one).getResult() : one;
    }
    auto either = scf::IfOp::create(b, loc, isAligned, /*withElseRegion=*/true);
    b.setInsertionPointToStart(either.thenBlock());
    IRMapping mapping;
    Operation *copy = b.clone(*step, mapping);
    createStoreFence(b, loc);
    copy->walk([&](Operation *op) {
      if (auto prefetch = dyn_cast<memref::PrefetchOp>(op))
        if (prefetch.getIsWrite() && alignments.contains(viewSource(prefetch.getMemref())))
          prefetch.erase();
    });
    for (vector::TransferWriteOp write : writes)
      store(cast<vector::TransferWriteOp>(mapping.lookup(write.getOperation())));
    step->moveBefore(either.elseBlock(), either.elseBlock()->begin());
  }
};

} // namespace
} // namespace kgen
