#include "driver/generate/CheckGraphs.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/MakeTarget.h"
#include "driver/compile/ErrorCollector.h"
#include "driver/compile/GraphCompilation.h"
#include "driver/compile/LoopsOfNamedOps.h"
#include "driver/compile/NodeTemplates.h"
#include "driver/crash/PassTrace.h"
#include "driver/gpu/GpuCode.h"
#include "driver/load/LibraryTemplates.h"
#include "driver/machines/Machines.h"
#include "ingress/Ingress.h"
#include "pipeline/StageContracts.h"
#include "support/Timing.h"
#include "templates/Templates.h"

using namespace mlir;

namespace kgen {
namespace {

class GraphChecker {
public:
  GraphChecker(const LoadedLibrary &library, Diagnostics &diagnostics)
      : library(library), diagnostics(diagnostics) {}

  void check(const Graph &graph, const std::string &name) {
    const TemplateSources *templates = templatesOf(library, name);
    const std::vector<ScheduleSpec> &schedules = library.spec.schedules;
    // Without these, inference decides; lowering thousands of nodes takes longer than it.
    if (templates || !schedules.empty())
      for (const TargetSpec &target : library.targets)
        lower(graph, target, templates);
    for (const MachineSpec &machine : library.machines)
      schedule(graph, machine);
  }

private:
  /// As far as compileGraph goes before its stages, or as far as decisions reach.
  void lower(const Graph &graph, const TargetSpec &target, const TemplateSources *templates) {
    MLIRContext context(pipelineDialects(), MLIRContext::Threading::DISABLED);
    context.loadDialect<KgenDialect>();
    tracePasses(context);
    GraphTrace trace(graph, target.name.value);
    TimedScope timed(graph.name, target.name.value);
    TimedScope stage(TimedScope::stage, ingressStage);
    ErrorCollector errors(context, &graph);
    size_t before = diagnostics.errors().size();
    OwningOpRef<ModuleOp> module =
        ingress(graph, makeTargetAttr(target, &context), context, "check", diagnostics);
    bool isMade = module && (!templates || addActingTemplates(*module, *templates, diagnostics));
    if (!isMade) {
      if (diagnostics.errors().size() == before)
        report(errors.take(graph.name));
      return;
    }
    if (failed(decomposeNamedOps(*module)))
      return report(errors.take(graph.name));
    if (llvm::Error error = instantiateNodes(*module, graph, TemplateUse::replacing))
      return report(std::move(error));
    if (library.spec.schedules.empty())
      return;
    registerPassesOfScripts();
    ScheduleRequest request{&library.spec.schedules, target.name.value, {}, {}};
    AttachedSchedules schedules = attachSchedules(*module, graph, request, diagnostics);
    if (!schedules.attached.empty() && diagnostics.errors().size() == before)
      decide(graph, target, templates);
  }

  void decide(const Graph &graph, const TargetSpec &target, const TemplateSources *templates) {
    CompileOptions options;
    options.emit = EmitKind::nothing;
    options.schedules = &library.spec.schedules;
    options.templates = templates;
    options.prefix = library.spec.library.value + "_";
    llvm::Expected<CompiledGraph> compiled = compileGraph(graph, target, "check", options);
    if (!compiled)
      report(compiled.takeError());
  }

  void schedule(const Graph &graph, const MachineSpec &machine) {
    MLIRContext context(pipelineDialects(), MLIRContext::Threading::DISABLED);
    llvm::Expected<MachineGraph> code =
        scheduleGraph(graph, machine, library.spec.schedules, {}, "", context);
    if (!code)
      report(code.takeError());
  }

  void report(llvm::Error error) {
    reportScheduleError(std::move(error), library.spec.path, diagnostics);
  }

  const LoadedLibrary &library;
  Diagnostics &diagnostics;
};

} // namespace

void checkGraphs(const LoadedLibrary &library, Diagnostics &diagnostics) {
  GraphChecker checker(library, diagnostics);
  const std::vector<CutGraph> cuts = cutGraphs(library.graphs, library.onCpu);
  for (const GpuSpec &gpu : library.gpus) {
    GpuCompileOptions options;
    options.emitsCode = false;
    (void)compileForGpu(cuts, gpu, options, diagnostics);
  }
  for (const Graph &graph : library.graphs)
    checker.check(graph, graph.name);
  for (const LoadedLibrary::Version &version : library.versions)
    checker.check(version.code, version.graph);
}

} // namespace kgen
