#include "emit/State.h"

#include "emit/Introspection.h"
#include "emit/Sizes.h"
#include "emit/Template.h"
#include "support/Sha256.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

namespace kgen {
namespace {

constexpr char declarations[] = R"(
/* State: what is kept between calls lies in a block of the caller's, which all variants share. Functions that use it take it
 * after their inputs. A call updates it when it succeeds, and leaves it as it is otherwise. It may be copied, and kept in a
 * file: it has no pointers, and new weights do not change it. Calls on one block at a time are an error of the caller's. */
#define @LIBRARY@_STATE_SIZE @bytes@
#define @LIBRARY@_STATE_ALIGNMENT @alignment@
size_t @library@_state_size(const @library@_context *context); /* the macro; 0 if the context is not initialised */
/* Begins a sequence: writes all of the block. */
@library@_status @library@_state_init(const @library@_context *context, void *state, size_t state_size);
)";

constexpr char tensorDeclarations[] = R"(
/* The tensors of the state, and copies of one of them out of the block and into it. */
#define @LIBRARY@_STATE_COUNT @count@
size_t @library@_state_count(void);
const @library@_tensor *@library@_state_info(size_t index); /* NULL beyond the last */
@library@_status @library@_state_get(const @library@_context *context, const void *state, size_t state_size, size_t index,
@indent@void *tensor);
@library@_status @library@_state_set(const @library@_context *context, void *state, size_t state_size, size_t index,
@indent@const void *tensor);

)";

constexpr char checks[] = R"(
/* The caller's block of state begins with this mark of its names, types and places. */
static const uint64_t kgenrt_state_mark = UINT64_C(0x@mark@);

static @library@_status kgenrt_find_state(const void *state, size_t state_size) {
  if (state == NULL)
    return @LIBRARY@_NULL_POINTER;
  if (state_size < @LIBRARY@_STATE_SIZE || ((uintptr_t)state & (@LIBRARY@_STATE_ALIGNMENT - 1)) != 0)
    return @LIBRARY@_BAD_STATE;
  return @LIBRARY@_OK;
}

static @library@_status kgenrt_check_state(const void *state, size_t state_size) {
  uint64_t mark;
  @library@_status status = kgenrt_find_state(state, state_size);
  if (status != @LIBRARY@_OK)
    return status;
  memcpy(&mark, state, sizeof mark);
  return mark == kgenrt_state_mark ? @LIBRARY@_OK : @LIBRARY@_BAD_STATE;
}

size_t @library@_state_size(const @library@_context *context) {
  return kgenrt_active(context) != NULL ? @LIBRARY@_STATE_SIZE : 0;
}

@library@_status @library@_state_init(const @library@_context *context, void *state, size_t state_size) {
  if (kgenrt_active(context) == NULL)
    return @LIBRARY@_NOT_INITIALIZED;
  @library@_status status = kgenrt_find_state(state, state_size);
  if (status != @LIBRARY@_OK)
    return status;
  memset(state, 0, @LIBRARY@_STATE_SIZE);
@fills@  memcpy(state, &kgenrt_state_mark, sizeof kgenrt_state_mark);
  return @LIBRARY@_OK;
}

)";

constexpr char fullCheck[] = R"(
/* True if one of the positions is greater than the last one that has room for the rows of a call. */
static int kgenrt_is_full(const void *positions, size_t count, int64_t last) {
  for (size_t i = 0; i < count; ++i) {
    int64_t position;
    memcpy(&position, (const unsigned char *)positions + i * sizeof position, sizeof position);
    if (position > last)
      return 1;
  }
  return 0;
}
)";

constexpr char fill[] = R"(
  static const unsigned char @name@[] = {@bytes@};
  for (size_t i = 0; i < @count@; ++i)
    memcpy((unsigned char *)state + @offset@ + i * sizeof @name@, @name@, sizeof @name@);
)";

constexpr char functions[] = R"(

/* State */

@tables@static const size_t kgenrt_state_offsets[] = {@offsets@};

size_t @library@_state_count(void) { return @LIBRARY@_STATE_COUNT; }

const @library@_tensor *@library@_state_info(size_t index) {
  return index < @LIBRARY@_STATE_COUNT ? &kgenrt_states[index] : NULL;
}

static @library@_status kgenrt_check_state_tensor(const @library@_context *context, const void *state, size_t state_size,
    size_t index, const void *tensor) {
  if (kgenrt_active(context) == NULL)
    return @LIBRARY@_NOT_INITIALIZED;
  if (index >= @LIBRARY@_STATE_COUNT)
    return @LIBRARY@_BAD_INDEX;
  if (tensor == NULL && kgenrt_states[index].bytes != 0)
    return @LIBRARY@_NULL_POINTER;
  return kgenrt_check_state(state, state_size);
}

@library@_status @library@_state_get(const @library@_context *context, const void *state, size_t state_size, size_t index,
    void *tensor) {
  @library@_status status = kgenrt_check_state_tensor(context, state, state_size, index, tensor);
  if (status == @LIBRARY@_OK && kgenrt_states[index].bytes != 0)
    memcpy(tensor, (const unsigned char *)state + kgenrt_state_offsets[index], kgenrt_states[index].bytes);
  return status;
}

@library@_status @library@_state_set(const @library@_context *context, void *state, size_t state_size, size_t index,
    const void *tensor) {
  @library@_status status = kgenrt_check_state_tensor(context, state, state_size, index, tensor);
  if (status == @LIBRARY@_OK && kgenrt_states[index].bytes != 0)
    memcpy((unsigned char *)state + kgenrt_state_offsets[index], tensor, kgenrt_states[index].bytes);
  return status;
}
)";

/// The mark of the layout, in hex: code with other weights has the same.
std::string stateMark(const LibraryInterface &library) {
  std::string text = library.name;
  for (const StateInterface &state : library.states)
    text += "\n" + state.name + " " + state.type.str() + " " + std::to_string(state.offset);
  return sha256(text).substr(0, 16);
}

int64_t offsetOf(const LibraryInterface &library, const std::string &name) {
  return llvm::find_if(library.states, [&](const StateInterface &s) { return s.name == name; })
      ->offset;
}

/// The place of a state's tensor, a `void *`.
std::string placeText(const LibraryInterface &library, const std::string &name) {
  return "(void *)((unsigned char *)state + " + std::to_string(offsetOf(library, name)) + ")";
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

std::string fillsOf(const LibraryInterface &library) {
  std::string text;
  for (size_t i = 0; i < library.states.size(); ++i) {
    const StateInterface &state = library.states[i];
    if (state.init.empty())
      continue;
    std::string bytes;
    for (unsigned char byte : state.init)
      bytes += (bytes.empty() ? "" : ", ") + std::to_string(byte);
    text += fillTemplate(fill, {{"name", "kgenrt_first_" + std::to_string(i)},
                                {"bytes", bytes},
                                {"count", std::to_string(state.type.elementCount())},
                                {"offset", std::to_string(state.offset)}});
  }
  return text;
}

} // namespace

void layOutStates(std::vector<StateInterface> &states) {
  int64_t next = stateHeaderBytes;
  for (StateInterface &state : states) {
    state.offset = next;
    next += int64_t(llvm::alignTo(state.type.byteCount(), stateAlignment));
  }
}

int64_t stateBytes(const LibraryInterface &library) {
  if (library.states.empty())
    return 0;
  const StateInterface &last = library.states.back();
  return last.offset + int64_t(llvm::alignTo(last.type.byteCount(), stateAlignment));
}

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
    text += "  memcpy((unsigned char *)state + " + std::to_string(offsetOf(library, tensor.state)) +
            ", kgenrt_updates + " + std::to_string(update.place) + ", " +
            std::to_string(tensor.type.byteCount()) + ");\n";
  }
  return text;
}

std::string roomChecks(const LibraryInterface &library, const GraphInterface &graph) {
  std::string text;
  SizeNames sizes = parameterNames(sizeParameters(library, graph));
  std::vector<Parameter> parameters = graphParameters(library, graph);
  for (const RoomInterface &room : graph.rooms) {
    const Parameter &positions = parameters[room.input];
    text += "  if (kgenrt_is_full(" +
            (positions.state.empty() ? positions.name : placeText(library, positions.state)) +
            ", " + sizeExpression(positions.type.shape.elements(), sizes) + ", (int64_t)" +
            sizeExpression(room.capacity, sizes) + " - (int64_t)" +
            sizeExpression(room.rows, sizes) + "))\n    return " + upperCase(library.name) +
            "_STATE_FULL;\n";
  }
  return text;
}

std::string stateDeclarations(const LibraryInterface &library) {
  if (library.states.empty())
    return "";
  return "\n" + fillTemplate(declarations, {{"library", library.name},
                                            {"LIBRARY", upperCase(library.name)},
                                            {"bytes", std::to_string(stateBytes(library))},
                                            {"alignment", std::to_string(stateAlignment)}});
}

std::string stateTensorDeclarations(const LibraryInterface &library) {
  if (library.states.empty())
    return "";
  std::string head = library.name + "_status " + library.name + "_state_get(";
  return fillTemplate(tensorDeclarations, {{"library", library.name},
                                           {"LIBRARY", upperCase(library.name)},
                                           {"count", std::to_string(library.states.size())},
                                           {"indent", std::string(head.size(), ' ')}});
}

std::string stateChecks(const LibraryInterface &library) {
  if (library.states.empty())
    return "";
  return fillTemplate(checks, {{"library", library.name},
                               {"LIBRARY", upperCase(library.name)},
                               {"mark", stateMark(library)},
                               {"fills", fillsOf(library)}}) +
         (mayBeFull(library) ? fillTemplate(fullCheck, {}) : "");
}

std::string stateFunctions(const LibraryInterface &library) {
  if (library.states.empty())
    return "";
  std::vector<TensorInterface> tensors;
  std::string offsets;
  for (const StateInterface &state : library.states) {
    tensors.push_back({state.name, state.type});
    offsets += (offsets.empty() ? "" : ", ") + std::to_string(state.offset);
  }
  return fillTemplate(functions, {{"library", library.name},
                                  {"LIBRARY", upperCase(library.name)},
                                  {"tables", tensorTable(library, "states", tensors)},
                                  {"offsets", offsets}});
}

} // namespace kgen
