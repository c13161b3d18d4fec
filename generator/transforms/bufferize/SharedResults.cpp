#include "transforms/bufferize/SharedResults.h"

#include "analysis/OperandLiveness.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/MemRef/Utils/MemRefUtils.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

#include <map>

using namespace mlir;
using namespace mlir::bufferization;

namespace kgen {
namespace {

/// Memory, and the offsets of a part of it. Parts of one tensor in memory with other offsets do not
/// overlap: they are those of a concatenation.
struct Part {
  Value memory;
  std::optional<std::vector<void *>> offsets; ///< nothing: it may overlap all parts
};

Part partOf(Value view) {
  Part part = {memref::skipViewLikeOps(cast<MemrefValue>(view)), {}};
  auto op = view.getDefiningOp<ViewLikeOpInterface>();
  for (; op && !isa<memref::SubViewOp>(op); op = view.getDefiningOp<ViewLikeOpInterface>())
    view = op.getViewSource();
  if (auto slice = view.getDefiningOp<memref::SubViewOp>()) {
    part.offsets.emplace();
    for (OpFoldResult offset : slice.getMixedOffsets())
      part.offsets->push_back(offset.getOpaqueValue());
  }
  return part;
}

/// Tensors in memory of the caller, by their part of it.
class Destinations {
public:
  void add(ToTensorOp tensor) {
    Part part = partOf(tensor.getBuffer());
    Tensors &tensors = byMemory[part.memory];
    tensors.all.push_back(tensor);
    if (part.offsets)
      tensors.byOffsets[*part.offsets].push_back(tensor);
    else
      tensors.whole.push_back(tensor);
  }

  /// Returns those that may overlap a view.
  SmallVector<ToTensorOp> at(Value view) const {
    Part part = partOf(view);
    auto tensors = byMemory.find(part.memory);
    if (tensors == byMemory.end())
      return {};
    if (!part.offsets)
      return tensors->second.all;
    SmallVector<ToTensorOp> found = tensors->second.whole;
    if (auto same = tensors->second.byOffsets.find(*part.offsets);
        same != tensors->second.byOffsets.end())
      found.append(same->second);
    return found;
  }

private:
  struct Tensors {
    SmallVector<ToTensorOp> all, whole;
    std::map<std::vector<void *>, SmallVector<ToTensorOp>> byOffsets;
  };
  llvm::DenseMap<Value, Tensors> byMemory;
};

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
  Destinations destinations;
  module.walk([&](ToTensorOp op) {
    if (op.getWritable())
      destinations.add(op);
  });
  llvm::SetVector<ToTensorOp> shared;
  module.walk([&](MaterializeInDestinationOp copy) {
    if (!isa<BaseMemRefType>(copy.getDest().getType()))
      return;
    for (ToTensorOp destination : destinations.at(copy.getDest()))
      if (!analysis.areEquivalentBufferizedValues(copy.getSource(), destination) &&
          isReadAfter(copy, destination, analysis))
        shared.insert(destination);
  });
  for (ToTensorOp destination : shared) {
    OpBuilder b(destination);
    Location loc = destination.getLoc();
    auto type = cast<RankedTensorType>(destination.getType());
    if (isStateOfFunction(destination)) {
      b.setInsertionPointAfter(destination);
      auto own = AllocTensorOp::create(b, loc, type, ValueRange(), /*copy=*/destination.getResult(),
                                       IntegerAttr());
      destination.setWritable(false);
      destination.getResult().replaceAllUsesExcept(own.getResult(), own);
      continue;
    }
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
