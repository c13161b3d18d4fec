#include "driver/compile/Compile.h"

#include "backend/Backend.h"
#include "codegen/Audit.h"
#include "codegen/ObjectCode.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/IndexBits.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/MakeTarget.h"
#include "dialect/kgen/Schedule.h"
#include "dialect/kgen/Size.h"
#include "driver/compile/BlamedSchedule.h"
#include "driver/compile/ErrorCollector.h"
#include "driver/compile/LoopsOfNamedOps.h"
#include "driver/compile/NodeTemplates.h"
#include "driver/compile/StageDump.h"
#include "driver/compile/TakeWeights.h"
#include "driver/compile/TestPasses.h"
#include "driver/compile/VanishedNodes.h"
#include "driver/compile/WorkspaceDims.h"
#include "driver/crash/CrashReport.h"
#include "driver/crash/PassTrace.h"
#include "ingress/Ingress.h"
#include "pipeline/Pipeline.h"
#include "pipeline/StageContracts.h"
#include "providers/Provider.h"
#include "support/Timing.h"
#include "support/WorkTrace.h"
#include "target/Target.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/Verifier.h>
#include <mlir/InitAllPasses.h>

#include <llvm/ADT/StringExtras.h>

using namespace mlir;

namespace kgen {
namespace {

PipelineOptions pipelineOptions(ModuleOp module, const CompileOptions &options) {
  PipelineOptions result;
  result.indexBits = indexBits(module);
  result.weightPrefix = options.prefix + "weights_";
  result.provider = options.provider;
  result.taskWork = options.taskWork;
  result.verifyStages = options.verifyStages;
  result.recordDecisions = options.explain;
  result.lowersBench = options.lowersBench;
  result.addTestPasses = options.addTestPasses ? options.addTestPasses : testPasses();
  if (options.timeSteps)
    result.stepClock = stepClockSymbol(options.prefix);
  result.winogradRows = options.winogradRows;
  return result;
}

/// Runs the stages one by one and shows the code between them.
LogicalResult runStages(ModuleOp module, ArrayRef<Stage> stages, const CompileOptions &options,
                        StagePasses &passes) {
  for (const Stage &stage : stages) {
    WorkTrace trace("stage", stage.name);
    TimedScope timed(TimedScope::stage, stage.name);
    std::unique_ptr<PassManager> &pm = passes[stage.name];
    if (!pm) {
      pm = std::make_unique<PassManager>(module.getContext(), ModuleOp::getOperationName());
      pm->enableVerifier(options.verifyStages); // between passes it takes a quarter of the time
      if (options.explain)
        pm->addInstrumentation(createVanishedNodes());
      addStage(*pm, stage, pipelineOptions(module, options));
    }
    if (failed(pm->run(module)) || failed(verify(module)))
      return failure();
    dumpStage(module, stage.name, options);
  }
  return success();
}

/// The target as code sees it of which only `provider` makes the kernels.
TargetAttr targetFor(StringRef provider, TargetAttr target) {
  const Backend *backend = backendOf(target.getTriple());
  return backend ? target.withFeatures(backend->featuresFor(provider, target.getFeatures()))
                 : target;
}

/// The functions from outside of the library that the module calls.
std::vector<std::string> externsIn(ModuleOp module) {
  std::vector<std::string> symbols;
  module.walk([&](ExternOp call) { symbols.push_back(call.getSymbol().str()); });
  return symbols;
}

/// Instructions within the target, symbols within the library.
llvm::Error inspect(CompiledGraph &result, const std::string &object, const TargetSpec &target,
                    const CompileOptions &options, const std::string &what,
                    ArrayRef<std::string> externs) {
  TimedScope timed(TimedScope::pass, "audit");
  llvm::Expected<AuditReport> report =
      backendOf(target.triple)->audit(object, target.featureNames(), what);
  if (!report)
    return report.takeError();
  result.audit = *report;
  llvm::Expected<int64_t> size = textBytes(object);
  if (!size)
    return size.takeError();
  result.textBytes = *size;
  return auditSymbols(object, options.prefix, what, externs);
}

} // namespace

void dumpStage(ModuleOp module, StringRef stage, const CompileOptions &options) {
  if (options.dumpStage)
    options.dumpStage(stage.str(), dumpText(module, options.dumpWeights));
}

void registerPassesOfScripts() {
  static const bool isDone = [] {
    registerAllPasses();
    registerPassesAndPipelines();
    return true;
  }();
  (void)isDone;
}

llvm::Error scheduleFailure(const Graph &graph, const AttachedSchedule &schedule,
                            llvm::Error error) {
  auto node = llvm::find_if(graph.nodes, [&](const Node &n) { return n.name == schedule.node; });
  SourceLoc where = node == graph.nodes.end() ? SourceLoc() : node->where;
  std::string text = llvm::toString(std::move(error));
  const std::string place = where.str() + ": "; // the diagnostic has it
  if (size_t at = text.find(place); at != std::string::npos && where.line != 0)
    text.erase(at, place.size());
  std::string hint = schedule.where.line == 0 ? ""
                                              : "schedule '" + schedule.schedule + "' (" +
                                                    schedule.where.str() + ") asks for it";
  return llvm::make_error<ScheduleErrors>(
      std::vector<Diagnostic>{{where, std::move(text), std::move(hint), Severity::error}});
}

char RequestError::ID = 0;
char ScheduleErrors::ID = 0;

ScheduleErrors::ScheduleErrors(std::vector<Diagnostic> found) : diagnostics(std::move(found)) {
  if (diagnostics.empty())
    diagnostics.push_back({{}, silentFailure(), "", Severity::error});
}

void ScheduleErrors::log(llvm::raw_ostream &stream) const {
  Diagnostics all;
  for (const Diagnostic &one : diagnostics)
    all.error(one.where, one.message, one.hint);
  stream << all.str();
}

llvm::Error takeScheduleErrors(llvm::Error error, Diagnostics &diagnostics) {
  return llvm::handleErrors(std::move(error), [&](const ScheduleErrors &found) {
    for (const Diagnostic &one : found.diagnostics)
      diagnostics.error(one.where, one.message, one.hint);
  });
}

void reportScheduleError(llvm::Error error, const std::string &specPath, Diagnostics &diagnostics) {
  if ((error = takeScheduleErrors(std::move(error), diagnostics)))
    diagnostics.error({specPath, 0, 0}, llvm::toString(std::move(error)));
}

std::string stepClockSymbol(const std::string &prefix) { return prefix + "step_ends"; }

std::function<void(OpPassManager &)> &testPasses() {
  static std::function<void(OpPassManager &)> passes;
  return passes;
}

const DialectRegistry &pipelineDialects() {
  static const DialectRegistry registry = [] {
    DialectRegistry all;
    registerDialects(all);
    return all;
  }();
  return registry;
}

/// The node whose schedule a pass could not apply, or null.
static StringAttr failedSchedule(ModuleOp module) {
  auto failed = module->getAttrOfType<StringAttr>(failedScheduleAttrName);
  for (auto function : module.getOps<func::FuncOp>())
    if (auto inside = function->getAttrOfType<StringAttr>(failedScheduleAttrName))
      failed = inside;
  return failed;
}

const AttachedSchedule *blamedSchedule(ModuleOp module, const std::set<std::string> &failedNodes,
                                       const AttachedSchedules &schedules) {
  StringAttr named = failedSchedule(module);
  auto found = llvm::find_if(schedules.attached, [&](const AttachedSchedule &one) {
    return named ? one.node == named.getValue() : failedNodes.count(one.node) != 0;
  });
  return found == schedules.attached.end() ? nullptr : &*found;
}

llvm::Error optimizeModule(ModuleOp module, const std::string &what, const CompileOptions &options,
                           StagePasses &passes, const Graph *graph,
                           const AttachedSchedules &schedules) {
  ErrorCollector errors(*module.getContext(), graph);
  // Choices by the form of products have to suit the provider that makes the kernels.
  if (auto target = targetOf(module); target && options.provider != autoProviderName)
    module->setAttr(targetAttrName, targetFor(options.provider, target));
  ArrayRef<Stage> stages = options.reference ? referenceStages() : optimizedStages();
  if (succeeded(runStages(module, stages.drop_back(), options, passes)))
    return llvm::Error::success();
  if (const AttachedSchedule *schedule = blamedSchedule(module, errors.failedNodes(), schedules))
    return scheduleFailure(*graph, *schedule, errors.takeRefusal(what));
  return module->hasAttr(refusedAttrName) ? errors.takeRefusal(what) : errors.take(what);
}

llvm::Error emitModule(ModuleOp module, const TargetSpec &target, const std::string &what,
                       const CompileOptions &options, CompiledGraph &result, StagePasses &passes,
                       const Graph *graph) {
  ErrorCollector errors(*module.getContext(), graph);
  if (options.emit == EmitKind::mlir) {
    result.weights = takeWeights(module);
    llvm::raw_string_ostream(result.code) << module;
    return llvm::Error::success();
  }
  ArrayRef<Stage> stages = options.reference ? referenceStages() : optimizedStages();
  std::vector<std::string> externs = externsIn(module);
  if (failed(runStages(module, stages.take_back(), options, passes)))
    return errors.take(what);
  result.weights = takeWeights(module);
  WorkTrace trace("stage", "LLVM");
  TimedScope timed(TimedScope::stage, "LLVM");
  keepReproducer(module, target.triple, llvmFeatures(target));
  CodeText text{options.emit == EmitKind::assembly ? CodeKind::assembly : CodeKind::llvm};
  const bool isText = options.emit != EmitKind::object;
  llvm::Expected<std::string> object =
      emitCode(module, target, &result.codeCosts, isText ? &text : nullptr);
  if (!object)
    return errors.take(what, llvm::toString(object.takeError()));
  if (llvm::Error error = inspect(result, *object, target, options, what, externs))
    return error;
  result.code = isText ? std::move(text.text) : std::move(*object);
  return llvm::Error::success();
}

int64_t workspaceOf(ModuleOp module, const std::string &symbol) {
  auto function = module.lookupSymbol<func::FuncOp>(symbol);
  auto bytes = function ? function->getAttrOfType<IntegerAttr>(workspaceAttrName) : IntegerAttr();
  return bytes ? bytes.getInt() : 0;
}

std::string workspaceSizesOf(ModuleOp module, const std::string &symbol) {
  auto function = module.lookupSymbol<func::FuncOp>(symbol);
  auto sizes =
      function ? function->getAttrOfType<AffineMapAttr>(workspaceSizesAttrName) : AffineMapAttr();
  std::string text;
  if (sizes)
    llvm::raw_string_ostream(text) << sizes;
  return text;
}

void addSchedules(const AttachedSchedules &schedules, Explanation &explanation) {
  for (const AttachedSchedule &one : schedules.attached)
    explanation.schedules.push_back({one.node, one.schedule, one.part, "", one.script});
  for (const RefusedSchedule &one : schedules.refused)
    explanation.schedules.push_back({one.node, one.schedule, "", one.reason, ""});
}

} // namespace kgen
