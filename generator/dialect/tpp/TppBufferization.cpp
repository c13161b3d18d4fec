// One-shot bufferization of tile operations: the destination is updated in place, and read only by
// operations that accumulate.
#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h>

using namespace mlir;
using namespace mlir::bufferization;

namespace kgen::tpp {
namespace {

bool readsDestination(Operation *op) {
  if (auto contraction = dyn_cast<ContractionOpInterface>(op))
    return contraction.getAccumulate();
  return isa<ReduceOp>(op);
}

template <typename Op>
struct TileModel : DstBufferizableOpInterfaceExternalModel<TileModel<Op>, Op> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return !cast<Op>(op).isDpsInit(&operand) || readsDestination(op);
  }

  /// Elementwise operations may write to an input that they read at the same element. Contractions
  /// may not: blocks of k leave partial sums in C before the epilogue reads its operands.
  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &,
                                     ArrayRef<OpOperand *> operands) const {
    auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
    return elementwise && llvm::all_of(operands, [&](OpOperand *operand) {
             return elementwise.getOperandMap(operand->getOperandNumber()).isIdentity();
           });
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    if (cast<Op>(op).hasPureBufferSemantics())
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
    for (Region &region : op->getRegions())
      created.addRegion()->takeBody(region);
    rewriter.create(created);
    replaceOpWithBufferizedValues(rewriter, op, {buffers.back()});
    return success();
  }
};

/// tpp.implicit_pad is a view that only contractions read.
struct ImplicitPadModel : BufferizableOpInterface::ExternalModel<ImplicitPadModel, ImplicitPadOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &, const AnalysisState &) const {
    return false;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &, const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &, const AnalysisState &) const {
    return {{op->getResult(0), BufferRelation::Unknown}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    auto border = cast<ImplicitPadOp>(op);
    FailureOr<Value> source = getBuffer(rewriter, border.getSource(), options, state);
    if (failed(source))
      return failure();
    replaceOpWithNewBufferizedOp<ImplicitPadOp>(rewriter, op, *source, border.getLow(),
                                                border.getHigh());
    return success();
  }

  FailureOr<BufferLikeType> getBufferType(Operation *op, Value, const BufferizationOptions &options,
                                          const BufferizationState &state,
                                          SmallVector<Value> &stack) const {
    auto border = cast<ImplicitPadOp>(op);
    auto source = bufferization::getBufferType(border.getSource(), options, state, stack);
    if (failed(source))
      return failure();
    return cast<BufferLikeType>(
        ImplicitPadOp::typeOf(cast<ShapedType>(Type(*source)), border.getLow(), border.getHigh()));
  }
};

} // namespace

void registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TppDialect *) {
    GemmOp::attachInterface<TileModel<GemmOp>>(*context);
    BrgemmOp::attachInterface<TileModel<BrgemmOp>>(*context);
    ReduceOp::attachInterface<TileModel<ReduceOp>>(*context);
    TransposeOp::attachInterface<TileModel<TransposeOp>>(*context);
    VnniPackOp::attachInterface<TileModel<VnniPackOp>>(*context);
    ImplicitPadOp::attachInterface<ImplicitPadModel>(*context);
#define ELEMENTWISE(Op) Op::attachInterface<TileModel<Op>>(*context);
#include "dialect/tpp/ElementwiseOps.def"
  });
}

} // namespace kgen::tpp
