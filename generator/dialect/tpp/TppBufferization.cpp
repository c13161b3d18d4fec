// One-shot bufferization of tile operations: C is updated in place, and only read where it is
// accumulated into.
#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h>

using namespace mlir;
using namespace mlir::bufferization;

namespace kgen::tpp {
namespace {

template <typename Op>
struct ContractionModel : DstBufferizableOpInterfaceExternalModel<ContractionModel<Op>, Op> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    auto contraction = cast<Op>(op);
    return !contraction.isDpsInit(&operand) || contraction.getAccumulate();
  }

  /// Blocks of k leave partial sums in C, so that not even an extra that is read at exactly the
  /// element that is written may share C's buffer.
  bool bufferizesToElementwiseAccess(Operation *, const AnalysisState &,
                                     ArrayRef<OpOperand *>) const {
    return false;
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    auto contraction = cast<Op>(op);
    if (contraction.hasPureBufferSemantics())
      return success();
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    rewriter.setInsertionPoint(op);
    OperationState created(op->getLoc(), op->getName(), buffers, TypeRange{},
                           op->getDiscardableAttrDictionary().getValue());
    created.propertiesAttr = op->getPropertiesAsAttribute();
    created.addRegion();
    Operation *buffered = rewriter.create(created);
    rewriter.inlineRegionBefore(contraction.getEpilogue(), buffered->getRegion(0),
                                buffered->getRegion(0).begin());
    replaceOpWithBufferizedValues(rewriter, op, {buffers.back()});
    return success();
  }
};

} // namespace

void registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TppDialect *) {
    GemmOp::attachInterface<ContractionModel<GemmOp>>(*context);
    BrgemmOp::attachInterface<ContractionModel<BrgemmOp>>(*context);
  });
}

} // namespace kgen::tpp
