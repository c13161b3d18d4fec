#include "emit/State.h"

#include "emit/RoomText.h"
#include "emit/Sizes.h"
#include "emit/StateLayout.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

namespace kgen {
namespace {

/// The place of a state's tensor, a `void *`.
std::string placeText(const LibraryInterface &library, const std::string &name) {
  return "(void *)((unsigned char *)state + " + offsetText(library, name) + ")";
}

/// A value that a state gets: its number among the outputs of the code, and its place after the
/// workspace.
struct Update {
  size_t output;
  int64_t place;
};

/// Values that are copied into the block when the code has succeeded: extern functions may fail.
/// Other code writes where the state lies.
std::vector<Update> updatesOf(const GraphInterface &graph) {
  std::vector<Update> updates;
  if (graph.calls.empty())
    return updates;
  int64_t next = 0;
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    if (!graph.outputs[i].state.empty()) {
      updates.push_back({i, next});
      next += int64_t(llvm::alignTo(largestByteCount(graph.outputs[i].type), stateAlignment));
    }
  return updates;
}

} // namespace

bool usesState(const GraphInterface &graph) {
  auto isState = [](const TensorInterface &tensor) { return !tensor.state.empty(); };
  return llvm::any_of(graph.inputs, isState) || llvm::any_of(graph.outputs, isState);
}

GraphInterface withoutState(GraphInterface graph) {
  for (std::vector<TensorInterface> *tensors : {&graph.inputs, &graph.outputs})
    llvm::erase_if(*tensors, [](const TensorInterface &tensor) { return !tensor.state.empty(); });
  return graph;
}

int64_t updateBytes(const GraphInterface &graph) {
  int64_t bytes = 0;
  for (const Update &update : updatesOf(graph))
    bytes =
        update.place +
        int64_t(llvm::alignTo(largestByteCount(graph.outputs[update.output].type), stateAlignment));
  return bytes;
}

int64_t withUpdates(const GraphInterface &graph, int64_t exact) {
  int64_t updates = updateBytes(graph);
  return updates == 0 ? exact : int64_t(llvm::alignTo(exact, stateAlignment)) + updates;
}

std::string withUpdatesText(const GraphInterface &graph, const std::string &exact) {
  int64_t updates = updateBytes(graph);
  return updates == 0 ? exact : "(" + exact + " + 63) / 64 * 64 + " + std::to_string(updates);
}

std::vector<CallerParameter> callerParameters(const LibraryInterface &library,
                                              const GraphInterface &graph) {
  std::vector<CallerParameter> result;
  bool isBefore = usesState(graph);
  auto addState = [&] {
    if (isBefore)
      result.insert(result.end(), {{"state", "void *state"}, {"state_size", "size_t state_size"}});
    isBefore = false;
  };
  for (const Parameter &p : callerTensors(library, graph)) {
    if (!p.isInput)
      addState();
    result.push_back({p.name, p.declaration(), p});
  }
  addState();
  return result;
}

std::vector<Parameter> callerTensors(const LibraryInterface &library, const GraphInterface &graph) {
  std::vector<Parameter> all = graphParameters(library, graph);
  llvm::erase_if(all, [](const Parameter &p) { return !p.state.empty(); });
  return all;
}

std::string codeArguments(const LibraryInterface &library, const GraphInterface &graph) {
  std::string text;
  std::vector<Update> updates = updatesOf(graph);
  size_t next = 0;
  for (const Parameter &p : graphParameters(library, graph)) {
    if (p.state.empty())
      text += p.name + ", ";
    else if (!p.isInput && !updates.empty())
      text += "(" + p.cType + ")(void *)(kgenrt_updates + " +
              std::to_string(updates[next++].place) + "), ";
    else
      text += "(" + p.cType + ")" + placeText(library, p.state) + ", ";
  }
  return text;
}

std::string copiedUpdates(const LibraryInterface &library, const GraphInterface &graph) {
  std::string text;
  for (const Update &update : updatesOf(graph)) {
    const TensorInterface &tensor = graph.outputs[update.output];
    const Dim bytes = tensor.type.shape.elements() * Dim(int64_t(byteWidth(tensor.type.element)));
    text += "  memcpy((unsigned char *)state + " + offsetText(library, tensor.state) +
            ", kgenrt_updates + " + std::to_string(update.place) + ", " +
            sizeExpression(bytes, parameterNames(sizeParameters(library, graph))) + ");\n";
  }
  return text;
}

std::string blockCheck(const LibraryInterface &library, const GraphInterface &graph) {
  if (!usesState(graph))
    return "";
  const bool isOpen = hasOpenStates(library);
  std::string text;
  if (isOpen)
    text += "  size_t kgenrt_bytes[" + std::to_string(openLayout(library).kinds.size()) + "];\n";
  return text + "  status = kgenrt_check_state(state, state_size" +
         (isOpen ? ", kgenrt_bytes" : "") + ");\n  if (status != " + upperCase(library.name) +
         "_OK)\n    return status;\n";
}

std::string contentsCheck(const LibraryInterface &library, const GraphInterface &graph) {
  if (!usesState(graph))
    return "";
  const std::string prefix = upperCase(library.name);
  std::string text;
  std::vector<SizeParameter> kept = stateSizes(library);
  for (const SizeParameter &size : sizeParameters(library, graph))
    for (size_t i = 0; i < kept.size(); ++i)
      if (kept[i].dim.name == size.dim.name)
        text += "  if (kgenrt_state_dim(state, " + std::to_string(i) + ") != " + size.name +
                ")\n    return " + prefix + "_BAD_STATE;\n";
  return text + roomChecks(library, graph);
}

} // namespace kgen
