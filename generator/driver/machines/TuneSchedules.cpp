#include "driver/compile/Compile.h"
#include "driver/machines/LoadForMachine.h"
#include "driver/machines/MachineCode.h"
#include "driver/machines/SimulateModule.h"
#include "driver/run/RunnableVariants.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

namespace {

constexpr size_t maxScheduleTrials = 4096;

/// All combinations of the values.
std::vector<ScheduleParameters>
combinations(const std::map<std::string, std::vector<int64_t>> &values) {
  std::vector<ScheduleParameters> result(1);
  for (const auto &[name, list] : values) {
    std::vector<ScheduleParameters> longer;
    for (const ScheduleParameters &one : result)
      for (int64_t value : list) {
        longer.push_back(one);
        longer.back()[name] = value;
      }
    result = std::move(longer);
    if (result.size() > maxScheduleTrials)
      break;
  }
  return result;
}

class ScheduleTuner {
public:
  ScheduleTuner(const LoadedLibrary &library, const MachineSpec &machine)
      : library(library), machine(machine) {}

  /// Nothing if the graph's schedules have no parameters.
  std::optional<TunedSchedules> tune(const Graph &graph, Diagnostics &diagnostics) {
    std::map<std::string, std::vector<int64_t>> values = parametersOf(graph, diagnostics);
    if (values.empty() || diagnostics.hasErrors())
      return std::nullopt;
    std::vector<ScheduleParameters> all = combinations(values);
    if (all.size() > maxScheduleTrials) {
      diagnostics.error({library.spec.path, 0, 0},
                        "the parameters of graph '" + graph.name + "' have more than " +
                            std::to_string(maxScheduleTrials) + " combinations",
                        "list fewer values, or tune with --graph one graph after the other");
      return std::nullopt;
    }
    TunedSchedules result{graph.name, {}};
    for (const ScheduleParameters &parameters : all)
      result.trials.push_back(tryOut(graph, parameters));
    llvm::stable_sort(result.trials, [](const ScheduleTrial &a, const ScheduleTrial &b) {
      return std::make_pair(!a.fault.empty(), a.cycles) <
             std::make_pair(!b.fault.empty(), b.cycles);
    });
    return result;
  }

private:
  /// Of the schedules that the graph's nodes have. Schedules with equal names of parameters share
  /// values.
  std::map<std::string, std::vector<int64_t>> parametersOf(const Graph &graph,
                                                           Diagnostics &diagnostics) {
    mlir::MLIRContext context(pipelineDialects(), mlir::MLIRContext::Threading::DISABLED);
    llvm::Expected<AttachedSchedules> attached =
        schedulesOf(graph, machine, library.spec.schedules, context);
    std::map<std::string, std::vector<int64_t>> values;
    if (!attached) {
      reportScheduleError(attached.takeError(), library.spec.path, diagnostics);
      return values;
    }
    for (const AttachedSchedule &one : attached->attached)
      for (const ScheduleSpec &schedule : library.spec.schedules)
        if (schedule.name.value == one.schedule)
          for (const auto &[name, list] : schedule.parameters)
            values[name] = list;
    return values;
  }

  ScheduleTrial tryOut(const Graph &graph, const ScheduleParameters &parameters) {
    ScheduleTrial trial;
    trial.parameters = parameters;
    mlir::MLIRContext context(pipelineDialects(), mlir::MLIRContext::Threading::DISABLED);
    llvm::Expected<MachineGraph> code =
        scheduleGraph(graph, machine, library.spec.schedules, parameters, "", context);
    Diagnostics found;
    std::optional<SimulationReport> report;
    if (!code)
      reportScheduleError(code.takeError(), library.spec.path, found);
    else
      report = simulateModule(*code->module, machine, {}, found);
    if (found.hasErrors() || !report) {
      trial.fault = found.hasErrors() ? found.errors().front().message : "it cannot be run";
      return trial;
    }
    trial.cycles = report->cycles;
    trial.l3Bytes = report->traffic[0][1].bytes + report->traffic[1][0].bytes;
    trial.l2Bytes = report->traffic[1][2].bytes + report->traffic[2][1].bytes;
    return trial;
  }

  const LoadedLibrary &library;
  const MachineSpec &machine;
};

} // namespace

std::optional<std::vector<TunedSchedules>> tuneSchedules(const TuneSchedulesOptions &options,
                                                         Diagnostics &diagnostics) {
  ModelBindings bindings = options.bindings;
  bindings.graphs = options.graphs;
  std::optional<LoadedLibrary> library = loadForMachine(
      options.specPath, options.machine, options.targetSearchPath, bindings, diagnostics);
  if (!library)
    return std::nullopt;
  keepGraphs(options.specPath, options.graphs, *library, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  std::vector<TunedSchedules> result;
  ScheduleTuner tuner(*library, library->machines.front());
  for (const Graph &graph : library->graphs)
    if (std::optional<TunedSchedules> tuned = tuner.tune(graph, diagnostics))
      result.push_back(std::move(*tuned));
  if (diagnostics.hasErrors())
    return std::nullopt;
  if (result.empty())
    diagnostics.error({options.specPath, 0, 0}, "no schedule of a node has parameters to tune",
                      "write parameters: {bm: [32, 64]} in the schedule, and bm in its nest");
  return result.empty() ? std::nullopt : std::optional(result);
}

} // namespace kgen
