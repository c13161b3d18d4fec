// A library file from hostile bytes.
#include "spec/Spec.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  kgen::Diagnostics diagnostics;
  std::string text(reinterpret_cast<const char *>(data), size);
  if (kgen::parseLibraryText(text, "fuzz.yaml", diagnostics).has_value() == diagnostics.hasErrors())
    std::abort();
  for (const kgen::Diagnostic &one : diagnostics.errors())
    if (one.message.empty() || one.where.file.empty())
      std::abort();
  return 0;
}
