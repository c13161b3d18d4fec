// Graphs for a kind of graphics cards: kernels, and tables of their launches.
#pragma once

#include "driver/compile/Compile.h"
#include "driver/gpu/CutGraph.h"
#include "emit/GpuInterface.h"
#include "target/GpuSpec.h"

#include <functional>
#include <memory>
#include <optional>

namespace kgen {

struct GpuCompileOptions {
  std::string weightPrefix;              ///< of the symbols of constants in memory
  bool emitsCode = true;                 ///< false: as far as errors of the spec's are found
  bool verifyStages = stagesAreVerified; ///< see CompileOptions
  bool explains = false;                 ///< with an explanation of each graph
  /// Gets the code of a graph after each stage.
  std::function<void(const std::string &graph, const std::string &stage, mlir::ModuleOp module)>
      dumpStage;
  /// Gets all kernels in a language, "ll" (LLVM IR) and "ptx".
  std::function<void(const std::string &language, const std::string &text)> dumpCode{};
};

/// A library's code for one kind of graphics cards.
struct GpuCode {
  GpuTargetInterface interface;
  std::vector<WeightBlob> weights;         ///< of interface.weights
  std::vector<Explanation> explanations{}; ///< with GpuCompileOptions::explains
};

/// Compiles the graphs of a library one after another.
class GpuCompilation {
public:
  GpuCompilation(const GpuSpec &gpu, const GpuCompileOptions &options);
  ~GpuCompilation();

  /// Reports all that no graphics card computes, at its node: the graph is left out, and false is
  /// returned.
  bool add(const CutGraph &graph, Diagnostics &diagnostics);
  /// A graph of which the card computes all.
  bool add(const Graph &graph, Diagnostics &diagnostics);

  /// The code of all graphs that were added; nothing after an error.
  std::optional<GpuCode> finish(Diagnostics &diagnostics);

private:
  class Compiler;
  std::unique_ptr<Compiler> compiler;
};

/// Reports all that no graphics card computes, at its node, and returns nothing then.
std::optional<GpuCode> compileForGpu(const std::vector<CutGraph> &graphs, const GpuSpec &gpu,
                                     const GpuCompileOptions &options, Diagnostics &diagnostics);

} // namespace kgen
