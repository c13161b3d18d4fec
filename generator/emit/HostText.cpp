#include "emit/HostText.h"

#include "emit/Names.h"
#include "emit/Template.h"
#include "target/Architecture.h"

#include <llvm/ADT/StringRef.h>

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

bool isForWindows(const LibraryInterface &library) {
  return systemOf(library.triple) == System::onWindows;
}

std::string environmentHeader(const LibraryInterface &library) {
  return isHosted(library) ? filled(library, headerText) : "";
}

std::string environmentRead(const LibraryInterface &library) {
  return isHosted(library) ? filled(library, readText) : "";
}

std::string textOnSystem(const LibraryInterface &library, const std::string &runtime) {
  const bool isOther = systemOf(library.triple) != System::onLinux;
  std::string text;
  bool isTaken = true;
  for (llvm::StringRef rest = runtime; !rest.empty();) {
    auto [line, next] = rest.split('\n');
    const llvm::StringRef words = line.trim();
    if (words == "/* But on Linux: */")
      isTaken = isOther;
    else if (words == "/* Everywhere: */")
      isTaken = true;
    else if (isTaken)
      text += rest.take_front(std::min(line.size() + 1, rest.size())).str();
    rest = next;
  }
  return text;
}

std::string environmentMacro(const LibraryInterface &library) {
  return isForWindows(library) ? "#ifndef _CRT_SECURE_NO_WARNINGS\n#define "
                                 "_CRT_SECURE_NO_WARNINGS /* getenv is called once */\n#endif\n"
                               : "";
}

std::string hiddenAttribute(const LibraryInterface &library) {
  return isForWindows(library) ? "" : " __attribute__((visibility(\"hidden\")))";
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
