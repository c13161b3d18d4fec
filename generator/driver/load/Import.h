// A model as a spec and its weights.
#pragma once

#include "driver/load/MakeStates.h"
#include "emit/Library.h"
#include "spec/Spec.h"

#include <optional>

namespace kgen {

struct ImportRequest {
  std::string modelPath;
  std::vector<std::string> targets; ///< of the spec; empty: those that suit the model
  ModelBindings bindings;
  std::vector<StatePair> states{};
  bool modules = true; ///< whether blocks that the graph repeats become modules
};

struct ImportedSpec {
  std::string library;
  FileSet files; ///< <library>.yaml and, if there are weights that do not stand in it,
                 ///< weightsName()
  size_t nodes = 0;
  int64_t weightBytes = 0;
  std::vector<std::string> inputs, outputs, states;    ///< "x f32[1, 3]"
  std::vector<std::pair<std::string, size_t>> modules; ///< names, and how often each is used
};

/// The name has a hash of the contents: one that is there is never replaced by another one, so that
/// a spec and its weights change together, when the spec does.
std::string weightsName(const std::string &library, llvm::StringRef bytes);
/// True if it is a name that import gives to weights of the library, whatever their contents.
bool isWeightsName(llvm::StringRef name, const std::string &library);

/// Reports everything that cannot be imported and returns nothing then.
std::optional<ImportedSpec> importSpec(const ImportRequest &request, Diagnostics &diagnostics);

} // namespace kgen
