#include "emit/StatePartText.h"

#include "emit/Sizes.h"
#include "emit/Template.h"

#include <algorithm>

namespace kgen {
namespace {

constexpr char partDeclarations[] = R"(
/* The same of what lies at `at` along an axis of the tensor, row-major without the axis: one sequence of a batch. */
@library@_status @library@_state_get_at(const @library@_context *context, const void *state, size_t state_size, size_t index,
@indent@size_t axis, size_t at, void *part);
@library@_status @library@_state_set_at(const @library@_context *context, void *state, size_t state_size, size_t index,
@indent@size_t axis, size_t at, const void *part);

)";

constexpr char partFunctions[] = R"(

/* A part of a tensor in a block: `count` pieces of so many bytes, `step` bytes apart. */
struct kgenrt_part {
  size_t place, count, bytes, step;
};

static @library@_status kgenrt_find_part(const @library@_context *context, const void *state, size_t state_size, size_t index,
    size_t axis, size_t at, const void *tensor, struct kgenrt_part *part) {
  size_t shape[@rank@];
@find@  if (status != @LIBRARY@_OK)
    return status;
  const @library@_tensor *row = &kgenrt_states[index];
  if (axis >= row->rank)
    return @LIBRARY@_BAD_INDEX;
  for (uint32_t i = 0; i < row->rank; ++i)
    shape[i] = row->shape[i];
@open_shape@  if (at >= shape[axis])
    return @LIBRARY@_BAD_INDEX;
  part->count = 1;
  part->bytes = row->alignment; /* of an element */
  for (size_t i = 0; i < axis; ++i)
    part->count *= shape[i];
  for (size_t i = axis + 1; i < row->rank; ++i)
    part->bytes *= shape[i];
  part->step = part->bytes * shape[axis];
  part->place += at * part->bytes;
  return @LIBRARY@_OK;
}

@library@_status @library@_state_get_at(const @library@_context *context, const void *state, size_t state_size, size_t index,
    size_t axis, size_t at, void *part) {
  struct kgenrt_part found;
  @library@_status status = kgenrt_find_part(context, state, state_size, index, axis, at, part, &found);
  if (status == @LIBRARY@_OK && found.bytes != 0)
    for (size_t i = 0; i < found.count; ++i)
      memcpy((unsigned char *)part + i * found.bytes, (const unsigned char *)state + found.place + i * found.step, found.bytes);
  return status;
}

@library@_status @library@_state_set_at(const @library@_context *context, void *state, size_t state_size, size_t index,
    size_t axis, size_t at, const void *part) {
  struct kgenrt_part found;
  @library@_status status = kgenrt_find_part(context, state, state_size, index, axis, at, part, &found);
  if (status == @LIBRARY@_OK && found.bytes != 0)
    for (size_t i = 0; i < found.count; ++i)
      memcpy((unsigned char *)state + found.place + i * found.step, (const unsigned char *)part + i * found.bytes, found.bytes);
  return status;
}
)";

constexpr char findFixed[] = R"(
  @library@_status status = kgenrt_check_state_tensor(context, state, state_size, index, tensor);
  if (status == @LIBRARY@_OK)
    part->place = kgenrt_state_offsets[index];
)";

constexpr char findOpen[] = R"(
  size_t bytes;
  @library@_status status = kgenrt_find_state_tensor(context, state, state_size, index, tensor, &part->place, &bytes);
)";

/// The sizes of tensors that are no numbers, as the block has them.
std::string openShape(const LibraryInterface &library) {
  SizeNames names;
  for (const SizeParameter &size : stateSizes(library))
    names[size.dim.name] = "kgenrt_state_dim(state, " + std::to_string(names.size()) + ")";
  std::string text;
  for (size_t i = 0; i < library.states.size(); ++i) {
    const TensorShape &shape = library.states[i].type.shape;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (!shape.dim(axis).isNumber())
        text += "  if (index == " + std::to_string(i) + ")\n    shape[" + std::to_string(axis) +
                "] = " + sizeExpression(shape.dim(axis), names) + ";\n";
  }
  return text;
}

std::string filled(const char *text, const LibraryInterface &library) {
  return fillTemplate(text, {{"library", library.name}, {"LIBRARY", upperCase(library.name)}});
}

} // namespace

std::string statePartDeclarations(const LibraryInterface &library) {
  std::string head = library.name + "_status " + library.name + "_state_get_at(";
  return fillTemplate(partDeclarations,
                      {{"library", library.name}, {"indent", std::string(head.size(), ' ')}});
}

std::string statePartFunctions(const LibraryInterface &library) {
  size_t rank = 1; // arrays of C have elements
  for (const StateInterface &state : library.states)
    rank = std::max(rank, state.type.shape.size());
  return fillTemplate(partFunctions,
                      {{"library", library.name},
                       {"LIBRARY", upperCase(library.name)},
                       {"rank", std::to_string(rank)},
                       {"find", filled(hasOpenStates(library) ? findOpen : findFixed, library)},
                       {"open_shape", openShape(library)}});
}

} // namespace kgen
