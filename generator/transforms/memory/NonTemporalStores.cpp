// Stores of whole cache lines that go past the caches, where lines of many rows are written in
// turn.
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/Passes.h"
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
#define GEN_PASS_DEF_NONTEMPORALSTORESPASS
#include "transforms/Passes.h.inc"

namespace {

constexpr int64_t leastRows = 4;  ///< of one tensor that a step of a loop writes to
constexpr int64_t cachesMore = 4; ///< second-level caches that the tensor would fill

/// Whether all rows of the memory begin at the same place in a line, and the vector is a number of
/// whole lines from there on.
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

struct NonTemporalStoresPass : impl::NonTemporalStoresPassBase<NonTemporalStoresPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<std::pair<Value, Writes>> found;
    getOperation().walk([&](scf::ForOp loop) {
      llvm::MapVector<Value, Writes> byMemory;
      for (auto write : loop.getOps<vector::TransferWriteOp>())
        if (writesLines(write))
          byMemory[write.getBase()].push_back(write);
      for (auto &[memory, writes] : byMemory)
        if (static_cast<int64_t>(writes.size()) >= leastRows && areOfOneColumn(writes) &&
            loop.isDefinedOutsideOfLoop(memory) &&
            bytesOfSource(memory) > cachesMore * target.getL2())
          found.push_back({memory, writes});
    });
    for (auto &[memory, writes] : found)
      stream(memory, writes);
  }

private:
  using Writes = SmallVector<vector::TransferWriteOp>;

  /// Neighbouring lines of a row would be fetched early by the hardware.
  static bool areOfOneColumn(Writes writes) {
    Value column = writes.front().getIndices().back();
    return llvm::all_of(
        writes, [&](vector::TransferWriteOp write) { return write.getIndices().back() == column; });
  }

  /// The loops around the writes twice: as they are, and with stores past the caches for memory
  /// that begins with a line.
  static void stream(Value memory, Writes writes) {
    scf::ForOp outermost = writes.front()->getParentOfType<scf::ForOp>();
    while (auto around = dyn_cast<scf::ForOp>(outermost->getParentOp())) {
      if (!around.isDefinedOutsideOfLoop(memory))
        break;
      outermost = around;
    }
    OpBuilder b(outermost);
    Location loc = outermost.getLoc();
    Value isLine = isAlignedTo(b, loc, memory, lineBytes);
    auto either = scf::IfOp::create(b, loc, isLine, /*withElseRegion=*/true);

    b.setInsertionPointToStart(either.thenBlock());
    IRMapping mapping;
    b.clone(*outermost, mapping);
    createStoreFence(b, loc);
    for (vector::TransferWriteOp write : writes) {
      auto copy = cast<vector::TransferWriteOp>(mapping.lookup(write.getOperation()));
      OpBuilder at(copy);
      vector::StoreOp::create(at, copy.getLoc(), copy.getVector(), copy.getBase(),
                              copy.getIndices(), /*nontemporal=*/true, llvm::Align(lineBytes));
      copy.erase();
    }
    outermost->moveBefore(either.elseBlock(), either.elseBlock()->begin());
  }
};

} // namespace
} // namespace kgen
