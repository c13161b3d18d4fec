// The second way in: an ONNX model becomes a typed graph of kgen's operators.
#pragma once

#include "graph/Operator.h"
#include "spec/Spec.h"

#include <llvm/ADT/StringRef.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen::onnx {

struct ImportOptions {
  std::string library; ///< whose names the graph's inputs and outputs must not have
  Graph settings;      ///< its name, and what the spec says of its arithmetic
  ModelBindings bindings;
  /// Of inputs that are results of nodes in the whole model; what the model says of others.
  std::map<std::string, TensorType> inputTypes{};
};

struct ImportedModel {
  Graph graph; ///< nodes in the order of the model; names are C identifiers
  /// Names in the model, by name in the graph, where they differ.
  std::map<std::string, std::string> originalNames;
  std::vector<std::string> inputs; ///< names of the model's, also of those that are left out
  std::vector<std::string> files;  ///< that were read
};

/// Imports the model. What is known without running it is computed
/// now; what no result depends on is left out. Reports everything that cannot be imported at once
/// and returns nothing then.
std::optional<ImportedModel> importModel(const std::string &path, const ImportOptions &options,
                                         const OperatorTable &operators, Diagnostics &diagnostics);

/// Imports a model from its bytes; `path` is for messages.
std::optional<ImportedModel> importModelBytes(llvm::StringRef bytes, const std::string &path,
                                              const ImportOptions &options,
                                              const OperatorTable &operators,
                                              Diagnostics &diagnostics);

} // namespace kgen::onnx
