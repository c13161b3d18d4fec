// kgen tune: the table, JSON, and the targets' files.
#include "driver/tune/Tune.h"

#include "driver/machines/Machines.h"
#include "emit/Folder.h"
#include "explain/Table.h"
#include "measure/Series.h"
#include "support/Json.h"
#include "tools/Commands.h"
#include "tools/Progress.h"

#include <fmt/format.h>

#include <iostream>

namespace kgen {
namespace {

/// The time of each graph with the target as it is and with the winners, and what could not be
/// made.
void printTimes(const TunedTarget &tuned) {
  for (const TunedGraph &graph : tuned.graphs)
    if (tuned.changes.empty())
      fmt::print("  graph {}: {} a call\n", graph.name, timeText(graph.seconds));
    else
      fmt::print("  graph {}: {:.3f} times as fast, {} a call before, {} after\n", graph.name,
                 graph.ratio, timeText(graph.seconds * graph.ratio), timeText(graph.seconds));
  for (const std::string &refusal : tuned.refusals)
    fmt::print("  cannot be made: {}\n", refusal);
}

void printTarget(const TunedTarget &tuned) {
  std::string title =
      fmt::format("{}: {} candidates, {} with the same code, {} that cannot be made{}",
                  tuned.target.name.value, tuned.tried, tuned.same, tuned.refusals.size(),
                  tuned.complete ? "" : "; there was no time for more");
  if (tuned.changes.empty()) {
    fmt::print("{}\n  nothing is faster than what the target has\n", title);
    printTimes(tuned);
    fmt::print("\n");
    return;
  }
  Table table{title, {{"kind"}, {"before"}, {"after"}, {"speed", true}}, {}};
  for (const TuneChange &change : tuned.changes)
    table.rows.push_back(
        {change.kind, change.before, change.after, fmt::format("{:.3f}", change.ratio)});
  fmt::print("{}", tableText(table));
  printTimes(tuned);
  fmt::print("  all graphs: {:.3f} times as fast; written to {}\n\n", tuned.ratio, tuned.path);
}

std::string jsonText(const TuneReport &report) {
  Json targets = Json::array();
  for (const TunedTarget &tuned : report.targets) {
    Json changes = Json::array(), graphs = Json::object(), seconds = Json::object();
    for (const TuneChange &change : tuned.changes)
      changes.push_back({{"kind", change.kind},
                         {"before", change.before},
                         {"after", change.after},
                         {"speed_ratio", change.ratio}});
    for (const TunedGraph &graph : tuned.graphs) {
      graphs[graph.name] = graph.ratio;
      seconds[graph.name] = graph.seconds;
    }
    targets.push_back({{"target", tuned.target.name.value},
                       {"file", tuned.changes.empty() ? Json() : Json(tuned.path)},
                       {"changes", changes},
                       {"speed_ratio", tuned.ratio},
                       {"graphs", graphs},
                       {"seconds", seconds},
                       {"candidates", tuned.tried},
                       {"same_code", tuned.same},
                       {"refused", tuned.refusals.size()},
                       {"refusals", tuned.refusals},
                       {"wrong_results", tuned.wrongResults},
                       {"complete", tuned.complete}});
  }
  return formatJson({{"library", report.library},
                     {"cpu", report.cpu},
                     {"targets", targets},
                     {"not_tuned", report.notes}});
}

std::string parametersText(const ScheduleParameters &parameters) {
  std::string text;
  for (const auto &[name, value] : parameters)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, value);
  return text;
}

Table schedulesTable(const TunedSchedules &tuned, const std::string &machine) {
  Table table{fmt::format("{} on {}: {} combinations", tuned.graph, machine, tuned.trials.size()),
              {{"parameters"}, {"cycles", true}, {"L3 bytes", true}, {"L2 bytes", true}, {"fault"}},
              {}};
  for (const ScheduleTrial &trial : tuned.trials) {
    bool isUsable = trial.fault.empty();
    table.rows.push_back({parametersText(trial.parameters),
                          isUsable ? fmt::format("{:.0f}", trial.cycles) : "-",
                          isUsable ? std::to_string(trial.l3Bytes) : "-",
                          isUsable ? std::to_string(trial.l2Bytes) : "-", trial.fault});
  }
  return table;
}

std::string schedulesJson(const std::vector<TunedSchedules> &list) {
  Json graphs = Json::array();
  for (const TunedSchedules &tuned : list) {
    Json trials = Json::array();
    for (const ScheduleTrial &trial : tuned.trials) {
      Json one = {{"parameters", trial.parameters}};
      if (trial.fault.empty())
        one.update(
            {{"cycles", trial.cycles}, {"l3_bytes", trial.l3Bytes}, {"l2_bytes", trial.l2Bytes}});
      else
        one["fault"] = trial.fault;
      trials.push_back(one);
    }
    graphs.push_back({{"graph", tuned.graph}, {"trials", trials}});
  }
  return formatJson({{"graphs", graphs}});
}

/// The targets whose choices have changed, by path, and the report where `json` is a file.
FileSet filesOf(const TuneReport &report, const std::string &json) {
  FileSet files;
  for (const TunedTarget &tuned : report.targets)
    if (!tuned.changes.empty())
      files.emplace(tuned.path, tunedFile(report, tuned));
  if (!json.empty() && json != "-")
    files.emplace(json, jsonText(report));
  return files;
}

} // namespace

int TuneCommand::runOnMachine() {
  Diagnostics diagnostics;
  std::optional<std::vector<TunedSchedules>> result = tuneSchedules(
      {options.specPath, machine, options.graphs, options.targetSearchPath, options.bindings},
      diagnostics);
  std::string text = result ? schedulesJson(*result) : "";
  if (result && !json.empty() && json != "-")
    if (llvm::Error error = replaceFile(json, text))
      diagnostics.error({"kgen", 0, 0}, llvm::toString(std::move(error)));
  report(diagnostics, json == "-");
  if (diagnostics.hasErrors())
    return exitUserError;
  if (json == "-")
    std::cout << text;
  else
    for (const TunedSchedules &graph : *result)
      std::cout << tableText(schedulesTable(graph, machine)) << "\n";
  return exitOk;
}

int TuneCommand::run() {
  if (!machine.empty())
    return runOnMachine();
  Progress progress(/*after=*/0);
  options.progress = [&](double done, const std::string &what) { progress.bar(done, what); };
  Diagnostics diagnostics;
  TuneReport result;
  GenerateStatus status = tuneLibrary(options, result, diagnostics);
  progress.finish();
  ExitCode code = status == GenerateStatus::userError ? exitUserError : exitInternalError;
  if (status == GenerateStatus::ok) {
    code = exitUserError;
    if (llvm::Error error = replaceFiles(filesOf(result, json)))
      diagnostics.error({"kgen", 0, 0}, llvm::toString(std::move(error)));
  }
  report(diagnostics, json == "-");
  if (diagnostics.hasErrors())
    return code;
  for (const TunedTarget &tuned : result.targets)
    for (const std::string &wrong : tuned.wrongResults)
      std::cerr << options.specPath << ": a candidate computes something wrong: " << wrong << "\n";
  if (json == "-") {
    std::cout << jsonText(result);
    return exitOk;
  }
  fmt::print("{} on {}\n\n", result.library, result.cpu);
  for (const TunedTarget &tuned : result.targets)
    printTarget(tuned);
  for (const std::string &note : result.notes)
    fmt::print("not tuned: {}\n", note);
  return exitOk;
}

} // namespace kgen
