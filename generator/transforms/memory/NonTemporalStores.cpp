// Non-temporal stores: of results that no cache keeps, and of lines of many rows that a loop writes
// in turn.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/Passes.h"
#include "transforms/analysis/ViewSource.h"
#include "transforms/memory/NonTemporal.h"
#include "transforms/memory/NonTemporalResults.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_NONTEMPORALSTORESPASS
#include "transforms/Passes.h.inc"

namespace {

/// Rows of one tensor that an iteration must write a line each of. Fewer are rows side by side, not
/// a transpose.
constexpr int64_t minRows = 4;
/// How often the tensor must fill the second-level cache: a smaller one may still be there when it
/// is read.
constexpr int64_t minL2Multiple = 4;

using Writes = SmallVector<vector::TransferWriteOp>;

/// True if all rows of the memory begin at the same offset in a line, and the vector is a whole
/// number of lines from there on.
bool writesLines(vector::TransferWriteOp write) {
  auto memory = dyn_cast<MemRefType>(write.getBase().getType());
  VectorType vector = write.getVectorType();
  if (!memory || vector.getRank() != 1 || !vector.getElementType().isIntOrFloat() ||
      !write.getPermutationMap().isMinorIdentity() || write.getMask() || write.hasOutOfBoundsDim())
    return false;
  int64_t bytes = bytesOfElement(memory), offset;
  SmallVector<int64_t> strides;
  if (bytes == 0 || vector.getNumElements() * bytes % lineBytes != 0 ||
      failed(memory.getStridesAndOffset(strides, offset)) || strides.empty() || strides.back() != 1)
    return false;
  return knownDivisor(write.getIndices().back()) % (lineBytes / bytes) == 0 &&
         llvm::all_of(ArrayRef(strides).drop_back(), [&](int64_t stride) {
           return !ShapedType::isDynamic(stride) && stride * bytes % lineBytes == 0;
         });
}

/// True if all writes are to one column. Neighboring lines of a row would be fetched early by the
/// hardware prefetcher.
bool areOfOneColumn(ArrayRef<vector::TransferWriteOp> writes) {
  vector::TransferWriteOp first = writes.front();
  Value column = first.getIndices().back();
  return llvm::all_of(
      writes, [&](vector::TransferWriteOp write) { return write.getIndices().back() == column; });
}

/// Versions the loops around the writes in which `memory` is defined outside: with non-temporal
/// stores where it begins with a line, and as they are where it does not.
void versionByAlignment(Value memory, ArrayRef<vector::TransferWriteOp> writes) {
  vector::TransferWriteOp first = writes.front();
  scf::ForOp outermost = first->getParentOfType<scf::ForOp>();
  while (auto around = dyn_cast<scf::ForOp>(outermost->getParentOp())) {
    if (!around.isDefinedOutsideOfLoop(memory))
      break;
    outermost = around;
  }
  OpBuilder b(outermost);
  Location loc = outermost.getLoc();
  Value isAligned = isAlignedTo(b, loc, memory, lineBytes);
  auto versions = scf::IfOp::create(b, loc, isAligned, /*withElseRegion=*/true);

  b.setInsertionPointToStart(versions.thenBlock());
  IRMapping mapping;
  b.clone(*outermost, mapping);
  createStoreFence(b, loc);
  for (vector::TransferWriteOp write : writes) {
    auto copy = cast<vector::TransferWriteOp>(mapping.lookup(write.getOperation()));
    OpBuilder atCopy(copy);
    vector::StoreOp::create(atCopy, copy.getLoc(), copy.getVector(), copy.getBase(),
                            copy.getIndices(), /*nontemporal=*/true, llvm::Align(lineBytes));
    copy.erase();
  }
  outermost->moveBefore(versions.elseBlock(), versions.elseBlock()->begin());
}

struct NonTemporalStoresPass : impl::NonTemporalStoresPassBase<NonTemporalStoresPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    NonTemporalResultCounts results = storeResultsNonTemporally(getOperation(), target, log);
    numResults += results.rewritten;
    numRefused += results.refused;
    storeColumns(target, log);
  }

private:
  /// Writes of lines of several rows, in the loops that write no such result.
  void storeColumns(TargetAttr target, DecisionLog &log) {
    SmallVector<std::pair<Value, Writes>> found;
    getOperation().walk([&](scf::ForOp loop) {
      llvm::MapVector<Value, Writes> byMemory;
      for (auto write : loop.getOps<vector::TransferWriteOp>())
        if (writesLines(write))
          byMemory[write.getBase()].push_back(write);
      for (auto &[memory, writes] : byMemory) {
        if (static_cast<int64_t>(writes.size()) < minRows || !areOfOneColumn(writes) ||
            !loop.isDefinedOutsideOfLoop(memory))
          continue;
        if (bytesOfSource(memory) > minL2Multiple * target.getL2())
          found.push_back({memory, writes});
        else
          ++numRefused;
      }
    });
    for (auto &[memory, writes] : found) {
      ++numLoops;
      log.add("non-temporal", writes.front().getLoc(),
              log.details()
                  .set("bytes", bytesOfSource(memory))
                  .set("rows", static_cast<int64_t>(writes.size())));
      versionByAlignment(memory, writes);
    }
  }
};

} // namespace
} // namespace kgen
