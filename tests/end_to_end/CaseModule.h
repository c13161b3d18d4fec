// Several small graphs in one module, so that the pipeline is set up once for all of them.
#pragma once

#include "driver/Compile.h"

#include <mlir/IR/OwningOpRef.h>

namespace kgen::tests {

struct CompiledCases {
  std::string object;
  std::vector<int64_t> workspaceBytes; ///< by case
  std::vector<WeightBlob> weights;
};

/// The steps of compileGraph(), but for functions of several graphs.
class CaseModule {
public:
  /// Both must outlive the module.
  CaseModule(const TargetSpec &target, const CompileOptions &options);
  /// Throws if the graph cannot be lowered. `symbol`: of the function.
  void add(const Graph &graph, const std::string &symbol);
  llvm::Expected<CompiledCases> compile();

private:
  const TargetSpec &target;
  const CompileOptions &options;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::string> symbols;
};

} // namespace kgen::tests
