// Functions on tensors from hostile text, and what accepted ones are lowered to.
#include "lowered.h"

#include "ingress/mlir/FileText.h"
#include "ingress/mlir/Import.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

/// Requires a location in each error, but for functions that are not there, and where upstream's
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
  std::vector<std::string> functions = kgen::functionsInText(text);
  functions.resize(std::min<size_t>(functions.size(), 8));
  functions.emplace_back(); // the only one
  for (const std::string &function : functions) {
    std::optional<kgen::CutText> cut = kgen::cutFunction(text, function);
    if (cut && cut->text.size() != size)
      std::abort();
    kgen::Diagnostics diagnostics;
    kgen::MlirRequest request{"fuzz.mlir", function, "fuzz", {}};
    std::optional<kgen::Graph> graph = kgen::importMlirText(text, request, diagnostics);
    if (graph.has_value() == diagnostics.hasErrors())
      std::abort();
    requirePlaces(diagnostics);
    if (graph && printGraph(*graph).empty())
      std::abort();
    if (graph)
      requireLowered(*graph);
  }
  return 0;
}
