// One graph for one target: typed graph in, code out, in memory.
#pragma once

#include "backend/AuditReport.h"
#include "codegen/CodeSize.h"
#include "driver/compile/Explain.h"
#include "driver/compile/FlopCount.h"
#include "graph/Graph.h"
#include "pipeline/Pipeline.h"
#include "schedules/AttachSchedules.h"
#include "target/TargetSpec.h"
#include "templates/Templates.h"

#include <mlir/IR/AsmState.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/DialectRegistry.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Pass/PassManager.h>

#include <llvm/ADT/StringMap.h>
#include <llvm/Support/Error.h>

#include <functional>
#include <memory>

namespace kgen {

/// `nothing`: compile as far as the decisions of passes reach, and no further.
enum class EmitKind { object, assembly, llvm, mlir, nothing };

struct CompileOptions {
  EmitKind emit = EmitKind::object;
  bool reference = false;        ///< plain loops instead of the optimized pipeline
  std::string provider = "auto"; ///< of micro-kernels: the cheapest, or the name of the only one
  int64_t taskWork = PipelineOptions().taskWork; ///< minimum size of a task, in scalar operations
  int64_t winogradRows = 0;     ///< for tests: Winograd's transforms wherever allowed, in blocks of
                                ///< this number of rows of tiles; 0: by cost
  std::string prefix = "kgen_"; ///< every external symbol begins with this; those of packed
                                ///< weights: <prefix>weights_
  bool explain = false;         ///< record what passes decide
  bool lowersBench = false;     ///< the code may have operations of the bench dialect
  /// Between passes MLIR's verifier runs, and after each stage the check of its contract.
  bool verifyStages = stagesAreVerified;
  bool timeSteps = false; ///< call stepClockSymbol(prefix) after each step, to measure it
  /// Gets the code after the ingress ("ingress") and after each stage, as text that kgen-opt reads
  /// if weights are included.
  std::function<void(const std::string &stage, const std::string &text)> dumpStage;
  bool dumpWeights = true;
  const std::vector<ScheduleSpec> *schedules = nullptr; ///< of the library; null: none
  ScheduleParameters scheduleParameters;                ///< in place of the schedules' first values
  const TemplateSources *templates = nullptr;           ///< files of the library; null: none
  /// See PipelineOptions.
  std::function<void(mlir::OpPassManager &)> addTestPasses;
};

/// The function that code compiled with `timeSteps` calls; void (int64_t timer), see
/// Explanation::timers; -1 at the beginning of a run.
std::string stepClockSymbol(const std::string &prefix);

/// The request cannot be met: the named provider refuses a micro-kernel. Every other error
/// of a GraphCompilation is a defect.
class RequestError : public llvm::ErrorInfo<RequestError, llvm::StringError> {
public:
  using ErrorInfo::ErrorInfo;
  static char ID;
};

/// Packed constants that the code refers to by symbol; equal symbols have equal bytes.
struct WeightBlob {
  std::string symbol;
  std::shared_ptr<const mlir::AsmResourceBlob> data; ///< weights may share it

  llvm::ArrayRef<char> bytes() const { return data->getData(); }
};

struct CompiledGraph {
  std::string code; ///< an ELF object or text, by CompileOptions::emit
  GraphWork work;
  int64_t workspaceBytes = 0; ///< enough for all sizes that it is called with
  /// The bytes for each size are the greatest result of this affine map of the sizes that the
  /// function takes; empty: they do not depend on sizes.
  std::string workspaceSizes{};
  int64_t textBytes = 0; ///< of machine code; 0 if no object was made
  AuditReport audit;     ///< of the machine code; empty if no object was made
  CodeCosts codeCosts;   ///< empty if no object was made
  std::vector<WeightBlob> weights;
  AttachedSchedules schedules;
  Explanation explanation; ///< with CompileOptions::explain
};

/// A schedule does not fit its node, or its script fails.
class ScheduleErrors : public llvm::ErrorInfo<ScheduleErrors> {
public:
  /// Without a diagnostic there is one that says so: an error is never empty.
  explicit ScheduleErrors(std::vector<Diagnostic> diagnostics);
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  std::vector<Diagnostic> diagnostics;
  static char ID;
};

/// Errors of schedules are the spec's; what else there is comes back.
llvm::Error takeScheduleErrors(llvm::Error error, Diagnostics &diagnostics);

/// Reports an error of code with schedules, in the spec where it belongs there.
void reportScheduleError(llvm::Error error, const std::string &specPath, Diagnostics &diagnostics);

/// Adds the schedules that were considered, for `kgen explain`.
void addSchedules(const AttachedSchedules &schedules, Explanation &explanation);

/// Scripts may apply passes by name: kgen's and upstream's.
void registerPassesOfScripts();

/// Hands a stage's code to CompileOptions::dumpStage, if there is one.
void dumpStage(mlir::ModuleOp module, llvm::StringRef stage, const CompileOptions &options);

/// The passes of each stage by its name, made when they are first run: what they match is set up
/// once.
using StagePasses = llvm::StringMap<std::unique_ptr<mlir::PassManager>>;

/// The steps of a GraphCompilation after the ingress, for a module that comes from elsewhere or has
/// several functions: all stages but the last, and then from the LLVM dialect to code. `what`
/// begins the messages, which name the nodes of the graph if there is one. Errors of nodes that
/// have one of `schedules` are ScheduleErrors.
llvm::Error optimizeModule(mlir::ModuleOp module, const std::string &what,
                           const CompileOptions &options, StagePasses &passes,
                           const Graph *graph = nullptr, const AttachedSchedules &schedules = {});
llvm::Error emitModule(mlir::ModuleOp module, const TargetSpec &target, const std::string &what,
                       const CompileOptions &options, CompiledGraph &result, StagePasses &passes,
                       const Graph *graph = nullptr);

/// Bytes of workspace of the function `symbol` of an optimized module.
int64_t workspaceOf(mlir::ModuleOp module, const std::string &symbol);
/// CompiledGraph::workspaceSizes of that function.
std::string workspaceSizesOf(mlir::ModuleOp module, const std::string &symbol);

/// Everything that the pipeline needs to know.
const mlir::DialectRegistry &pipelineDialects();

} // namespace kgen
