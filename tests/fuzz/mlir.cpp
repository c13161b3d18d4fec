// Functions on tensors from hostile text.
#include "ingress/mlir/Import.h"

#include <cstdio>
#include <cstdlib>

/// What is wrong is wrong at a place, but for functions that are not there, and where upstream's
/// parser crashes.
static void requirePlaces(const kgen::Diagnostics &diagnostics) {
  for (const kgen::Diagnostic &one : diagnostics.errors()) {
    llvm::StringRef message = one.message;
    bool isOfFile = message.starts_with("there ") || message.contains(" crashes on this file");
    if (one.where.line > 0 || isOfFile)
      continue;
    std::fprintf(stderr, "no place: %s\n", one.message.c_str());
    std::abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  for (const char *function : {"", "block", "named", "results", "mask"}) {
    kgen::Diagnostics diagnostics;
    kgen::MlirRequest request{"fuzz.mlir", function, "fuzz", {}};
    std::optional<kgen::Graph> graph = kgen::importMlirText(text, request, diagnostics);
    if (graph.has_value() == diagnostics.hasErrors())
      std::abort();
    requirePlaces(diagnostics);
    if (graph && printGraph(*graph).empty())
      std::abort();
  }
  return 0;
}
