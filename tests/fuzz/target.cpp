// A target file from hostile bytes.
#include "spec/TargetSpec.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  kgen::Diagnostics diagnostics;
  std::string text(reinterpret_cast<const char *>(data), size);
  if (kgen::parseTargetText(text, "fuzz.yaml", diagnostics).has_value() == diagnostics.hasErrors())
    std::abort();
  return 0;
}
