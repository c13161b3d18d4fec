// See Reference.h.
#include "simulate/Reference.h"

#include "simulate/Sites.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Bufferization/Transforms/Passes.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/Linalg/Passes.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Pass/PassManager.h>

#include <llvm/ADT/StringExtras.h>

using namespace mlir;

namespace kgen {

/// True if it has loops over blocks or cores.
static bool isScheduled(func::FuncOp function) {
  return function
      .walk([](scf::ForallOp op) {
        bool isMapped = op.getMapping() && llvm::any_of(*op.getMapping(), [](Attribute a) {
                          return isa<gpu::GPUBlockMappingAttr, gpu::GPUThreadMappingAttr>(a);
                        });
        return isMapped ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Shapes and element types of arguments, and of results after them.
static SmallVector<Type> tensorsOf(func::FuncOp function) {
  SmallVector<Type> types;
  for (TypeRange list :
       {TypeRange(function.getArgumentTypes()), TypeRange(function.getResultTypes())})
    for (Type type : list)
      if (auto shaped = dyn_cast<ShapedType>(type))
        types.push_back(RankedTensorType::get(shaped.getShape(), shaped.getElementType()));
      else
        types.push_back(type);
  return types;
}

static func::FuncOp findFunction(ModuleOp module, const std::string &name, const char *option,
                                 Diagnostics &diagnostics) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (function)
    return function;
  std::vector<std::string> names;
  for (auto other : module.getOps<func::FuncOp>())
    names.push_back(other.getName().str());
  diagnostics.error(locationOf(module.getLoc()),
                    "there is no function '" + name + "'" + didYouMean(name, names),
                    std::string(option) + " names one of: " + llvm::join(names, ", "));
  return {};
}

/// The only function that has loops over blocks or cores, or else the only one.
static func::FuncOp findScheduled(ModuleOp module, Diagnostics &diagnostics) {
  SmallVector<func::FuncOp> all(module.getOps<func::FuncOp>()), scheduled;
  llvm::copy_if(all, std::back_inserter(scheduled), isScheduled);
  const auto &candidates = scheduled.empty() ? all : scheduled;
  if (candidates.size() == 1)
    return candidates.front();
  std::vector<std::string> names;
  for (func::FuncOp function : candidates)
    names.push_back(function.getName().str());
  diagnostics.error(locationOf(module.getLoc()),
                    all.empty()
                        ? "there is no function to simulate"
                        : "there are several functions to simulate: " + llvm::join(names, ", "),
                    all.empty() ? "" : "choose one with --function");
  return {};
}

std::optional<SimulatedFunctions> chooseFunctions(ModuleOp module, const SimulationOptions &options,
                                                  Diagnostics &diagnostics) {
  SimulatedFunctions chosen;
  chosen.scheduled = options.function.empty()
                         ? findScheduled(module, diagnostics)
                         : findFunction(module, options.function, "--function", diagnostics);
  if (!chosen.scheduled)
    return std::nullopt;
  SmallVector<Type> wanted = tensorsOf(chosen.scheduled);
  if (options.reference.empty()) {
    for (auto other : module.getOps<func::FuncOp>())
      if (other != chosen.scheduled && !other.isExternal() && !isScheduled(other) &&
          tensorsOf(other) == wanted && !chosen.reference)
        chosen.reference = other;
    return chosen;
  }
  chosen.reference = findFunction(module, options.reference, "--reference", diagnostics);
  if (!chosen.reference)
    return std::nullopt;
  if (tensorsOf(chosen.reference) == wanted)
    return chosen;
  diagnostics.error(locationOf(chosen.reference.getLoc()),
                    "the reference '" + options.reference + "' must have the arguments of '" +
                        chosen.scheduled.getName().str() + "'",
                    "results of tensors stand for the last arguments");
  return std::nullopt;
}

OwningOpRef<ModuleOp> bufferizedModule(func::FuncOp function, Diagnostics &diagnostics) {
  auto parent = function->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(parent.getLoc());
  OpBuilder builder = OpBuilder::atBlockBegin(module->getBody());
  for (Operation &op : *parent.getBody())
    if (&op == function || isa<memref::GlobalOp>(op))
      builder.clone(op);
  bool hasTensors = function
                        .walk([](Operation *op) {
                          auto isTensor = [](Type type) { return isa<TensorType>(type); };
                          return llvm::any_of(op->getResultTypes(), isTensor) ||
                                         llvm::any_of(op->getOperandTypes(), isTensor)
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
  if (!hasTensors)
    return module;
  PassManager passes(function.getContext());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  passes.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  passes.addPass(bufferization::createOneShotBufferizePass(options));
  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.modifyPublicFunctions = true;
  passes.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  if (succeeded(passes.run(*module)))
    return module;
  diagnostics.error(locationOf(function.getLoc()),
                    "'" + function.getName().str() + "' cannot be bufferized");
  return {};
}

} // namespace kgen
