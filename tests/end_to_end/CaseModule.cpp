#include "CaseModule.h"

#include "dialect/kgen/Kgen.h"
#include "ingress/Ingress.h"
#include "target/Target.h"

#include <mlir/IR/OwningOpRef.h>

#include <stdexcept>

namespace kgen::tests {

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
  CompiledCases result;
  for (const CaseFunction &one : cases)
    result.workspaceBytes.push_back(workspaceOf(*module, one.symbol));
  CompiledGraph code;
  if (llvm::Error error = emitModule(*module, target, "cases", options, code, passes))
    return error;
  result.object = std::move(code.code);
  result.weights = std::move(code.weights);
  return result;
}

} // namespace kgen::tests
