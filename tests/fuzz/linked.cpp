// An object of `--link` from hostile bytes.
#include "temporary_file.h"

#include "driver/LinkedFiles.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  kgen::Diagnostics diagnostics;
  auto files =
      kgen::LinkedFiles::open({temporaryFile(".o", data, size)}, {}, {"mine"}, diagnostics);
  if ((files != nullptr) == diagnostics.hasErrors())
    std::abort();
  if (files)
    files->defines("mine");
  return 0;
}
