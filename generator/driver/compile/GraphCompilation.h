// From a graph to the code of one function.
#pragma once

#include "driver/compile/Compile.h"

#include <mlir/IR/OwningOpRef.h>

namespace kgen {

/// Compiles a graph for a target, in two steps of about the same length that two threads may do,
/// one after the other. The function `symbol` is hidden and takes the graph's inputs, its outputs
/// and the workspace (aligned to 64 bytes) as pointers. Several threads may compile at a time.
class GraphCompilation {
public:
  /// `graph` and `target`, and what `options` points to, have to live as long.
  GraphCompilation(const Graph &graph, const TargetSpec &target, std::string symbol,
                   CompileOptions options);
  ~GraphCompilation();

  /// All stages but the last, to functions whose loops call micro-kernels.
  llvm::Error optimize();
  /// The last stage, and LLVM, after optimize() has succeeded. Machine code outside of the target's
  /// features is an error.
  llvm::Expected<CompiledGraph> emit();

private:
  llvm::Error prepare();

  const Graph &graph;
  const TargetSpec &target;
  const std::string symbol, what;
  const CompileOptions options;
  mlir::MLIRContext context;
  StagePasses passes;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  CompiledGraph result;
};

/// Both steps of a GraphCompilation.
llvm::Expected<CompiledGraph> compileGraph(const Graph &graph, const TargetSpec &target,
                                           const std::string &symbol,
                                           const CompileOptions &options);

} // namespace kgen
