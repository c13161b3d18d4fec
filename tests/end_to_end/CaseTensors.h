// Tensors of tables: numbers that are written out, drawn from a seed, or stored in the file beside
// the table.
#pragma once

#include "OperatorCases.h"

#include "spec/WeightFiles.h"

#include <llvm/Support/MemoryBuffer.h>
#include <yaml-cpp/yaml.h>

namespace kgen::tests {

/// <table>.safetensors, whose tensors are called after their case: "f32-5x7.x0" is its first input,
/// .y0 its first result, .bound0 the allowed error of that.
class StoredNumbers {
public:
  explicit StoredNumbers(const std::filesystem::path &table);

  /// Throws std::runtime_error if there is no such tensor, or one of another type.
  std::vector<char> find(const std::string &tensor, const TensorType &type) const;
  /// The numbers of a tensor of f32 or f64.
  std::vector<double> findReals(const std::string &tensor) const;

private:
  FileTensor read(const std::string &tensor) const;

  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  std::optional<SafetensorsFile> file;
};

/// A tensor of a table; `name` is what it is called if it is stored.
CaseTensor parseTensor(const YAML::Node &node, const StoredNumbers &stored,
                       const std::string &name);

} // namespace kgen::tests
