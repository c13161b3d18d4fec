#include "transforms/memory/NonTemporalResults.h"

#include "analysis/ViewSource.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/memory/NonTemporal.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
namespace {

using Writes = SmallVector<vector::TransferWriteOp>;

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

StoreForm formOf(vector::TransferWriteOp write) {
  return storeFormOf(cpuOf(write), storedVectorOf(write));
}

/// True if the writes fill whole lines together, and at least one of them a line or a run of lines.
bool fillLines(ArrayRef<vector::TransferWriteOp> writes) {
  SmallVector<StoreForm> forms = llvm::map_to_vector(writes, formOf);
  return !llvm::is_contained(forms, StoreForm::unsuitable) &&
         (llvm::is_contained(forms, StoreForm::fullLines) ||
          llvm::is_contained(forms, StoreForm::partOfRun));
}

/// Replaces `write` by non-temporal stores of slices that are as long as they are aligned. A
/// tail stays.
void storeNonTemporally(vector::TransferWriteOp write) {
  StoredVector stored = storedVectorOf(write);
  if (storeFormOf(cpuOf(write), stored) == StoreForm::tail)
    return;
  OpBuilder b(write);
  Location loc = write.getLoc();
  int64_t alignment = stored.alignment(), count = alignment / stored.elementBytes;
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
    needed = std::max(needed, storedVectorOf(write).alignment());
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
    if (!isa<MemRefType>(result.getType()))
      continue;
    Writes writes;
    bool isWrittenOnly = collectWrites(result, writes);
    if (!shouldBeNonTemporal(writes, target.cpu(), bytesOfSource(result), StoreOrder::alongRows))
      continue;
    if (!isWrittenOnly || !fillLines(writes)) {
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
