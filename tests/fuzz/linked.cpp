// An object of `--link` from hostile bytes.
#include "driver/LinkedFiles.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

static const std::string &objectPath() {
  static const std::string path =
      std::filesystem::temp_directory_path() / ("kgen-fuzz-" + std::to_string(getpid()) + ".o");
  return path;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  static const int removesAtExit = std::atexit([] { std::remove(objectPath().c_str()); });
  (void)removesAtExit;
  std::ofstream(objectPath(), std::ios::binary).write(reinterpret_cast<const char *>(data), size);
  kgen::Diagnostics diagnostics;
  auto files = kgen::LinkedFiles::open({objectPath()}, {}, {"mine"}, diagnostics);
  if ((files != nullptr) == diagnostics.hasErrors())
    std::abort();
  if (files)
    files->defines("mine");
  return 0;
}
