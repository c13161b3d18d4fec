// The second way in: an ONNX model becomes a typed graph of kgen's operators.
#pragma once

#include "graph/Operator.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen::onnx {

struct ImportOptions {
  /// Sizes of symbolic dimensions: by symbol ("batch"), or by input and axis ("x:0").
  std::map<std::string, int64_t> dims;
  /// Inputs that become constants, all of whose elements are the number.
  std::map<std::string, double> values;
};

struct ImportedModel {
  Graph graph; ///< nodes in the order of the model; names are C identifiers
  /// Names in the model, by name in the graph, where they differ.
  std::map<std::string, std::string> originalNames;
  std::vector<std::string> files; ///< that were read
};

/// Imports the model as a graph named `graphName`. What is known without running it is computed
/// now; what no result depends on is left out. Reports everything that cannot be imported at once
/// and returns nothing then.
std::optional<ImportedModel> importModel(const std::string &path, const std::string &graphName,
                                         const ImportOptions &options,
                                         const OperatorTable &operators, Diagnostics &diagnostics);

} // namespace kgen::onnx
