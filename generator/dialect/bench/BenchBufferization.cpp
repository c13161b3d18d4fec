// One-shot bufferization: checks read their operands. A measurement reads `ins`, which its region
// must not overwrite because the next iteration reads them again, and writes `outs`.
#include "dialect/bench/Bench.h"

#include <mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>

using namespace mlir;
using namespace mlir::bufferization;

namespace kgen::bench {
namespace {

/// Operations without regions that only read tensors.
template <typename Op>
struct ReaderModel : BufferizableOpInterface::ExternalModel<ReaderModel<Op>, Op> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &, const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &, const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &, const AnalysisState &) const {
    return {};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<TensorType>(operand.get().getType()))
        continue;
      FailureOr<Value> buffer = getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      rewriter.modifyOpInPlace(op, [&] { operand.set(*buffer); });
    }
    return success();
  }
};

/// Yielded values are copied into `outs`; the copy is removed if the region wrote there already.
/// The terminator is bufferized before its parent.
struct YieldModel : BufferizableOpInterface::ExternalModel<YieldModel, YieldOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &, const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &, const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &, const AnalysisState &) const {
    return {};
  }
  /// A tensor in another buffer is copied into `outs`, not into a new allocation.
  bool mustBufferizeInPlace(Operation *, OpOperand &, const AnalysisState &) const { return true; }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    auto outs = op->getBlock()->getArguments().take_back(op->getNumOperands());
    for (auto [value, out] : llvm::zip(op->getOperands(), outs)) {
      FailureOr<Value> from = getBuffer(rewriter, value, options, state);
      FailureOr<Value> to = getBuffer(rewriter, out, options, state);
      if (failed(from) || failed(to) ||
          failed(options.createMemCpy(rewriter, op->getLoc(), *from, *to)))
        return failure();
    }
    replaceOpWithNewBufferizedOp<YieldOp>(rewriter, op, ValueRange{});
    return success();
  }
};

struct MeasureModel : BufferizableOpInterface::ExternalModel<MeasureModel, MeasureOp> {
  static bool isInit(Operation *op, unsigned position) {
    return position >= cast<MeasureOp>(op).getInputs().size();
  }
  bool bufferizesToMemoryRead(Operation *, OpOperand &, const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return isInit(op, operand.getOperandNumber());
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    unsigned position = operand.getOperandNumber(), inputs = cast<MeasureOp>(op).getInputs().size();
    if (position < inputs)
      return {};
    return {{op->getResult(position - inputs), BufferRelation::Equivalent}};
  }
  bool isWritable(Operation *op, Value value, const AnalysisState &) const {
    auto argument = dyn_cast<BlockArgument>(value);
    return !argument || isInit(op, argument.getArgNumber());
  }
  FailureOr<BufferLikeType> getBufferType(Operation *op, Value value,
                                          const BufferizationOptions &options,
                                          const BufferizationState &state,
                                          SmallVector<Value> &stack) const {
    auto measure = cast<MeasureOp>(op);
    Value operand = isa<BlockArgument>(value)
                        ? op->getOperand(cast<BlockArgument>(value).getArgNumber())
                        : measure.getInits()[cast<OpResult>(value).getResultNumber()];
    if (auto buffer = dyn_cast<BufferLikeType>(operand.getType()))
      return buffer;
    return bufferization::getBufferType(operand, options, state, stack);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const;
};

LogicalResult MeasureModel::bufferize(Operation *op, RewriterBase &rewriter,
                                      const BufferizationOptions &options,
                                      BufferizationState &state) const {
  auto measure = cast<MeasureOp>(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> buffer = operand;
    if (isa<TensorType>(operand.getType()))
      buffer = getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  ArrayRef<Value> all(operands);
  size_t inputs = measure.getInputs().size();
  auto buffered =
      MeasureOp::create(rewriter, op->getLoc(), TypeRange{}, measure.getIterations(),
                        measure.getFlopsAttr(), all.take_front(inputs), all.drop_front(inputs));
  buffered->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(measure.getBody(), buffered.getBody(), buffered.getBody().begin());
  rewriter.setInsertionPointToStart(&buffered.getBody().front());
  for (BlockArgument argument : buffered.getBody().front().getArguments()) {
    Type tensor = argument.getType();
    if (!isa<TensorType>(tensor))
      continue;
    rewriter.modifyOpInPlace(
        buffered, [&] { argument.setType(operands[argument.getArgNumber()].getType()); });
    auto toTensor = ToTensorOp::create(rewriter, op->getLoc(), tensor, argument);
    rewriter.replaceAllUsesExcept(argument, toTensor.getResult(), toTensor);
  }
  replaceOpWithBufferizedValues(rewriter, op, all.drop_front(inputs));
  return success();
}

} // namespace

void registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, BenchDialect *) {
    ExpectCloseOp::attachInterface<ReaderModel<ExpectCloseOp>>(*context);
    ExpectFiniteOp::attachInterface<ReaderModel<ExpectFiniteOp>>(*context);
    PrintOp::attachInterface<ReaderModel<PrintOp>>(*context);
    MeasureOp::attachInterface<MeasureModel>(*context);
    YieldOp::attachInterface<YieldModel>(*context);
  });
}

} // namespace kgen::bench
