// kgen explain: compiles up to the last stage that records decisions, and shows them.
#include "driver/load/Load.h"
#include "driver/run/RunnableVariants.h"
#include "emit/Folder.h"
#include "explain/Render.h"
#include "support/Json.h"
#include "support/Timing.h"
#include "tools/Arguments.h"
#include "tools/ExplainArguments.h"
#include "tools/ModelArguments.h"
#include "tools/SharedArguments.h"
#include "tools/TimingReport.h"

#include <llvm/ADT/StringExtras.h>

#include <iostream>
#include <map>

namespace kgen {
namespace {

LibraryExplanation collect(GenerateResult &result) {
  LibraryExplanation library{result.library.name, {}, 0};
  std::map<std::string, int64_t> weights; // variants share equal ones
  for (Part &part : result.parts) {
    for (const ExplainedWeight &weight : part.explanation.weights)
      if (weight.storage == WeightStorage::shared)
        weights[weight.symbol] = weight.bytes;
    library.parts.push_back(std::move(part.explanation));
  }
  for (const auto &[symbol, bytes] : weights)
    library.weightBytes += bytes;
  for (const BudgetUse &use : result.budgets) {
    ExplainedBudget &budget = library.budgets.emplace_back();
    budget = {use.graph, std::string(toString(use.kind)), use.used, use.budget.value, {}};
    for (const Contributor &one : use.largest)
      budget.largest.emplace_back(one.name, one.bytes);
  }
  return library;
}

std::string jsonWithTiming(const LibraryExplanation &library) {
  std::string text = explainJson(library);
  Json json = parsedInOrder(text);
  addTimingTo(json);
  return isTimingStarted() ? formatJson(json) : text;
}

/// The script of a node's schedule.
int printScript(const LibraryExplanation &library, const std::string &node,
                const std::string &path) {
  std::vector<std::string> scheduled;
  for (const Explanation &part : library.parts) {
    std::string text; // of one target: a script for each part of the result
    for (const ExplainedSchedule &one : part.schedules) {
      if (!one.refusal.empty())
        continue;
      if (one.node == node)
        text += (one.part.empty() ? "" : "// " + one.part + "\n") + one.script;
      scheduled.push_back(one.node);
    }
    if (!text.empty()) {
      std::cout << text;
      return exitOk;
    }
  }
  Diagnostics diagnostics;
  diagnostics.error({path, 0, 0},
                    "node '" + node + "' has no schedule" + didYouMean(node, scheduled),
                    scheduled.empty() ? "no node of the library has one"
                                      : "nodes with one: " + llvm::join(scheduled, " "));
  report(diagnostics, /*json=*/false);
  return exitUserError;
}

} // namespace

void addExplain(CLI::App &app, ExplainCommand &command) {
  CLI::App *sub = app.add_subcommand(
      "explain", "What becomes of every node: fusion, tiling, micro-kernels, memory, and why");
  sub->add_option("SPEC", command.options.specPath,
                  "The library's YAML file, an ONNX model, or an MLIR file")
      ->required();
  addGraphs(*sub, command.graphs);
  addTargets(*sub, command.options.targets, command.options.targetSearchPath);
  addProvider(*sub, command.options.provider);
  addModelBindings(*sub, command.options.bindings);
  addReport(*sub);
  addTiming(*sub);
  sub->add_flag("--json", command.json, "As JSON on standard output");
  sub->add_option("--html", command.html, "Write one page with everything drawn, instead of text")
      ->check(checkPage, "")
      ->type_name("FILE");
  sub->add_option("--schedule", command.schedule,
                  "Print the transform script that the schedule of this node became, for the first "
                  "target, to go on from")
      ->type_name("NODE")
      ->excludes("--json")
      ->excludes("--html");
  sub->add_flag("--schedules", command.schedules,
                "Print kgen's own tiles of tasks and caches as schedules of a spec, to go on from")
      ->excludes("--json")
      ->excludes("--html")
      ->excludes("--schedule");
}

int ExplainCommand::run() {
  options.emit = EmitKind::nothing;
  options.explain = options.gpus = true;
  Diagnostics diagnostics;
  GenerateResult result;
  Progress progress(/*after=*/1);
  StageProgress stages(progress.isTerminal() ? &progress : nullptr);
  options.bindings.graphs = graphs;
  std::optional<LoadedLibrary> loaded =
      loadLibrary(options.specPath, options.targets, options.targetSearchPath, options.bindings,
                  diagnostics, /*architecture=*/nullptr, /*system=*/std::nullopt,
                  /*cardsAlone=*/true);
  if (loaded && options.targets.empty())
    keepOwnArchitecture(options.specPath, *loaded, diagnostics);
  if (loaded)
    keepGraphs(options.specPath, graphs, *loaded, diagnostics);
  GenerateStatus status = !loaded || diagnostics.hasErrors()
                              ? GenerateStatus::userError
                              : generateLibrary(options, *loaded, result, diagnostics);
  if (status != GenerateStatus::ok) {
    report(diagnostics, json);
    return status == GenerateStatus::userError ? exitUserError : exitInternalError;
  }
  report(diagnostics, json);
  LibraryExplanation library = collect(result);
  if (schedules) {
    std::cout << explainSchedules(library);
    return exitOk;
  }
  if (!schedule.empty())
    return printScript(library, schedule, options.specPath);
  if (!html.empty())
    if (llvm::Error error = replaceFile(html, explainHtml(library))) {
      diagnostics.error({"kgen", 0, 0}, llvm::toString(std::move(error)));
      report(diagnostics, json);
      return exitUserError;
    }
  if (json)
    std::cout << jsonWithTiming(library);
  else if (html.empty())
    std::cout << explainText(library);
  if (!json)
    printTiming(std::cout);
  return exitOk;
}

} // namespace kgen
