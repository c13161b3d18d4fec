// Calls of functions from outside of the library become calls of the LLVM dialect, after which the
// graph's function returns where they fail.
#include "dialect/kgen/Kgen.h"
#include "transforms/parallel/LowerRuntimeCalls.h"

#include <mlir/Conversion/LLVMCommon/MemRefBuilder.h>
#include <mlir/Conversion/LLVMCommon/TypeConverter.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

using namespace mlir;

namespace kgen {
namespace {

class ExternLowering {
public:
  explicit ExternLowering(ModuleOp module)
      : module(module), converter(module.getContext(), runtimeCallOptions(module)),
        b(module.getContext()), pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  /// Lowers all calls of a function.
  LogicalResult lower(LLVM::LLVMFuncOp function, ArrayRef<ExternOp> calls) {
    if (function.isPrivate() ||
        !isa<LLVM::LLVMVoidType>(function.getFunctionType().getReturnType()))
      return calls.front()->emitError(
          "only a graph's function, which returns nothing yet, may call functions from outside");
    returnStatus(function);
    Block *failed = b.createBlock(&function.getBody(), function.getBody().end(), b.getI32Type(),
                                  function.getLoc());
    LLVM::ReturnOp::create(b, function.getLoc(), failed->getArgument(0));
    for (ExternOp call : calls)
      if (mlir::failed(lower(call, failed)))
        return failure();
    return success();
  }

private:
  Value constant(Type type, int64_t value, mlir::Location loc) {
    return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
  }

  /// The function returns 0.
  void returnStatus(LLVM::LLVMFuncOp function) {
    function.setFunctionType(LLVM::LLVMFunctionType::get(
        b.getI32Type(), function.getFunctionType().getParams(), /*isVarArg=*/false));
    for (Block &block : function.getBody())
      if (auto end = dyn_cast<LLVM::ReturnOp>(block.getTerminator())) {
        b.setInsertionPoint(end);
        LLVM::ReturnOp::create(b, end.getLoc(), constant(b.getI32Type(), 0, end.getLoc()));
        end.erase();
      }
  }

  FailureOr<LLVM::LLVMFuncOp> declaration(ExternOp call) {
    SmallVector<Type> parameters(call.getPointerCount() + 1, pointer);
    parameters.push_back(converter.getIndexType());
    auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), parameters);
    if (Operation *known = module.lookupSymbol(call.getSymbol())) {
      auto function = dyn_cast<LLVM::LLVMFuncOp>(known);
      if (!function || !function.isExternal() || function.getFunctionType() != type)
        return call.emitError() << "'" << call.getSymbol() << "' is something else, too";
      return function;
    }
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    return LLVM::LLVMFuncOp::create(b, module.getLoc(), call.getSymbol(), type);
  }

  Value addressOf(Value buffer, mlir::Location loc) {
    Type type = converter.convertType(buffer.getType());
    Value converted = UnrealizedConversionCastOp::create(b, loc, type, buffer).getResult(0);
    return MemRefDescriptor(converted).alignedPtr(b, loc);
  }

  LogicalResult lower(ExternOp call, Block *failed) {
    auto hasLayout = [](Value operand) {
      auto type = dyn_cast<MemRefType>(operand.getType());
      return !type || !type.getLayout().isIdentity();
    };
    if (llvm::any_of(call->getOperands(), hasLayout))
      return call.emitError("operands must be buffers without layout");
    FailureOr<LLVM::LLVMFuncOp> function = declaration(call);
    if (mlir::failed(function))
      return failure();
    mlir::Location loc = call.getLoc();
    b.setInsertionPoint(call);
    SmallVector<Value> arguments;
    for (ValueRange group : {ValueRange(call.getInputs()), ValueRange(call.getOutputs())})
      for (Value operand : group)
        arguments.push_back(addressOf(operand, loc));
    for (int64_t place : call.getEmptyArguments().value_or(ArrayRef<int64_t>()))
      arguments.insert(arguments.begin() + place, LLVM::ZeroOp::create(b, loc, pointer));
    arguments.push_back(call.getWorkspace() ? addressOf(call.getWorkspace(), loc)
                                            : LLVM::ZeroOp::create(b, loc, pointer).getResult());
    arguments.push_back(constant(converter.getIndexType(), call.getWorkspaceSize(), loc));
    Value status = LLVM::CallOp::create(b, loc, *function, arguments).getResult();
    Value isFailure = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, status,
                                           constant(b.getI32Type(), 0, loc));
    Block *before = call->getBlock();
    Block *after = before->splitBlock(call->getNextNode());
    call.erase();
    b.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(b, loc, isFailure, failed, ValueRange(status), after, ValueRange());
    return success();
  }

  ModuleOp module;
  LLVMTypeConverter converter;
  OpBuilder b;
  LLVM::LLVMPointerType pointer;
};

} // namespace

FailureOr<int64_t> lowerExternCalls(ModuleOp module) {
  llvm::MapVector<LLVM::LLVMFuncOp, SmallVector<ExternOp>> calls;
  bool isLost = false;
  module.walk([&](ExternOp call) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(call->getParentOp());
    if (function)
      calls[function].push_back(call);
    else
      call.emitError("must stand in a function of the LLVM dialect, and not in a loop");
    isLost |= !function;
  });
  if (isLost)
    return failure();
  ExternLowering lowering(module);
  int64_t count = 0;
  for (auto &[function, list] : calls) {
    count += static_cast<int64_t>(list.size());
    if (failed(lowering.lower(function, list)))
      return failure();
  }
  return count;
}

} // namespace kgen
