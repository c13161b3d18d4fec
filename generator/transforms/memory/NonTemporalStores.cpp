// Non-temporal stores: of results that no cache keeps, and of lines of many rows that a loop writes
// in turn.
#include "analysis/ViewSource.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"
#include "transforms/memory/NonTemporal.h"
#include "transforms/memory/NonTemporalResults.h"
#include "transforms/memory/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_NONTEMPORALSTORESPASS
#include "transforms/memory/Passes.h.inc"

namespace {

using Writes = SmallVector<vector::TransferWriteOp>;

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
  int64_t line = cpuOf(outermost).lineBytes;
  OpBuilder b(outermost);
  Location loc = outermost.getLoc();
  Value isAligned = isAlignedTo(b, loc, memory, line);
  auto versions = scf::IfOp::create(b, loc, isAligned, /*withElseRegion=*/true);

  b.setInsertionPointToStart(versions.thenBlock());
  IRMapping mapping;
  b.clone(*outermost, mapping);
  StoreFenceOp::create(b, loc);
  for (vector::TransferWriteOp write : writes) {
    auto copy = cast<vector::TransferWriteOp>(mapping.lookup(write.getOperation()));
    OpBuilder atCopy(copy);
    vector::StoreOp::create(atCopy, copy.getLoc(), copy.getVector(), copy.getBase(),
                            copy.getIndices(), /*nontemporal=*/true, llvm::Align(line));
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
    if (failed(verifyUserDecisions()))
      signalPassFailure();
  }

private:
  /// Reports a node whose schedule demands non-temporal stores, and has others.
  LogicalResult verifyUserDecisions() {
    WalkResult result =
        getOperation().walk([&](vector::TransferWriteOp write) {
          // The stores for memory that is not aligned stay in the second branch.
          auto versions = write->getParentOfType<scf::IfOp>();
          bool isVersioned =
              versions && versions.getElseRegion().isAncestor(write->getParentRegion());
          if (isVersioned || !wantsNonTemporal(write).value_or(false))
            return WalkResult::advance();
          emitError(write.getLoc())
              << "non-temporal stores, which a lowering configuration wants, are "
                 "for results of the graph that are written only, in whole cache lines, "
                 "and for transposes; this is another one";
          return WalkResult::interrupt();
        });
    return failure(result.wasInterrupted());
  }

  /// Writes of lines of several rows, in the loops that write no such result.
  void storeColumns(TargetAttr target, DecisionLog &log) {
    const Heuristics &limits = target.tradeoffs();
    SmallVector<std::pair<Value, Writes>> found;
    getOperation().walk([&](scf::ForOp loop) {
      llvm::MapVector<Value, Writes> byMemory;
      for (auto write : loop.getOps<vector::TransferWriteOp>())
        if (fillsLines(write))
          byMemory[write.getBase()].push_back(write);
      for (auto &[memory, writes] : byMemory) {
        if (static_cast<int64_t>(writes.size()) < limits.minColumnsOfLines ||
            !areOfOneColumn(writes) || !loop.isDefinedOutsideOfLoop(memory))
          continue;
        if (shouldBeNonTemporal(writes, target.cpu(), bytesOfSource(memory),
                                StoreOrder::acrossRows))
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
