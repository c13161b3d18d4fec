// A model as a spec and its weights.
#pragma once

#include "emit/Library.h"
#include "spec/Spec.h"

#include <optional>

namespace kgen {

struct ImportRequest {
  std::string modelPath;
  std::vector<std::string> targets; ///< of the spec; empty: the default ones
  ModelBindings bindings;
  bool modules = true; ///< whether blocks that the graph repeats become modules
};

struct ImportedSpec {
  std::string library;
  FileSet files; ///< <library>.yaml and, if there are weights that do not stand in it,
                 ///< <library>.safetensors
  size_t nodes = 0;
  int64_t weightBytes = 0;
  std::vector<std::string> inputs, outputs;            ///< "x f32[1, 3]"
  std::vector<std::pair<std::string, size_t>> modules; ///< names, and how often each is used
};

/// Reports everything that cannot be imported and returns nothing then.
std::optional<ImportedSpec> importSpec(const ImportRequest &request, Diagnostics &diagnostics);

} // namespace kgen
