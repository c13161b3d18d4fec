// Functions of a block of state that is made for sizes.
#include "emit/Sizes.h"
#include "emit/StateText.h"
#include "emit/Template.h"

namespace kgen {
namespace {

constexpr char openChecks[] = R"(
/* The caller's block of state begins with this mark of its names and types, and the sizes that it was made for. */
static const uint64_t kgenrt_state_mark = UINT64_C(0x@mark@);

static size_t kgenrt_state_dim(const void *state, size_t index) {
  uint64_t size;
  memcpy(&size, (const unsigned char *)state + 8 + 8 * index, sizeof size);
  return (size_t)size;
}

static void kgenrt_set_state_dim(void *state, size_t index, size_t size) {
  const uint64_t kept = size;
  memcpy((unsigned char *)state + 8 + 8 * index, &kept, sizeof kept);
}

static int kgenrt_is_state_size(@sizes@) { return !(@refused@); }

/* The bytes of tensors that depend on the sizes, and what they take of a block. */
static void kgenrt_lay_out(@sizes@, size_t *bytes) {
@voids@@lay_out@}
static size_t kgenrt_step(size_t bytes) { return (bytes + 63) / 64 * 64; }

static @library@_status kgenrt_find_state(const void *state, size_t state_size, size_t least) {
  if (state == NULL)
    return @LIBRARY@_NULL_POINTER;
  if (state_size < least || ((uintptr_t)state & (@LIBRARY@_STATE_ALIGNMENT - 1)) != 0)
    return @LIBRARY@_BAD_STATE;
  return @LIBRARY@_OK;
}

static @library@_status kgenrt_check_state(const void *state, size_t state_size, size_t *kgenrt_bytes) {
  uint64_t mark;
  @library@_status status = kgenrt_find_state(state, state_size, @header@);
  if (status != @LIBRARY@_OK)
    return status;
  memcpy(&mark, state, sizeof mark);
  if (mark != kgenrt_state_mark || !kgenrt_is_state_size(@of_header@))
    return @LIBRARY@_BAD_STATE;
  kgenrt_lay_out(@of_header@, kgenrt_bytes);
  return state_size < @end@ ? @LIBRARY@_BAD_STATE : @LIBRARY@_OK;
}

size_t @library@_state_size(const @library@_context *context, @sizes@) {
  size_t kgenrt_bytes[@kinds@];
  if (kgenrt_active(context) == NULL || !kgenrt_is_state_size(@names@))
    return 0;
  kgenrt_lay_out(@names@, kgenrt_bytes);
  return @end@;
}

@library@_status @library@_state_init(const @library@_context *context, void *state, size_t state_size, @sizes@) {
  size_t kgenrt_bytes[@kinds@];
  if (kgenrt_active(context) == NULL)
    return @LIBRARY@_NOT_INITIALIZED;
  if (!kgenrt_is_state_size(@names@))
    return @LIBRARY@_BAD_SIZE;
  kgenrt_lay_out(@names@, kgenrt_bytes);
  @library@_status status = kgenrt_find_state(state, state_size, @end@);
  if (status != @LIBRARY@_OK)
    return status;
@zeros@@fills@  memcpy(state, &kgenrt_state_mark, sizeof kgenrt_state_mark);
@set_sizes@  return @LIBRARY@_OK;
}

)";

constexpr char openFunctions[] = R"(

/* State */

@tables@/* The place of each tensor: a number of bytes, and of tensors before it whose bytes depend on sizes. */
static const size_t kgenrt_state_places[][@kinds@ + 1] = {@places@};
/* Which of kgenrt_lay_out's bytes a tensor has; @kinds@: those of the table. */
static const size_t kgenrt_state_kinds[] = {@kind_list@};

size_t @library@_state_count(void) { return @LIBRARY@_STATE_COUNT; }

const @library@_tensor *@library@_state_info(size_t index) {
  return index < @LIBRARY@_STATE_COUNT ? &kgenrt_states[index] : NULL;
}

/* Finds a tensor of a block and its bytes. */
static @library@_status kgenrt_find_state_tensor(const @library@_context *context, const void *state, size_t state_size,
    size_t index, const void *tensor, size_t *place, size_t *count) {
  size_t bytes[@kinds@];
  if (kgenrt_active(context) == NULL)
    return @LIBRARY@_NOT_INITIALIZED;
  if (index >= @LIBRARY@_STATE_COUNT)
    return @LIBRARY@_BAD_INDEX;
  @library@_status status = kgenrt_check_state(state, state_size, bytes);
  if (status != @LIBRARY@_OK)
    return status;
  *place = kgenrt_state_places[index][0];
  for (size_t kind = 0; kind < @kinds@; ++kind)
    *place += kgenrt_state_places[index][kind + 1] * kgenrt_step(bytes[kind]);
  *count = kgenrt_state_kinds[index] < @kinds@ ? bytes[kgenrt_state_kinds[index]] : kgenrt_states[index].bytes;
  return tensor == NULL && *count != 0 ? @LIBRARY@_NULL_POINTER : @LIBRARY@_OK;
}

@library@_status @library@_state_get(const @library@_context *context, const void *state, size_t state_size, size_t index,
    void *tensor) {
  size_t place, count;
  @library@_status status = kgenrt_find_state_tensor(context, state, state_size, index, tensor, &place, &count);
  if (status == @LIBRARY@_OK && count != 0)
    memcpy(tensor, (const unsigned char *)state + place, count);
  return status;
}

@library@_status @library@_state_set(const @library@_context *context, void *state, size_t state_size, size_t index,
    const void *tensor) {
  size_t place, count;
  @library@_status status = kgenrt_find_state_tensor(context, state, state_size, index, tensor, &place, &count);
  if (status == @LIBRARY@_OK && count != 0)
    memcpy((unsigned char *)state + place, tensor, count);
  return status;
}
)";

} // namespace

std::string openStateChecks(const LibraryInterface &library) {
  OpenLayout layout = openLayout(library);
  std::vector<SizeParameter> sizes = stateSizes(library);
  std::string layOut;
  for (size_t kind = 0; kind < layout.kinds.size(); ++kind)
    layOut += "  bytes[" + std::to_string(kind) + "] = " + layout.kinds[kind] + ";\n";
  auto number = [](size_t i) { return std::to_string(i); };
  return fillTemplate(
      openChecks,
      {{"library", library.name},
       {"LIBRARY", upperCase(library.name)},
       {"mark", stateMark(library)},
       {"header", std::to_string(stateHeaderBytes)},
       {"zeros", zerosOf(library)},
       {"fills", fillsOf(library)},
       {"kinds", number(layout.kinds.size())},
       {"lay_out", layOut},
       {"end", placeText(layout.places.back())},
       {"sizes", declared(sizes)},
       {"names", joined(sizes, [](size_t, const SizeParameter &size) { return size.name; })},
       {"voids",
        joined(
            sizes, [](size_t, const SizeParameter &size) { return "  (void)" + size.name + ";\n"; },
            "")},
       {"refused",
        joined(
            sizes, [](size_t, const SizeParameter &size) { return refusedSize(size); }, " || ")},
       {"of_header", joined(sizes,
                            [&](size_t i, const SizeParameter &) {
                              return "kgenrt_state_dim(state, " + number(i) + ")";
                            })},
       {"set_sizes", joined(
                         sizes,
                         [&](size_t i, const SizeParameter &size) {
                           return "  kgenrt_set_state_dim(state, " + number(i) + ", " + size.name +
                                  ");\n";
                         },
                         "")}});
}

std::string openStateFunctions(const LibraryInterface &library, const std::string &tables) {
  OpenLayout layout = openLayout(library);
  std::string places, kinds;
  for (size_t i = 0; i < library.states.size(); ++i) {
    places += (i ? ", {" : "{") + std::to_string(layout.places[i].bytes);
    for (int64_t before : layout.places[i].before)
      places += ", " + std::to_string(before);
    places += "}";
    kinds += (i ? ", " : "") + std::to_string(layout.kindOf[i]);
  }
  return fillTemplate(openFunctions, {{"library", library.name},
                                      {"LIBRARY", upperCase(library.name)},
                                      {"tables", tables},
                                      {"places", places},
                                      {"kinds", std::to_string(layout.kinds.size())},
                                      {"kind_list", kinds}});
}

} // namespace kgen
