#include "CaseModule.h"

#include "dialect/kgen/Kgen.h"
#include "ingress/Ingress.h"
#include "target/Target.h"

#include <stdexcept>

namespace kgen::tests {

CaseModule::CaseModule(const TargetSpec &target, const CompileOptions &options)
    : target(target), options(options),
      context(pipelineDialects(), mlir::MLIRContext::Threading::DISABLED) {
  context.loadDialect<KgenDialect>();
}

void CaseModule::add(const Graph &graph, const std::string &symbol) {
  Diagnostics diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> added =
      ingress(graph, makeTargetAttr(target, &context), context, symbol, diagnostics);
  if (!added)
    throw std::runtime_error(graph.name + ": " + diagnostics.str());
  symbols.push_back(symbol);
  if (!module)
    module = std::move(added);
  else
    module->getBody()->getOperations().splice(module->getBody()->end(),
                                              added->getBody()->getOperations());
}

llvm::Expected<CompiledCases> CaseModule::compile() {
  StagePasses passes;
  CompiledGraph code;
  if (llvm::Error error = optimiseModule(*module, "cases", options, passes))
    return error;
  CompiledCases result;
  for (const std::string &symbol : symbols)
    result.workspaceBytes.push_back(workspaceOf(*module, symbol));
  if (llvm::Error error = emitModule(*module, target, "cases", options, code, passes))
    return error;
  result.object = std::move(code.code);
  result.weights = std::move(code.weights);
  return result;
}

} // namespace kgen::tests
