#include "emit/HeldSizes.h"

#include "emit/StateLayout.h"
#include "emit/Template.h"

namespace kgen {
namespace {

constexpr char readFunction[] = R"(
/* Reads a size that a state holds; one beyond the greatest is a state that is full. */
static @library@_status kgenrt_held_size(const void *place, int64_t min, int64_t max, int64_t multiple, size_t *size) {
  int64_t held;
  memcpy(&held, place, sizeof held);
  if (held > max)
    return @LIBRARY@_STATE_FULL;
  if (held < min || held % multiple != 0)
    return @LIBRARY@_BAD_STATE;
  *size = (size_t)held;
  return @LIBRARY@_OK;
}
)";

constexpr char readOne[] = R"(
  size_t @name@;
  status = kgenrt_held_size((const unsigned char *)state + @offset@, @min@, @max@, @multiple@, &@name@);
  if (status != @LIBRARY@_OK)
    return status;
)";

} // namespace

std::string heldSizeFunction(const LibraryInterface &library) {
  if (!hasHeldSizes(library))
    return "";
  return fillTemplate(readFunction,
                      {{"library", library.name}, {"LIBRARY", upperCase(library.name)}});
}

std::string heldSizeVariables(const LibraryInterface &library, const GraphInterface &graph) {
  std::string text;
  for (const SizeParameter &size : sizeParameters(library, graph))
    if (size.isHeld())
      text += fillTemplate(readOne, {{"name", size.name},
                                     {"offset", offsetText(library, size.dim.state)},
                                     {"min", std::to_string(size.dim.min)},
                                     {"max", std::to_string(size.dim.max)},
                                     {"multiple", std::to_string(size.dim.multiple)},
                                     {"LIBRARY", upperCase(library.name)}});
  return text;
}

std::string heldSizesNote(const LibraryInterface &library, const GraphInterface &graph) {
  std::string text;
  for (const SizeParameter &size : sizeParameters(library, graph))
    if (size.isHeld())
      text += "\n * " + size.name + " is what the state " + size.dim.state +
              " is before the call, " + size.dim.range() + "; beyond that the call answers " +
              upperCase(library.name) + "_STATE_FULL.";
  return text;
}

} // namespace kgen
