#include "driver/run/EntryFunction.h"

#include "dialect/bench/Bench.h"
#include "ingress/mlir/Functions.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Linalg/Passes.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Transforms/Passes.h>

using namespace mlir;

namespace kgen {
namespace {

/// Appends what the host must know of an argument or result; reports what it cannot provide.
LogicalResult describe(func::FuncOp function, Type type, bool isResult,
                       std::vector<EntryArgument> &arguments) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!isa<RankedTensorType>(type) && (isResult || !isa<MemRefType>(type)))
    return function.emitError() << (isResult ? "results must be tensors"
                                             : "arguments must be tensors or memrefs")
                                << ", found " << type;
  if (!shaped.hasStaticShape())
    return function.emitError() << "needs static shapes, found " << type;
  if (auto buffer = dyn_cast<MemRefType>(type); buffer && !buffer.getLayout().isIdentity())
    return function.emitError() << "needs memrefs without layout, found " << type;
  std::optional<ElementType> element = elementTypeOf(shaped.getElementType());
  if (!element || isFloat8(*element)) // the ingress makes bytes of floats of 8 bits
    return function.emitError()
           << "elements must be f16, bf16, f32, f64, i1, i8, i16, i32 or i64, found " << type;
  arguments.push_back({{*element, shaped.getShape().vec()}, isResult});
  return success();
}

/// TOSA, and elementwise operations on whole tensors, become linalg.
LogicalResult convertToLinalg(ModuleOp module) {
  if (failed(tosaToLinalg(module)))
    return failure();
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  return pm.run(module);
}

/// The function becomes the only one.
LogicalResult isolate(func::FuncOp entry) {
  if (failed(isolateFunction(entry)))
    return failure();
  WalkResult walk = entry.walk([&](func::CallOp call) {
    call.emitError() << "a call of '" << call.getCallee() << "' cannot be inlined";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// Fusion makes what is yielded from empty tensors; now they are known to become the destinations.
void writeInPlace(bench::MeasureOp measure) {
  Block &block = measure.getBody().front();
  OpBuilder b(block.getTerminator());
  auto outs = block.getArguments().take_back(measure.getInits().size());
  for (auto [yielded, out] : llvm::zip(block.getTerminator()->getOpOperands(), outs))
    yielded.set(
        bufferization::MaterializeInDestinationOp::create(b, measure.getLoc(), yielded.get(), out)
            .getResult());
}

/// Tensors become buffers: arguments that are only read, and destinations of what is returned.
void passBuffers(func::FuncOp function) {
  Block &block = function.getBody().front();
  OpBuilder b(&block, block.begin());
  for (BlockArgument argument : block.getArguments()) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (!tensor)
      continue;
    argument.setType(MemRefType::get(tensor.getShape(), tensor.getElementType()));
    auto read =
        bufferization::ToTensorOp::create(b, function.getLoc(), tensor, argument, /*restrict=*/true,
                                          /*writable=*/false);
    argument.replaceAllUsesExcept(read.getResult(), read);
  }
  Operation *end = block.getTerminator();
  b.setInsertionPoint(end);
  for (Value result : end->getOperands()) {
    auto tensor = cast<RankedTensorType>(result.getType());
    Value out = block.addArgument(MemRefType::get(tensor.getShape(), tensor.getElementType()),
                                  function.getLoc());
    auto write = bufferization::MaterializeInDestinationOp::create(b, end->getLoc(), result, out);
    write.setRestrict(true);
    write.setWritable(true);
  }
  end->setOperands({});
  function.setFunctionType(b.getFunctionType(block.getArgumentTypes(), {}));
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
}

} // namespace

FailureOr<std::vector<EntryArgument>> makeEntry(ModuleOp module, const std::string &name,
                                                const std::string &symbol) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function || function.isDeclaration())
    return emitError(module.getLoc()) << "there is no function '" << name << "' with a body";
  std::vector<EntryArgument> arguments;
  for (Type type : function.getArgumentTypes())
    if (failed(describe(function, type, false, arguments)))
      return failure();
  for (Type type : function.getResultTypes())
    if (failed(describe(function, type, true, arguments)))
      return failure();
  if (failed(isolate(function)) || failed(convertToLinalg(module)))
    return failure();
  if (!function.getBody().hasOneBlock())
    return function.emitError("must be one block: use scf for control flow");
  function.walk(writeInPlace);
  passBuffers(function);
  function.setSymName(symbol);
  return arguments;
}

} // namespace kgen
