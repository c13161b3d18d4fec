#include "transforms/bufferize/TransferWriteBufferization.h"

#include <mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h>
#include <mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

using namespace mlir;
using namespace mlir::bufferization;

namespace kgen {
namespace {

/// True if the vector overwrites all elements of the tensor.
bool overwritesAll(vector::TransferWriteOp write) {
  ShapedType tensor = write.getShapedType();
  VectorType vector = write.getVectorType();
  return tensor.hasStaticShape() && tensor.getNumElements() == vector.getNumElements() &&
         !vector.isScalable() && !write.getMask() &&
         llvm::all_of(write.getIndices(), [](Value i) { return isConstantIntValue(i, 0); }) &&
         !write.hasOutOfBoundsDim();
}

/// True if the tensor is the result of the previous write, which has no other user, and no
/// operation between the two has regions, effects or tensors as results: both are like one
/// operation.
bool continuesWrite(vector::TransferWriteOp write) {
  auto before = write.getBase().getDefiningOp<vector::TransferWriteOp>();
  if (!before || before->getBlock() != write->getBlock() || !before->hasOneUse())
    return false;
  for (Operation *op = before->getNextNode(); op != write; op = op->getNextNode())
    if (op->getNumRegions() || !isMemoryEffectFree(op) ||
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
      return false;
  return true;
}

/// The bufferization model of vector.transfer_write. Only the first of consecutive writes counts as
/// a read of the old elements: the analysis looks at all pairs of reads and writes, and walks
/// through the writes between them, which is cubic in their number.
struct TransferWriteModel
    : DstBufferizableOpInterfaceExternalModel<TransferWriteModel, vector::TransferWriteOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &, const AnalysisState &) const {
    auto write = cast<vector::TransferWriteOp>(op);
    return !overwritesAll(write) && !continuesWrite(write);
  }

  /// A copy keeps the elements of the previous writes, although they do not count as reads.
  LogicalResult resolveConflicts(Operation *op, RewriterBase &rewriter,
                                 const AnalysisState &analysis,
                                 const BufferizationState &state) const {
    auto write = cast<vector::TransferWriteOp>(op);
    OpOperand &tensor = write.getBaseMutable();
    if (!continuesWrite(write) || analysis.isInPlace(tensor))
      return cast<BufferizableOpInterface>(op).resolveTensorOpOperandConflicts(rewriter, analysis,
                                                                               state);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    FailureOr<Value> copy = allocateTensorForShapedValue(rewriter, op->getLoc(), tensor.get(),
                                                         analysis.getOptions(), state);
    if (failed(copy))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { tensor.set(*copy); });
    return success();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    auto write = cast<vector::TransferWriteOp>(op);
    FailureOr<Value> buffer = getBuffer(rewriter, write.getBase(), options, state);
    if (failed(buffer))
      return failure();
    auto written = vector::TransferWriteOp::create(
        rewriter, write.getLoc(), write.getVector(), *buffer, write.getIndices(),
        write.getPermutationMapAttr(), write.getMask(), write.getInBoundsAttr());
    written->setDiscardableAttrs(write->getDiscardableAttrDictionary());
    replaceOpWithBufferizedValues(rewriter, op, *buffer);
    return success();
  }
};

} // namespace

void registerTransferWriteBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, vector::VectorDialect *) {
    vector::TransferWriteOp::attachInterface<TransferWriteModel>(*context);
  });
}

} // namespace kgen
