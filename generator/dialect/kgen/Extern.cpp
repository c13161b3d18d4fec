// Calls of functions from outside of the library: what they may do, and their bufferization.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;
using namespace mlir::bufferization;

namespace kgen {

void ExternOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get()); // of who knows what else
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isWorkspace = operand.get() == getWorkspace();
    if (isWorkspace || !isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isWorkspace || isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

LogicalResult ExternOp::verify() {
  if (getSymbol().empty())
    return emitOpError("needs the name of a function");
  if (getWorkspaceBytes() && *getWorkspaceBytes() < 1)
    return emitOpError("'workspace_bytes' must be positive");
  int64_t last = -1;
  for (int64_t place : getEmptyArguments().value_or(ArrayRef<int64_t>())) {
    if (place <= last || place >= getPointerCount())
      return emitOpError("'empty_arguments' must be ascending places among the ")
             << getPointerCount() << " pointers";
    last = place;
  }
  if (!hasPureTensorSemantics() && !hasPureBufferSemantics())
    return emitOpError("operands must be tensors or buffers, all of them");
  bool needsWorkspace = hasPureBufferSemantics() && getWorkspaceBytes();
  if (needsWorkspace != static_cast<bool>(getWorkspace()))
    return emitOpError("has a workspace operand where it works on buffers and has "
                       "'workspace_bytes', and nowhere else");
  return success();
}

namespace {

/// The nodes, without the number of the call: copies are steps of their own.
mlir::Location namesOf(mlir::Location loc) {
  SmallVector<mlir::Location> names;
  for (StringAttr name : namesIn(loc))
    names.push_back(NameLoc::get(name));
  return FusedLoc::get(names, {}, loc.getContext());
}

/// The memory of the operand, in the order of its dimensions. What is elsewhere is copied in front
/// of the call if it is `read`.
Value withoutLayout(RewriterBase &rewriter, mlir::Location loc, Value buffer, bool read) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getLayout().isIdentity())
    return buffer;
  auto plain = MemRefType::get(type.getShape(), type.getElementType());
  Value copy = memref::AllocOp::create(rewriter, loc, plain);
  if (read)
    memref::CopyOp::create(rewriter, loc, buffer, copy);
  return copy;
}

/// All elements of the outputs are written, after which none of the inputs is read.
struct ExternModel : DstBufferizableOpInterfaceExternalModel<ExternModel, ExternOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return !cast<ExternOp>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    auto call = cast<ExternOp>(op);
    if (call.hasPureBufferSemantics())
      return success();
    mlir::Location around = namesOf(op->getLoc());
    SmallVector<Value> inputs, outputs, results;
    rewriter.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      bool isInput = !call.isDpsInit(&operand);
      if (!isInput)
        results.push_back(*buffer);
      (isInput ? inputs : outputs)
          .push_back(withoutLayout(rewriter, around, *buffer, /*read=*/isInput));
    }
    Value workspace;
    if (int64_t bytes = call.getWorkspaceSize())
      workspace = memref::AllocOp::create(rewriter, op->getLoc(),
                                          MemRefType::get({bytes}, rewriter.getI8Type()));
    ExternOp::create(rewriter, op->getLoc(), TypeRange(), call.getSymbolAttr(), inputs, outputs,
                     workspace, call.getWorkspaceBytesAttr(), call.getEmptyArgumentsAttr());
    for (auto [written, result] : llvm::zip_equal(outputs, results))
      if (written != result)
        memref::CopyOp::create(rewriter, around, written, result);
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

} // namespace

void registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, KgenDialect *) {
    ExternOp::attachInterface<ExternModel>(*context);
    context->loadDialect<memref::MemRefDialect>();
  });
}

} // namespace kgen
