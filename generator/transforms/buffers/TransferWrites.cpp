#include "transforms/buffers/TransferWrites.h"

#include <mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h>
#include <mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;
using namespace mlir::bufferization;

namespace kgen {
namespace {

/// Whether all elements of the tensor are written, whatever they were.
bool overwritesAll(vector::TransferWriteOp write) {
  ShapedType tensor = write.getShapedType();
  VectorType vector = write.getVectorType();
  return tensor.hasStaticShape() && tensor.getNumElements() == vector.getNumElements() &&
         !vector.isScalable() && !write.getMask() &&
         llvm::all_of(write.getIndices(), [](Value i) { return isConstantIntValue(i, 0); }) &&
         !write.hasOutOfBoundsDim();
}

struct TransferWriteModel
    : DstBufferizableOpInterfaceExternalModel<TransferWriteModel, vector::TransferWriteOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &, const AnalysisState &) const {
    return !overwritesAll(cast<vector::TransferWriteOp>(op));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    auto write = cast<vector::TransferWriteOp>(op);
    FailureOr<Value> buffer = getBuffer(rewriter, write.getBase(), options, state);
    if (failed(buffer))
      return failure();
    vector::TransferWriteOp::create(rewriter, write.getLoc(), write.getVector(), *buffer,
                                    write.getIndices(), write.getPermutationMapAttr(),
                                    write.getMask(), write.getInBoundsAttr());
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
