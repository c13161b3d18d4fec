// Functions on tensors from hostile text.
#include "ingress/mlir/Import.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  for (const char *function : {"", "block", "named", "results", "mask"}) {
    kgen::Diagnostics diagnostics;
    kgen::MlirRequest request{"fuzz.mlir", function, "fuzz", {}};
    std::optional<kgen::Graph> graph = kgen::importMlirText(text, request, diagnostics);
    if (graph.has_value() == diagnostics.hasErrors())
      std::abort();
    if (graph && printGraph(*graph).empty())
      std::abort();
  }
  return 0;
}
