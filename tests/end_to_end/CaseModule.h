// Small graphs, several in one module; context and passes are set up once for all modules.
#pragma once

#include "driver/compile/GraphCompilation.h"
#include "driver/load/Sizes.h"

namespace kgen::tests {

struct CompiledCases {
  std::string object;
  std::vector<int64_t> workspaceBytes; ///< by case
  std::vector<WeightBlob> weights;
};

/// A graph, the symbol of its function, and the sizes that it is called with.
struct CaseFunction {
  Graph graph;
  std::string symbol;
  SizeValues sizes{};
};

/// The steps of compileGraph(), but for functions of several graphs.
class CaseCompiler {
public:
  /// Both must outlive the compiler.
  CaseCompiler(const TargetSpec &target, const CompileOptions &options);
  /// One module of all of them. Throws if a graph cannot be lowered.
  llvm::Expected<CompiledCases> compile(llvm::ArrayRef<CaseFunction> cases);

private:
  const TargetSpec &target;
  const CompileOptions &options;
  mlir::MLIRContext context;
  StagePasses passes;
};

} // namespace kgen::tests
