// Declarations and functions of the block of state.
#include "emit/StateText.h"
#include "emit/HeldSizes.h"
#include "emit/Introspection.h"
#include "emit/RoomText.h"
#include "emit/Sizes.h"
#include "emit/StatePartText.h"
#include "emit/Template.h"
#include "support/Sha256.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

constexpr char fixedDeclarations[] = R"(
/* State: what is kept between calls lies in a block of the caller's, which all variants share. Functions that use it take it
 * after their inputs. A call updates it when it succeeds, and leaves it as it is otherwise. It may be copied, and kept in a
 * file: it has no pointers, and new weights do not change it. Calls on one block at a time are an error of the caller's. */
#define @LIBRARY@_STATE_SIZE @bytes@
#define @LIBRARY@_STATE_ALIGNMENT @alignment@
size_t @library@_state_size(const @library@_context *context); /* the macro; 0 if the context is not initialized */
/* Begins a sequence: @init_note@. */
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
@zeros@@fills@  memcpy(state, &kgenrt_state_mark, sizeof kgenrt_state_mark);
  return @LIBRARY@_OK;
}

)";

constexpr char openDeclarations[] = R"(
/* State: what is kept between calls lies in a block of the caller's, which all variants share. Functions that use it take it
 * after their inputs. A call updates it when it succeeds, and leaves it as it is otherwise. It may be copied, and kept in a
 * file: it has no pointers, and new weights do not change it. Calls on one block at a time are an error of the caller's.
 * The macro is enough for a block of any sizes. Functions take the sizes that the block was made for. */
#define @LIBRARY@_STATE_SIZE @bytes@
#define @LIBRARY@_STATE_ALIGNMENT @alignment@
/* The bytes of a block for these sizes; 0 if the context is not initialized, or for sizes that no block has. */
size_t @library@_state_size(const @library@_context *context, @sizes@);
/* For each of the sizes, in order: its name, its least and its greatest value, and what it is a multiple of. */
#define @LIBRARY@_STATE_DIMS(DIM) @dims@
/* Begins a sequence: @init_note@. */
@library@_status @library@_state_init(const @library@_context *context, void *state, size_t state_size,
@indent@@sizes@);
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

} // namespace

std::string stateMark(const LibraryInterface &library) {
  std::string text = library.name;
  const bool isOpen = hasOpenStates(library);
  for (const StateInterface &state : library.states)
    text += "\n" + state.name + " " + state.type.str() +
            (isOpen ? "" : " " + std::to_string(state.offset));
  return sha256(text).substr(0, 16);
}

std::string zerosOf(const LibraryInterface &library) {
  const std::vector<StateInterface> &states = library.states;
  const bool isOpen = hasOpenStates(library);
  const OpenLayout layout = isOpen ? openLayout(library) : OpenLayout();
  auto place = [&](size_t i) {
    return isOpen               ? placeText(layout.places[i])
           : i == states.size() ? upperCase(library.name) + "_STATE_SIZE"
                                : std::to_string(states[i].offset);
  };
  std::string text, begin;
  bool isWritten = true; // the header is
  for (size_t i = 0; i <= states.size(); ++i) {
    const bool ends = i == states.size() || states[i].isWrittenFirst;
    if (isWritten && ends)
      text += begin.empty() ? "  memset(state, 0, " + place(i) + ");\n"
                            : "  memset((unsigned char *)state + " + begin + ", 0, " + place(i) +
                                  " - (" + begin + "));\n";
    if (!isWritten && !ends)
      begin = place(i);
    isWritten = !ends;
  }
  return text;
}

std::string initNoteOf(const LibraryInterface &library) {
  std::string names;
  for (const StateInterface &state : library.states)
    if (state.isWrittenFirst)
      names += (names.empty() ? "" : ", ") + state.name;
  return names.empty() ? "writes all of the block"
                       : "writes the block but " + names + ", read only where calls have written";
}

std::string fillsOf(const LibraryInterface &library) {
  std::string text;
  SizeNames names = parameterNames(stateSizes(library));
  for (size_t i = 0; i < library.states.size(); ++i) {
    const StateInterface &state = library.states[i];
    if (state.init.empty())
      continue;
    const Dim elements = state.type.shape.elements();
    const bool isForEach = state.init.size() == byteWidth(state.type.element);
    std::string bytes;
    for (unsigned char byte : state.init)
      bytes += (bytes.empty() ? "" : ", ") + std::to_string(byte);
    text += fillTemplate(fill, {{"name", "kgenrt_first_" + std::to_string(i)},
                                {"bytes", bytes},
                                {"count", isForEach ? sizeExpression(elements, names) : "1"},
                                {"offset", offsetText(library, state.name)}});
  }
  return text;
}

std::string joined(const std::vector<SizeParameter> &sizes,
                   llvm::function_ref<std::string(size_t, const SizeParameter &)> text,
                   const char *between) {
  std::string all;
  for (size_t i = 0; i < sizes.size(); ++i)
    all += (i ? between : "") + text(i, sizes[i]);
  return all;
}

std::string declared(const std::vector<SizeParameter> &sizes) {
  return joined(sizes, [](size_t, const SizeParameter &size) { return size.declaration(); });
}

/// "DIM("context", 8, 4096, 1)".
static std::string describedDim(size_t, const SizeParameter &size) {
  return "DIM(" + cString(size.dim.name) + ", " + std::to_string(size.dim.min) + ", " +
         std::to_string(size.dim.max) + ", " + std::to_string(size.dim.multiple) + ")";
}

std::string stateDeclarations(const LibraryInterface &library) {
  if (library.states.empty())
    return "";
  std::string head = library.name + "_status " + library.name + "_state_init(";
  return "\n" + fillTemplate(hasOpenStates(library) ? openDeclarations : fixedDeclarations,
                             {{"library", library.name},
                              {"LIBRARY", upperCase(library.name)},
                              {"bytes", std::to_string(stateBytes(library))},
                              {"sizes", declared(stateSizes(library))},
                              {"dims", joined(stateSizes(library), describedDim)},
                              {"init_note", initNoteOf(library)},
                              {"indent", std::string(head.size(), ' ')},
                              {"alignment", std::to_string(stateAlignment)}});
}

std::string stateTensorDeclarations(const LibraryInterface &library) {
  if (library.states.empty())
    return "";
  std::string head = library.name + "_status " + library.name + "_state_get(";
  return fillTemplate(tensorDeclarations, {{"library", library.name},
                                           {"LIBRARY", upperCase(library.name)},
                                           {"count", std::to_string(library.states.size())},
                                           {"indent", std::string(head.size(), ' ')}}) +
         statePartDeclarations(library);
}

std::string stateChecks(const LibraryInterface &library) {
  if (library.states.empty())
    return "";
  const std::string full = roomFunctions(library) + heldSizeFunction(library);
  if (hasOpenStates(library))
    return openStateChecks(library) + full;
  return fillTemplate(checks, {{"library", library.name},
                               {"LIBRARY", upperCase(library.name)},
                               {"mark", stateMark(library)},
                               {"zeros", zerosOf(library)},
                               {"fills", fillsOf(library)}}) +
         full;
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
  std::string tables = tensorTable(library, "states", tensors);
  if (hasOpenStates(library))
    return openStateFunctions(library, tables) + statePartFunctions(library);
  return fillTemplate(functions, {{"library", library.name},
                                  {"LIBRARY", upperCase(library.name)},
                                  {"tables", tables},
                                  {"offsets", offsets}}) +
         statePartFunctions(library);
}

} // namespace kgen
