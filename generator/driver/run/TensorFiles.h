// Tensors that a user gives: inputs to run a graph on, and the results that are expected of it.
#pragma once

#include "emit/Library.h"
#include "support/Diagnostics.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <functional>
#include <memory>
#include <optional>

namespace kgen {

/// A tensor from a file. `bytes` has exactly the size of the type.
struct GivenTensor {
  TensorType type;
  llvm::StringRef bytes;
  std::shared_ptr<const void> storage; ///< what `bytes` is part of
};

/// The tensor in a file; its format goes by the file's extension. The error's text is the reason
/// without the path.
llvm::Expected<GivenTensor> readTensorFile(const std::string &path);
/// True if there is a format with the extension of `path`.
bool isTensorFile(const std::string &path);

/// A tensor that has not been read.
struct TensorSource {
  std::string name;  ///< of a value of the graph
  std::string where; ///< a file, and an array in it
  std::function<llvm::Expected<GivenTensor>()> read;
};

/// The arrays of a .npz file by their names, or the files of a folder: `input_<n>` and
/// `output_<n>` are the inputs and outputs of `graph` in their order, counted from 0; what else has
/// a format of tensors goes by its name. Nothing after an error.
std::optional<std::vector<TensorSource>>
openTensors(const std::string &path, const GraphInterface &graph, Diagnostics &diagnostics);

} // namespace kgen
