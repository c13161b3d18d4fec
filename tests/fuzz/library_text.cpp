#include "library_text.h"
#include "lowered.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/MakeTarget.h"
#include "ingress/Ingress.h"
#include "ingress/yaml/BuildGraph.h"
#include "ops/Registry.h"
#include "pipeline/Pipeline.h"
#include "schedules/AttachSchedules.h"
#include "transforms/schedule/Passes.h"

#include <mlir/IR/Diagnostics.h>
#include <mlir/InitAllPasses.h>
#include <mlir/Pass/PassManager.h>

#include <cstdlib>

using namespace kgen;

namespace {

void requireTexts(const Diagnostics &diagnostics) {
  for (const Diagnostic &one : diagnostics.errors())
    if (one.message.empty() || one.where.file.empty())
      std::abort();
}

const mlir::DialectRegistry &dialects() {
  static const mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry all;
    registerDialects(all);
    mlir::registerAllPasses(); // scripts name passes
    registerPassesAndPipelines();
    return all;
  }();
  return registry;
}

void applySchedules(const Graph &graph, const std::vector<ScheduleSpec> &schedules) {
  mlir::MLIRContext context(dialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<KgenDialect>();
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  Diagnostics diagnostics;
  auto module =
      ingress(graph, makeTargetAttr(targetOfFuzzers(), &context), context, "f", diagnostics);
  if (!module || schedules.empty())
    return;
  attachSchedules(*module, graph, {&schedules, targetOfFuzzers().name.value, nullptr, {}},
                  diagnostics);
  requireTexts(diagnostics);
  if (diagnostics.hasErrors())
    return;
  mlir::PassManager passes(&context);
  passes.addPass(createApplySchedulesPass());
  (void)passes.run(*module);
}

} // namespace

void tryLibrary(const std::string &text) {
  Diagnostics diagnostics;
  auto library = parseLibraryText(text, "fuzz.yaml", diagnostics);
  for (const GraphSpec &spec : library ? library->graphs : std::vector<GraphSpec>())
    if (auto graph = buildGraph(spec, builtInOperators(), diagnostics))
      applySchedules(*graph, library->schedules);
  requireTexts(diagnostics);
}
