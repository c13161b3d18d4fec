#include "emit/HostText.h"

#include "emit/Names.h"
#include "emit/Template.h"
#include "target/Architecture.h"

namespace kgen {
namespace {

constexpr char headerText[] = R"(
#ifndef @LIBRARY@_NO_ENVIRONMENT
#include <stdlib.h> /* getenv */
#endif
)";

constexpr char readText[] = R"(
#ifndef @LIBRARY@_NO_ENVIRONMENT
  if (wanted == NULL || *wanted == 0)
    wanted = getenv("@LIBRARY@_VARIANT");
#endif
)";

constexpr char detectingNote[] =
    R"(Detects the CPU and chooses the variant. `options` may be NULL. Without a variant in the options, the environment
 * variable @LIBRARY@_VARIANT pins one, unless the library was compiled with -D@LIBRARY@_NO_ENVIRONMENT.)";

// If nothing can be detected.
constexpr char plainNote[] = "Writes the context. `options` may be NULL.";

bool isHosted(const LibraryInterface &library) {
  const Architecture *architecture = architectureOf(library.triple);
  return !architecture || architecture->choosesVariants();
}

std::string filled(const LibraryInterface &library, const char *text) {
  return fillTemplate(text, {{"LIBRARY", upperCase(library.name)}});
}

} // namespace

std::string environmentHeader(const LibraryInterface &library) {
  return isHosted(library) ? filled(library, headerText) : "";
}

std::string environmentRead(const LibraryInterface &library) {
  return isHosted(library) ? filled(library, readText) : "";
}

std::string stringHeader(const LibraryInterface &library) {
  if (library.states.empty())
    return "";
  return isHosted(library) ? "#include <string.h> /* memcpy, memset */\n"
                           : "#define memcpy __builtin_memcpy\n#define memset __builtin_memset\n";
}

std::string initNote(const LibraryInterface &library) {
  return filled(library, isHosted(library) ? detectingNote : plainNote);
}

} // namespace kgen
