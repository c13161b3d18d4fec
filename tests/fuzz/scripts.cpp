// The script of a schedule from hostile bytes: a transform program that is run on a product.
#include "library_text.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

static const std::string &scriptPath() {
  static const std::string path =
      std::filesystem::temp_directory_path() / ("kgen-fuzz-" + std::to_string(getpid()) + ".mlir");
  return path;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  static const int removesAtExit = std::atexit([] { std::remove(scriptPath().c_str()); });
  (void)removesAtExit;
  std::ofstream(scriptPath(), std::ios::binary).write(reinterpret_cast<const char *>(data), size);
  tryLibrary("library: fuzz\n"
             "targets: [x86-64-v3]\n"
             "schedules: {s: {script: '" +
             scriptPath() +
             "'}}\n"
             "graphs:\n"
             "  - name: f\n"
             "    inputs: {x: 'f32[8, 16]', w: 'f32[16, 8]'}\n"
             "    nodes: [{name: y, op: MatMul, inputs: [x, w], schedule: s}]\n"
             "    outputs: [y]\n");
  return 0;
}
