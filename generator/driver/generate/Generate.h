// The whole flow as one library call: spec file in, files of a library out.
#pragma once

#include "driver/compile/Compile.h"
#include "driver/load/LoadedLibrary.h"
#include "emit/Library.h"
#include "support/Diagnostics.h"

#include <functional>
#include <optional>

namespace kgen {

struct GenerateOptions {
  std::string specPath;
  std::vector<std::string> targets;          ///< instead of the spec's, unless empty
  std::vector<std::string> targetSearchPath; ///< where else to look for targets
  std::string architecture;                  ///< see architectureNamed(); empty: all of the targets
  std::string system;                        ///< see systemNamed(); empty: all of the library's
  ModelBindings bindings;                    ///< what a model leaves open
  bool runs = false;                         ///< whether the code is to run in this process
  std::vector<std::string> link; ///< files with the extern functions, if it is: see LinkedFiles
  EmitKind emit = EmitKind::object;
  bool reference = false;            ///< plain loops instead of the optimized pipeline
  std::string provider = "auto";     ///< of micro-kernels: the cheapest, or one of providerNames()
  unsigned jobs = 0;                 ///< 0: as many as cores
  std::string onlyGraph, onlyTarget; ///< compile just this part; empty: the whole library
  std::string partsDirectory; ///< take the parts from here instead of compiling; empty: compile
  bool verifyStages = stagesAreVerified; ///< see CompileOptions
  bool explain = false;                  ///< fill Part::explanation
  bool timeSteps = false;                ///< see CompileOptions
  bool keepsBudgets = false;             ///< whether exceeding a budget is an error
  bool gpus = false;                     ///< with the part for graphics cards, if the spec has some
  bool python = false;                   ///< a Python module, even if the spec does not ask for it
  /// Asked before anything is compiled, with name, hash and kind of the library: whether to stop,
  /// because it is there already.
  std::function<bool(const LibraryInterface &library)> isUpToDate;
  /// Gets the code of each graph and target after each stage ("forward.x86-64-v4/01-ingress.mlir"
  /// and onward), from any thread, one call at a time.
  std::function<void(const std::string &path, const std::string &text)> dumpStage;
  bool dumpWeights = true; ///< see CompileOptions
  /// Called from any thread, one call at a time, when a graph has been compiled for a target.
  std::function<void(size_t done, size_t total, const std::string &what)> progress;
};

struct Contributor {
  std::string name;
  int64_t bytes = 0;
};

struct WeightCost {
  std::string symbol, name;
  int64_t bytes = 0;
};

/// Costs of a part that count towards budgets.
struct PartCosts {
  CodeCosts code;
  std::vector<Contributor> buffers; ///< of the workspace
  std::vector<WeightCost> weights;  ///< packed
};

/// A budget and what is taken of it.
struct BudgetUse {
  std::string graph; ///< that it is of; empty: the library
  BudgetKind kind;
  Located<int64_t> budget;
  int64_t used = 0;
  std::string where{};                ///< the graph and target that takes so much, if it is one
  std::vector<Contributor> largest{}; ///< what takes most
};

/// One graph for one target, compiled.
struct Part {
  std::string graph, target, specHash;
  SizeValues sizes{}; ///< of a version
  int64_t workspaceBytes = 0, textBytes = 0;
  int64_t stackBytes = 0;       ///< of a call or task, see CodeCosts
  std::string workspaceSizes{}; ///< see CompiledGraph
  uint64_t instructions = 0;
  double seconds = 0;               ///< to compile it
  Explanation explanation;          ///< with GenerateOptions::explain
  std::vector<std::string> weights; ///< symbols of the packed weights that it refers to
  PartCosts costs;                  ///< if the library has budgets
  // Only if it was compiled now:
  GraphWork work;
  std::map<std::pair<std::string, unsigned>, uint64_t> vectorInstructions; ///< see AuditReport
};

/// The workspace of a part becomes known to users of the function. Versions of the library are
/// among `described`'s.
void addWorkspace(const Part &part, const Graph &graph, GraphInterface &described);

/// An error if the tensors of a call and its workspace are more than the target's addresses reach.
llvm::Error checkAddresses(const Graph &graph, const TargetSpec &target, int64_t workspaceBytes);

struct GenerateResult {
  LibraryInterface library;
  FileSet files; ///< the complete folder; with `only` the part's files; as LLVM or MLIR just those
  std::vector<Part> parts;                    ///< by graph as declared, then by rank
  int64_t weightBytes = 0;                    ///< packed, all variants together
  std::map<std::string, int64_t> weightSizes; ///< of each symbol, if compiled now
  std::vector<BudgetUse> budgets;             ///< see budgetUses
  std::vector<std::string> inputFiles;        ///< everything that was read
  std::shared_ptr<const LinkedFiles> linked;  ///< of the library
  /// Of a library of several architectures, in their order: each as it is for itself. `files` has
  /// those of all of them.
  std::vector<GenerateResult> folders;
  std::string partFolder; ///< before the paths of parts: "x86_64/", or "" in a library of one
};

/// Result of a generation: `upToDate` is options.isUpToDate's answer, `userError` is in the
/// diagnostics with its location, `internalError` is a defect of kgen.
enum class GenerateStatus { ok, upToDate, userError, internalError };

/// Nothing is written. The files depend on the spec, its weights and targets only: not on `jobs`,
/// nor on any path.
GenerateStatus generateLibrary(const GenerateOptions &options, GenerateResult &result,
                               Diagnostics &diagnostics);
/// Generates the code of a library that was loaded already; options about loading do not count.
GenerateStatus generateLibrary(const GenerateOptions &options, const LoadedLibrary &library,
                               GenerateResult &result, Diagnostics &diagnostics);

/// The plain loops that others are compared with, for the library's lowest-ranked target.
GenerateStatus generateReference(GenerateOptions options, const LoadedLibrary &library,
                                 GenerateResult &result, Diagnostics &diagnostics);

} // namespace kgen
