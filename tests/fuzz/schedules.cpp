// Schedules of a library from hostile bytes, as far as they are applied.
#include "library_text.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  tryLibrary(std::string(reinterpret_cast<const char *>(data), size));
  return 0;
}
