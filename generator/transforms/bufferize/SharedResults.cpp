#include "transforms/bufferize/SharedResults.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/MemRef/Utils/MemRefUtils.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;
using namespace mlir::bufferization;

namespace kgen {
namespace {

/// True unless both are parts of one tensor in memory, which do not overlap: those of a
/// concatenation.
bool mayOverlap(Value one, Value other) {
  auto withoutReshapes = [](Value view) {
    auto op = view.getDefiningOp<ViewLikeOpInterface>();
    for (; op && !isa<memref::SubViewOp>(op); op = view.getDefiningOp<ViewLikeOpInterface>())
      view = op.getViewSource();
    return view.getDefiningOp<memref::SubViewOp>();
  };
  memref::SubViewOp first = withoutReshapes(one), second = withoutReshapes(other);
  return !first || !second || first.getMixedOffsets() == second.getMixedOffsets();
}

/// True if an operation after `copy`, or in its regions, reads a tensor in the memory of `value`.
bool isReadAfter(MaterializeInDestinationOp copy, Value value,
                 const OneShotAnalysisState &analysis) {
  for (Operation *op = copy->getNextNode(); op; op = op->getNextNode()) {
    WalkResult result = op->walk([&](Operation *inner) {
      return llvm::any_of(inner->getOperands(),
                          [&](Value operand) {
                            return isa<TensorType>(operand.getType()) &&
                                   analysis.areAliasingBufferizedValues(operand, value);
                          })
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return true;
  }
  return false;
}

} // namespace

bool moveOutOfResults(ModuleOp module, const OneShotAnalysisState &analysis) {
  llvm::MapVector<Value, SmallVector<ToTensorOp>> destinations; ///< by memory
  module.walk([&](ToTensorOp op) {
    if (op.getWritable())
      destinations[memref::skipViewLikeOps(cast<MemrefValue>(op.getBuffer()))].push_back(op);
  });
  llvm::SetVector<ToTensorOp> shared;
  module.walk([&](MaterializeInDestinationOp copy) {
    if (!isa<BaseMemRefType>(copy.getDest().getType()))
      return;
    for (ToTensorOp destination :
         destinations.lookup(memref::skipViewLikeOps(cast<MemrefValue>(copy.getDest()))))
      if (mayOverlap(copy.getDest(), destination.getBuffer()) &&
          !analysis.areEquivalentBufferizedValues(copy.getSource(), destination) &&
          isReadAfter(copy, destination, analysis))
        shared.insert(destination);
  });
  for (ToTensorOp destination : shared) {
    OpBuilder b(destination);
    Location loc = destination.getLoc();
    auto type = cast<RankedTensorType>(destination.getType());
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(b.createOrFold<memref::DimOp>(loc, destination.getBuffer(), dim));
    Value own = AllocTensorOp::create(b, loc, type, sizes);
    destination.getResult().replaceAllUsesWith(own);
    destination.erase();
  }
  return !shared.empty();
}

} // namespace kgen
