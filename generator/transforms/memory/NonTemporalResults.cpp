#include "transforms/memory/NonTemporalResults.h"

#include "costmodel/Caches.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/analysis/ViewSource.h"
#include "transforms/memory/NonTemporal.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
namespace {

using Writes = SmallVector<vector::TransferWriteOp>;

int64_t bytesOfVector(vector::TransferWriteOp write) {
  return write.getVectorType().getNumElements() * bytesOfElement(write.getVectorType());
}

/// Collects the vector writes to `memory` and its views. False if anything else uses it but
/// prefetches and scalar stores.
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

/// The alignment of the vector's first byte relative to the beginning of the whole memory, in
/// bytes, at most a line; 0 if the vector is not a contiguous, unmasked part of the last dimension.
int64_t startAlignment(vector::TransferWriteOp write) {
  auto memory = dyn_cast<MemRefType>(write.getBase().getType());
  VectorType vector = write.getVectorType();
  if (!memory || vector.getRank() != 1 || !vector.getElementType().isIntOrFloat() ||
      vector.getElementTypeBitWidth() % 8 != 0 || !write.getPermutationMap().isMinorIdentity() ||
      write.getMask() || write.hasOutOfBoundsDim() || !memory.isLastDimUnitStride())
    return 0;
  int64_t bytes = bytesOfElement(write.getVectorType()), alignment = cpuOf(write).lineBytes;
  auto limit = [&](int64_t distance) {
    if (distance != 0)
      alignment = std::min(alignment, distance & -distance);
  };
  auto limitByIndices = [&](MemRefType type, ArrayRef<OpFoldResult> indices) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)) ||
        llvm::any_of(strides, ShapedType::isDynamic))
      return false;
    for (auto [index, stride] : llvm::zip_equal(indices, strides))
      limit(knownDivisor(index) * stride * bytes);
    return true;
  };
  if (!limitByIndices(memory, getAsOpFoldResult(write.getIndices())))
    return 0;
  for (Value base = write.getBase(); Operation *view = base.getDefiningOp();
       base = view->getOperand(0))
    if (auto slice = dyn_cast<memref::SubViewOp>(view))
      if (!limitByIndices(slice.getSourceType(), slice.getMixedOffsets()))
        return 0;
  return alignment;
}

/// The same for the vector's last byte, too: its length limits the alignment.
int64_t alignmentOf(vector::TransferWriteOp write) {
  int64_t bytes = bytesOfVector(write);
  return std::min(startAlignment(write), bytes & -bytes);
}

/// True if the vector is the short end of a result that keeps its ordinary store. It is shorter
/// than a line and too little aligned for a non-temporal store, and it either begins a line, which
/// nothing else writes non-temporally, or is written once in a task.
bool isEnd(vector::TransferWriteOp write) {
  const Cpu &cpu = cpuOf(write);
  int64_t start = startAlignment(write);
  bool isAlone = start == cpu.lineBytes ||
                 (start >= cpu.minNonTemporalBytes && !write->getParentOfType<scf::ForOp>());
  return isAlone && bytesOfVector(write) < cpu.lineBytes &&
         alignmentOf(write) < cpu.minNonTemporalBytes;
}

/// True if the vector's innermost loop writes long runs: unaligned parts of lines at their
/// ends are a minority.
bool isRun(vector::TransferWriteOp write) {
  auto loop = dyn_cast<scf::ForOp>(write->getParentOp());
  if (!loop || !isOrAddsTo(write.getIndices().back(), loop.getInductionVar()))
    return false;
  std::optional<APInt> trips = loop.getStaticTripCount();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return trips && step &&
         trips->getSExtValue() * *step * bytesOfElement(write.getVectorType()) >=
             cpuOf(write).heuristics.minStoreRunBytes;
}

/// True if parts of lines may be stored non-temporally. Not for elements narrower than 32 bits:
/// LLVM truncates parts of a vector with storing instructions that have no non-temporal form, and a
/// line that is written in both ways takes microseconds.
bool mayStorePartialLines(vector::TransferWriteOp write) {
  return write.getVectorType().getElementTypeBitWidth() >= 32;
}

/// True if the writes fill whole lines together, and at least one of them a line or a run of lines.
bool writeLines(ArrayRef<vector::TransferWriteOp> writes) {
  auto isWhole = [](vector::TransferWriteOp write) {
    int64_t line = cpuOf(write).lineBytes;
    return bytesOfVector(write) % line == 0 && alignmentOf(write) == line;
  };
  auto isRest = [](vector::TransferWriteOp write) {
    return getConstantIntValue(write.getIndices().back()).has_value();
  };
  auto isStorable = [&](vector::TransferWriteOp write) {
    return isEnd(write) ||
           (alignmentOf(write) >= cpuOf(write).minNonTemporalBytes &&
            (isWhole(write) || (mayStorePartialLines(write) && (isRun(write) || isRest(write)))));
  };
  return llvm::all_of(writes, isStorable) &&
         llvm::any_of(writes, [&](auto write) { return isWhole(write) || isRun(write); });
}

/// Replaces `write` by non-temporal stores of slices that are as long as they are aligned. The end
/// of a result (isEnd) stays.
void storeNonTemporally(vector::TransferWriteOp write) {
  if (isEnd(write))
    return;
  OpBuilder b(write);
  Location loc = write.getLoc();
  int64_t alignment = std::min(alignmentOf(write), bytesOfVector(write)),
          count = alignment / bytesOfElement(write.getVectorType());
  for (int64_t first = 0; first < write.getVectorType().getNumElements(); first += count) {
    Value slice = write.getVector();
    SmallVector<Value> indices(write.getIndices());
    if (count != write.getVectorType().getNumElements()) {
      slice = vector::ExtractStridedSliceOp::create(b, loc, slice, first, count, int64_t(1));
      indices.back() = arith::AddIOp::create(b, loc, indices.back(),
                                             arith::ConstantIndexOp::create(b, loc, first));
    }
    vector::StoreOp::create(b, loc, slice, write.getBase(), indices, /*nontemporal=*/true,
                            llvm::Align(alignment));
  }
  write.erase();
}

/// The operation directly in a task, or in the function, that contains `op` or is it.
Operation *topLevelOpOf(Operation *op) {
  while (!isa<scf::ForallOp, func::FuncOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

/// Versions `op`: with non-temporal stores where all results that it writes are aligned, and as it
/// is where they are not.
void versionByAlignment(Operation *op, ArrayRef<vector::TransferWriteOp> writes) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  llvm::MapVector<Value, int64_t> alignments; // that the stores to each result need, in bytes
  for (vector::TransferWriteOp write : writes) {
    int64_t &needed = alignments[viewSource(write.getBase())];
    needed = std::max(needed, alignmentOf(write));
  }
  Value isAligned;
  for (auto [memory, alignment] : alignments) {
    Value one = isAlignedTo(b, loc, memory, alignment);
    isAligned = isAligned ? arith::AndIOp::create(b, loc, isAligned, one).getResult() : one;
  }
  auto versions = scf::IfOp::create(b, loc, isAligned, /*withElseRegion=*/true);
  b.setInsertionPointToStart(versions.thenBlock());
  IRMapping mapping;
  Operation *copy = b.clone(*op, mapping);
  StoreFenceOp::create(b, loc);
  copy->walk([&](Operation *inner) {
    if (auto prefetch = dyn_cast<memref::PrefetchOp>(inner))
      if (prefetch.getIsWrite() && alignments.contains(viewSource(prefetch.getMemref())))
        prefetch.erase();
  });
  for (vector::TransferWriteOp write : writes)
    storeNonTemporally(cast<vector::TransferWriteOp>(mapping.lookup(write.getOperation())));
  op->moveBefore(versions.elseBlock(), versions.elseBlock()->begin());
}

/// False for inputs and the workspace, as far as the function's attributes tell.
bool isResult(BlockArgument argument, func::FuncOp function) {
  unsigned number = argument.getArgNumber();
  bool isWorkspace =
      function->hasAttr("kgen.workspace") && number + 1 == function.getNumArguments();
  return !isWorkspace && !function.getArgAttr(number, LLVM::LLVMDialect::getReadonlyAttrName());
}

Location locationOf(ArrayRef<vector::TransferWriteOp> writes, func::FuncOp function) {
  SmallVector<Location> all;
  for (vector::TransferWriteOp write : writes)
    all.push_back(write.getLoc());
  return all.empty() ? function.getLoc() : FusedLoc::get(all, {}, function.getContext());
}

} // namespace

NonTemporalResultCounts storeResultsNonTemporally(func::FuncOp function, TargetAttr target,
                                                  DecisionLog &log) {
  NonTemporalResultCounts counts;
  llvm::MapVector<Operation *, Writes> writesByOp;
  for (BlockArgument result : function.getArguments()) {
    Writes writes;
    if (!isa<MemRefType>(result.getType()) ||
        !exceedsLastLevel(target.cpu(), bytesOfSource(result)))
      continue;
    bool isWrittenOnly = collectWrites(result, writes);
    if (!isWrittenOnly || !writeLines(writes)) {
      if (!isResult(result, function))
        continue;
      ++counts.refused;
      log.add("refused", locationOf(writes, function),
              log.details()
                  .set("bytes", bytesOfSource(result))
                  .set("why", isWrittenOnly ? "a result's cache lines are not written as a whole"
                                            : "a result is read, or not written by vectors only"));
      continue;
    }
    ++counts.rewritten;
    log.add("non-temporal", locationOf(writes, function),
            log.details().set("bytes", bytesOfSource(result)));
    for (vector::TransferWriteOp write : writes)
      writesByOp[topLevelOpOf(write)].push_back(write);
  }
  for (auto &[op, writes] : writesByOp)
    if (op->getNumResults() == 0)
      versionByAlignment(op, writes);
  return counts;
}

} // namespace kgen
