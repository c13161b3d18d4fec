// kgen check: everything that can be said about a spec without compiling it.
#include "driver/generate/CheckGraphs.h"
#include "driver/generate/TryTemplates.h"
#include "driver/load/Load.h"
#include "driver/load/ProposeStates.h"
#include "driver/run/LinkExterns.h"
#include "driver/run/RunnableVariants.h"
#include "driver/verify/CompareTemplates.h"
#include "graph/Operator.h"
#include "support/Json.h"
#include "tools/Commands.h"
#include "tools/ModelArguments.h"
#include "tools/TimingReport.h"

#include <llvm/ADT/StringRef.h>

#include <fmt/format.h>

#include <iostream>

namespace kgen {

static Json describe(const Graph &graph) {
  auto tensors = [&](const std::vector<ValueId> &ids) {
    Json list = Json::array();
    for (ValueId id : ids)
      if (id != noValue)
        list.push_back({{"name", graph.values[id].name}, {"type", graph.values[id].type.str()}});
    return list;
  };
  Json nodes = Json::array();
  for (const Node &node : graph.nodes)
    nodes.push_back(
        {{"name", node.name}, {"op", node.op->name}, {"outputs", tensors(node.outputs)}});
  return {{"name", graph.name},
          {"inputs", tensors(graph.inputs)},
          {"outputs", tensors(graph.outputs)},
          {"nodes", nodes}};
}

/// The pairs of a model's inputs and outputs that a caller seems to carry on; of other files none.
static std::vector<ProposedState> proposedStates(const std::string &path,
                                                 const LoadedLibrary &library) {
  if (library.graphs.size() != 1 || !llvm::StringRef(path).ends_with(".onnx"))
    return {};
  auto model = library.models.find(library.graphs.front().name);
  return model == library.models.end()
             ? std::vector<ProposedState>()
             : proposeStates(library.graphs.front(), model->second.original);
}

static std::string importCommand(const std::string &path, const std::string &options,
                                 const std::vector<ProposedState> &states) {
  std::string text = "kgen import " + shellWord(path) + options;
  for (const ProposedState &state : states)
    text += " --state " + shellWord(state.pair.input + "=" + state.pair.output);
  return text;
}

static void addProposals(const std::vector<ProposedState> &states, const std::string &command,
                         Json &result) {
  if (states.empty())
    return;
  for (const ProposedState &state : states) {
    Json entry = {{"input", state.pair.input}, {"output", state.pair.output}};
    if (state.growing)
      entry["growing_axis"] = *state.growing;
    result["states"].push_back(std::move(entry));
  }
  result["import"] = command;
}

static void printProposals(const std::vector<ProposedState> &states, const std::string &command) {
  if (states.empty())
    return;
  fmt::print("  state, by names of inputs and outputs; kgen import keeps it between calls:\n");
  for (const ProposedState &state : states)
    if (state.growing)
      fmt::print("    {} grows along axis {} by the length of the call\n", state.pair.input,
                 *state.growing);
  fmt::print("    {}\n", command);
}

int CheckCommand::run() {
  Diagnostics diagnostics;
  bindings.graphs = graphs;
  std::optional<LoadedLibrary> library =
      loadLibrary(specPath, {}, targetSearchPath, bindings, diagnostics);
  if (library)
    keepGraphs(specPath, graphs, *library, diagnostics);
  if (library && !link.empty())
    linkExterns(*library, link, diagnostics);
  if (library)
    tryTemplates(*library, diagnostics);
  if (library && !diagnostics.hasErrors())
    checkGraphs(*library, diagnostics);
  if (library && !diagnostics.hasErrors())
    compareTemplates(*library, diagnostics);
  if (!library || diagnostics.hasErrors()) {
    report(diagnostics, json);
    return exitUserError;
  }
  report(diagnostics, json);
  const std::vector<ProposedState> states = proposedStates(specPath, *library);
  const std::string command = importCommand(specPath, modelOptions, states);
  if (json) {
    Json result = {{"library", library->spec.library.value}};
    for (const TargetSpec &target : library->targets)
      result["targets"].push_back(target.name.value);
    for (const GpuSpec &gpu : library->gpus)
      result["targets"].push_back(gpu.name.value);
    for (const DefaultTarget &target : library->defaultTargets)
      result["default_targets"].push_back({{"name", target.name}, {"reason", target.reason}});
    for (const Graph &graph : library->graphs)
      result["graphs"].push_back(describe(graph));
    addProposals(states, command, result);
    addTimingTo(result);
    std::cout << formatJson(result);
    return exitOk;
  }
  if (printGraph)
    for (const Graph &graph : library->graphs)
      std::cout << kgen::printGraph(graph) << "\n";
  if (quiet)
    return exitOk;
  size_t nodes = 0, targets = library->targets.size() + library->gpus.size();
  for (const Graph &graph : library->graphs)
    nodes += graph.nodes.size();
  fmt::print("{}: ok ({} graph{}, {} node{}, {} target{})\n", specPath, library->graphs.size(),
             library->graphs.size() == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s", targets,
             targets == 1 ? "" : "s");
  for (const std::string &line : kgen::describe(library->defaultTargets))
    fmt::print("  {}\n", line);
  printProposals(states, command);
  printTiming(std::cout);
  return exitOk;
}

} // namespace kgen
