#include "driver/load/LibraryInterface.h"

#include "driver/load/ExternFunctions.h"
#include "driver/load/Load.h"
#include "emit/State.h"
#include "graph/StateRoom.h"
#include "graph/WrittenRows.h"
#include "spec/WeightFiles.h"

#include <cmath>

namespace kgen {

GraphInterface interfaceOf(const Graph &graph, const LoadedLibrary &library) {
  GraphInterface described{graph.name, {}, {}, {}, {}};
  auto model = library.models.find(graph.name);
  auto describe = [&](ValueId id) {
    TensorInterface tensor{graph.values[id].name, graph.values[id].type};
    tensor.dimNames = graph.values[id].dimNames;
    if (model != library.models.end())
      if (auto name = model->second.original.find(tensor.name);
          name != model->second.original.end())
        tensor.original = name->second;
    return tensor;
  };
  for (ValueId id : graph.inputs)
    described.inputs.push_back(describe(id));
  for (ValueId id : graph.outputs)
    described.outputs.push_back(describe(id));
  for (const GraphState &state : graph.states) {
    if (state.input)
      described.inputs[*state.input].state = state.name;
    if (state.output)
      described.outputs[*state.output].state = state.name;
  }
  for (const StateRoom &room : stateRooms(graph))
    described.rooms.push_back(
        {room.loops, room.position, room.rows, room.capacity, room.countsFromEnd});
  if (model != library.models.end())
    described.modelInputs = model->second.inputs;
  described.calls = externSymbolsOf(graph);
  for (const std::shared_ptr<const DimSymbol> &dim : graph.dims)
    described.dims.push_back(*dim);
  return described;
}

std::vector<StateInterface> statesOf(const LibrarySpec &spec) {
  std::vector<StateInterface> states;
  for (const StateSpec &state : spec.states) {
    StateInterface &made = states.emplace_back(StateInterface{state.name.value, state.type.value});
    if (state.data) {
      made.init.assign(state.data->begin(), state.data->end());
      continue;
    }
    if (state.init == 0 && !std::signbit(state.init))
      continue;
    std::vector<char> bytes;
    ElementType type = made.type.element;
    isFloat(type) ? appendFloat(bytes, type, state.init)
                  : appendInteger(bytes, type, static_cast<int64_t>(state.init));
    made.init.assign(bytes.begin(), bytes.end());
  }
  layOutStates(states);
  return states;
}

std::vector<StateInterface> statesOf(const LoadedLibrary &library) {
  std::vector<StateInterface> states = statesOf(library.spec);
  if (library.templates || !library.ownTemplates.empty()) // which may read anything
    return states;
  std::set<std::string> counts;
  for (const StateInterface &state : states)
    if (state.init.empty())
      counts.insert(state.name);
  const std::set<std::string> written = statesWrittenFirst(library.graphs, counts);
  for (StateInterface &state : states)
    state.isWrittenFirst = state.init.empty() && written.count(state.name) != 0;
  return states;
}

void addVersions(const LoadedLibrary &library, GraphInterface &described) {
  for (const LoadedLibrary::Version &version : library.versions)
    if (version.graph == described.name) {
      GraphInterface made = interfaceOf(version.code, library);
      made.name = described.name;
      made.sizes = version.sizes;
      described.versions.push_back(std::move(made));
    }
}

LibraryInterface uncompiledInterface(const LoadedLibrary &library) {
  LibraryInterface result;
  result.name = library.spec.library.value;
  result.specHash = specHash(library);
  result.externs = externsOf(library.graphs);
  result.states = statesOf(library);
  for (const Graph &graph : library.graphs) {
    result.graphs.push_back(interfaceOf(graph, library));
    for (const TargetSpec &target : library.targets)
      result.graphs.back().workspaceBytes[target.name.value] = 0;
  }
  for (const TargetSpec &target : library.targets)
    result.variants.push_back({target.name.value, target.rank, target.featureNames(), {}, {}, {}});
  return result;
}

} // namespace kgen
