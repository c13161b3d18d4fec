#include "transforms/bufferize/SplitReads.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/Interfaces/DestinationStyleOpInterface.h>

using namespace mlir;

namespace kgen {
namespace {

/// True if nothing ever writes to the memory of the tensor that `op` makes.
bool isReadOnly(Operation *op) {
  if (auto memory = dyn_cast<bufferization::ToTensorOp>(op))
    return !memory.getWritable();
  return isa<arith::ConstantOp>(op) && isa<RankedTensorType>(op->getResult(0).getType());
}

/// True if the user reads the tensor, and no result of it may share memory with it but slices that
/// are only read.
bool isOnlyRead(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto op = dyn_cast<DestinationStyleOpInterface>(user))
    return op.isDpsInput(&use);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
    return llvm::all_of(slice->getUses(), isOnlyRead);
  return isa<vector::TransferReadOp, tensor::ExtractOp>(user);
}

} // namespace

SplitReads::SplitReads(Operation *root) {
  SmallVector<Operation *> sources;
  root->walk([&](Operation *op) {
    if (isReadOnly(op) && !op->hasOneUse())
      sources.push_back(op);
  });
  for (Operation *source : sources) {
    SmallVector<OpOperand *> reads;
    for (OpOperand &use : source->getUses())
      if (isOnlyRead(use))
        reads.push_back(&use);
    OpBuilder builder(source->getContext());
    builder.setInsertionPointAfter(source);
    Copies copies = {source->getResult(0), {}};
    for (OpOperand *read : reads) {
      copies.ops.push_back(builder.clone(*source));
      read->set(copies.ops.back()->getResult(0));
    }
    split.push_back(std::move(copies));
  }
}

void SplitReads::join() {
  for (Copies &copies : split)
    for (Operation *op : copies.ops) {
      op->getResult(0).replaceAllUsesWith(copies.original);
      op->erase();
    }
  split.clear();
}

} // namespace kgen
