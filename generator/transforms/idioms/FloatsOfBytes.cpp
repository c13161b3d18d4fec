// Dequantized tensors that stay in floats, and which of their readers is the reason.
#include "transforms/idioms/FloatsOfBytes.h"

#include "transforms/idioms/IdiomMatch.h"
#include "transforms/raise/ContractionLoops.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

/// Bits of the integers that an elementwise operation makes a tensor of f32 of; 0 if it is none.
unsigned dequantizedBits(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      !getElementTypeOrSelf(op->getResult(0)).isF32())
    return 0;
  constexpr unsigned leastBits = 4, mostBits = 16; // not of conditions, sizes and indices
  for (Value input : op.getDpsInputs())
    if (auto type = dyn_cast<RankedTensorType>(input.getType());
        type && type.getRank() > 0 && type.getElementType().isInteger() &&
        type.getElementTypeBitWidth() >= leastBits && type.getElementTypeBitWidth() <= mostBits)
      return type.getElementTypeBitWidth();
  return 0;
}

/// True if the elements of the operation's result are those of its operand, elsewhere.
bool isMove(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::PadOp,
             linalg::TransposeOp>(op) ||
         (generic && generic.getNumReductionLoops() == 0 && generic.getNumDpsInputs() == 1 &&
          llvm::hasSingleElement(*generic.getBody()));
}

/// Returns the operations that compute with the tensor.
SetVector<Operation *> readersOf(Operation *op) {
  SetVector<Operation *> all, readers;
  all.insert(op);
  for (size_t i = 0; i < all.size(); ++i) {
    SmallVector<Operation *> users(all[i]->getUsers());
    for (Operation *user : llvm::reverse(users)) // the first one first
      if (isMove(user))
        all.insert(user);
      else
        readers.insert(user);
  }
  return readers;
}

std::string reasonOf(Operation *reader, unsigned bits, const RefusedProducts &refused) {
  if (isa<bufferization::MaterializeInDestinationOp>(reader) ||
      reader->hasTrait<OpTrait::IsTerminator>())
    return "the value leaves the graph";
  if (auto found = refused.find(reader); found != refused.end())
    return nameOf(reader) + " is no product of bytes, as " + found->second;
  if (auto op = dyn_cast<linalg::LinalgOp>(reader); op && sumsProducts(op))
    return bits == 8 ? "the other operand of " + nameOf(reader) + " is not made of bytes"
                     : "products are of bytes, and this has " + std::to_string(bits) + " bits";
  return nameOf(reader) + " has no form of integers";
}

} // namespace

void reportFloatsOfBytes(func::FuncOp func, const RefusedProducts &refused, IdiomLog &log) {
  func.walk([&](linalg::LinalgOp op) {
    unsigned bits = dequantizedBits(op);
    if (bits == 0)
      return;
    SetVector<Operation *> readers = readersOf(op);
    SmallVector<std::string> reasons;
    for (Operation *reader : readers)
      if (std::string reason = reasonOf(reader, bits, refused);
          !llvm::is_contained(reasons, reason))
        reasons.push_back(std::move(reason));
    if (!reasons.empty())
      log.dequantized(op->getLoc(), llvm::join(reasons, "; "));
  });
}

} // namespace kgen
