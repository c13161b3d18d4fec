// A function of any .mlir file in the form that the ingress gives to graphs.
#pragma once

#include "support/TensorType.h"

#include <mlir/IR/BuiltinOps.h>

#include <vector>

namespace kgen {

struct EntryArgument {
  TensorType type;
  bool isResult; ///< a tensor that the function returned
};

/// Inlines everything that `name` calls into it, drops every other function, and gives it the name
/// `symbol` and buffers as arguments: its own, then one for each tensor that it returned. TOSA
/// and elementwise operations on whole tensors become linalg. Reports why it cannot.
mlir::FailureOr<std::vector<EntryArgument>>
makeEntry(mlir::ModuleOp module, const std::string &name, const std::string &symbol);

} // namespace kgen
