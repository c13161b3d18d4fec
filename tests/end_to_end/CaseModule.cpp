#include "CaseModule.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/MakeTarget.h"
#include "driver/compile/WorkspaceDims.h"
#include "ingress/Ingress.h"

#include <mlir/IR/OwningOpRef.h>

#include <stdexcept>

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringMap.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>

namespace kgen::tests {

/// "__constant_2x2xf32" of "__constant_2x2xf32_11".
static llvm::StringRef withoutNumber(llvm::StringRef name) {
  llvm::StringRef prefix = name.rtrim("0123456789");
  return prefix.size() < name.size() && prefix.ends_with("_") ? prefix.drop_back() : name;
}

/// Puts constants in the order of their first use and numbers them in that order: upstream's
/// bufferization visits the functions of a module in the order of their addresses, which changes
/// from run to run.
static void orderGlobals(mlir::ModuleOp module) {
  mlir::SymbolTable symbols(module);
  llvm::SetVector<mlir::Operation *> used;
  module.walk([&](mlir::memref::GetGlobalOp use) { used.insert(symbols.lookup(use.getName())); });
  llvm::StringMap<int64_t> counts;
  llvm::StringMap<std::string> names;
  for (mlir::Operation *global : used) {
    global->moveBefore(module.getBody(), module.getBody()->end());
    llvm::StringRef old = mlir::SymbolTable::getSymbolName(global), prefix = withoutNumber(old);
    int64_t number = counts[prefix]++;
    names[old] = number == 0 ? prefix.str() : prefix.str() + "_" + std::to_string(number - 1);
  }
  for (mlir::Operation *global : used)
    mlir::SymbolTable::setSymbolName(global, names[mlir::SymbolTable::getSymbolName(global)]);
  module.walk([&](mlir::memref::GetGlobalOp use) { use.setName(names[use.getName()]); });
}

/// The exact bytes, so that the runner finds what is written after them.
static int64_t workspaceAt(mlir::ModuleOp module, const CaseFunction &one) {
  std::string map = workspaceSizesOf(module, one.symbol);
  if (map.empty())
    return workspaceOf(module, one.symbol);
  int64_t greatest = 0;
  for (const Dim &size : workspaceDims(map, one.graph.dims))
    greatest = std::max(greatest, size.valueFor(one.sizes));
  return greatest;
}

CaseCompiler::CaseCompiler(const TargetSpec &target, const CompileOptions &options)
    : target(target), options(options),
      context(pipelineDialects(), mlir::MLIRContext::Threading::DISABLED) {
  context.loadDialect<KgenDialect>();
}

llvm::Expected<CompiledCases> CaseCompiler::compile(llvm::ArrayRef<CaseFunction> cases) {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  for (const CaseFunction &one : cases) {
    Diagnostics diagnostics;
    mlir::OwningOpRef<mlir::ModuleOp> added =
        ingress(one.graph, makeTargetAttr(target, &context), context, one.symbol, diagnostics);
    if (!added)
      throw std::runtime_error(one.graph.name + ": " + diagnostics.str());
    if (!module)
      module = std::move(added);
    else
      module->getBody()->getOperations().splice(module->getBody()->end(),
                                                added->getBody()->getOperations());
  }
  if (llvm::Error error = optimizeModule(*module, "cases", options, passes))
    return error;
  orderGlobals(*module);
  CompiledCases result;
  for (const CaseFunction &one : cases)
    result.workspaceBytes.push_back(workspaceAt(*module, one));
  CompiledGraph code;
  if (llvm::Error error = emitModule(*module, target, "cases", options, code, passes))
    return error;
  result.object = std::move(code.code);
  result.weights = std::move(code.weights);
  return result;
}

} // namespace kgen::tests
