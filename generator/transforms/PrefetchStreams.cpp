// Asks for the memory that loops over vectors will read, some time before they do.
#include "dialect/kgen/Kgen.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PREFETCHSTREAMSPASS
#include "transforms/Passes.h.inc"

namespace {

constexpr int64_t distanceBytes = 2048; ///< measured: 1024 to 8192 are within 3 %
constexpr int64_t shortestLoop = 2 * distanceBytes, leastVector = 32;

int64_t byteWidth(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

/// Bytes of the tensor that a view shows a part of.
int64_t bytesOfWhole(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (!isa<memref::SubViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp>(op))
      break;
    memory = op->getOperand(0);
  }
  auto type = cast<MemRefType>(memory.getType());
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return 0;
  return type.getNumElements() * byteWidth(type.getElementType());
}

struct PrefetchStreamsPass : impl::PrefetchStreamsPassBase<PrefetchStreamsPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    cache = target.getL2();
    getOperation().walk([&](scf::ForOp loop) { prefetchFor(loop); });
  }

private:
  void prefetchFor(scf::ForOp loop) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!trips || !step)
      return;
    int64_t elements = trips->getSExtValue() * *step;
    for (auto read : llvm::make_early_inc_range(loop.getOps<vector::TransferReadOp>()))
      if (isStream(read, loop, elements) && isFirst(read, loop))
        prefetch(read);
  }

  /// Whether the loop walks through memory that no cache keeps.
  bool isStream(vector::TransferReadOp read, scf::ForOp loop, int64_t elements) const {
    auto memory = dyn_cast<MemRefType>(read.getBase().getType());
    VectorType vector = read.getVectorType();
    if (!memory || vector.getRank() != 1 || !vector.getElementType().isIntOrFloat() ||
        !read.getPermutationMap().isMinorIdentity() || !memory.isLastDimUnitStride())
      return false;
    Value index = read.getIndices().back();
    auto sum = index.getDefiningOp<arith::AddIOp>();
    if (index != loop.getInductionVar() && (!sum || sum.getLhs() != loop.getInductionVar()))
      return false;
    int64_t width = byteWidth(vector.getElementType());
    return vector.getNumElements() * width >= leastVector && elements * width >= shortestLoop &&
           bytesOfWhole(read.getBase()) > cache;
  }

  /// What an earlier loop beside this one has read is in a cache.
  bool isFirst(vector::TransferReadOp read, scf::ForOp loop) {
    auto [known, isNew] = readers.insert({{read.getBase(), loop->getBlock()}, loop});
    return isNew || known->second == loop;
  }

  static void prefetch(vector::TransferReadOp read) {
    OpBuilder b(read);
    Location loc = read.getLoc();
    SmallVector<Value> indices(read.getIndices());
    int64_t ahead = distanceBytes / byteWidth(read.getVectorType().getElementType());
    indices.back() = arith::AddIOp::create(b, loc, indices.back(),
                                           arith::ConstantIndexOp::create(b, loc, ahead));
    constexpr unsigned everyCache = 3;
    memref::PrefetchOp::create(b, loc, read.getBase(), indices, /*isWrite=*/false, everyCache,
                               /*isDataCache=*/true);
  }

  int64_t cache = 0;
  DenseMap<std::pair<Value, Block *>, scf::ForOp> readers;
};

} // namespace
} // namespace kgen
