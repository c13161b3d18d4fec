#include "driver/compile/GraphCompilation.h"

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/MakeTarget.h"
#include "driver/compile/ErrorCollector.h"
#include "driver/compile/LoopsOfNamedOps.h"
#include "driver/compile/NodeTemplates.h"
#include "driver/compile/WorkspaceDims.h"
#include "driver/crash/CrashReport.h"
#include "driver/crash/PassTrace.h"
#include "ingress/Ingress.h"
#include "pipeline/StageContracts.h"
#include "support/Timing.h"
#include "templates/Templates.h"

using namespace mlir;

namespace kgen {

static LogicalResult verifyIngress(ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(createVerifyStagePass(*findStageContract(ingressStage)));
  return pm.run(module);
}

static void addExplanation(const Graph &graph, const TargetSpec &target, ModuleOp module,
                           CompiledGraph &result) {
  TimedScope timed(TimedScope::stage, "explanation");
  result.explanation = explain(graph, target.name.value, module);
  addSchedules(result.schedules, result.explanation);
}

GraphCompilation::GraphCompilation(const Graph &graph, const TargetSpec &target, std::string symbol,
                                   CompileOptions options)
    : graph(graph), target(target), symbol(std::move(symbol)),
      what(graph.name + "." + target.name.value), options(std::move(options)),
      context(pipelineDialects(), MLIRContext::Threading::DISABLED) {
  context.loadDialect<KgenDialect>();
  tracePasses(context);
}

GraphCompilation::~GraphCompilation() = default;

/// Makes the module, with what templates and schedules add to it.
llvm::Error GraphCompilation::prepare() {
  ErrorCollector errors(context, &graph);
  Diagnostics diagnostics;
  {
    TimedScope timed(TimedScope::stage, ingressStage);
    module = ingress(graph, makeTargetAttr(target, &context), context, symbol, diagnostics);
  }
  if (!module)
    return errors.take(what + ": " + diagnostics.str());
  if (options.explain)
    startDecisions(*module);
  if (options.templates && !options.reference &&
      !addActingTemplates(*module, *options.templates, diagnostics))
    return errors.take(what + ": " + diagnostics.str());
  if (hasTemplates(*module))
    dumpStage(*module, "templates", options);
  const bool hasSchedules = options.schedules && !options.schedules->empty() && !options.reference;
  if ((hasSchedules || (!options.reference && hasPatterns(*module))) &&
      failed(decomposeNamedOps(*module)))
    return errors.take(what);
  if (llvm::Error error = instantiateNodes(
          *module, graph, options.reference ? TemplateUse::references : TemplateUse::replacing))
    return error;
  if (options.verifyStages && failed(verifyIngress(*module)))
    return errors.take(what);
  result.work = countWork(*module);
  if (!hasSchedules)
    return llvm::Error::success();
  registerPassesOfScripts();
  ScheduleRequest request{options.schedules, target.name.value, nullptr,
                          options.scheduleParameters};
  result.schedules = attachSchedules(*module, graph, request, diagnostics);
  if (diagnostics.hasErrors())
    return llvm::make_error<ScheduleErrors>(diagnostics.errors());
  return llvm::Error::success();
}

static std::string timedTarget(const TargetSpec &target, const CompileOptions &options) {
  return target.name.value + (options.reference ? ", plain loops" : "");
}

llvm::Error GraphCompilation::optimize() {
  GraphTrace trace(graph, target.name.value);
  TimedScope timed(graph.name, timedTarget(target, options));
  if (isReportWanted())
    keepText("// It happened before there was code. The graph, as `kgen check --print-graph` has "
             "it:\n" +
             printGraph(graph) + "\n");
  if (llvm::Error error = prepare())
    return error;
  dumpStage(*module, ingressStage, options);
  if (llvm::Error error = optimizeModule(*module, what, options, passes, &graph, result.schedules))
    return error;
  result.workspaceBytes = workspaceOf(*module, symbol);
  result.workspaceSizes = workspaceSizesOf(*module, symbol);
  if (options.explain)
    addExplanation(graph, target, *module, result);
  for (const Dim &size : workspaceDims(result.workspaceSizes, graph.dims))
    result.explanation.workspaceSizes.push_back(size.str());
  return llvm::Error::success();
}

llvm::Expected<CompiledGraph> GraphCompilation::emit() {
  if (options.emit == EmitKind::nothing)
    return std::move(result);
  GraphTrace trace(graph, target.name.value);
  TimedScope timed(graph.name, timedTarget(target, options));
  if (llvm::Error error = emitModule(*module, target, what, options, result, passes, &graph))
    return error;
  return std::move(result);
}

llvm::Expected<CompiledGraph> compileGraph(const Graph &graph, const TargetSpec &target,
                                           const std::string &symbol,
                                           const CompileOptions &options) {
  GraphCompilation compilation(graph, target, symbol, options);
  if (llvm::Error error = compilation.optimize())
    return error;
  return compilation.emit();
}

} // namespace kgen
