// The values of the names of a model while it is imported.
#pragma once

#include "graph/GraphBuilder.h"

#include <llvm/ADT/StringMap.h>

#include <optional>
#include <string>
#include <vector>

namespace kgen::onnx {

/// A tensor, a sequence of tensors whose length is known, or nothing: an optional without a value.
struct ImportedValue {
  enum class Kind { tensor, sequence, nothing } kind = Kind::nothing;
  ValueId tensor = brokenValue;
  std::vector<ValueId> elements{}; ///< of a sequence

  static ImportedValue from(ValueId value) { return {Kind::tensor, value}; }
  static ImportedValue sequence(std::vector<ValueId> elements) {
    return {Kind::sequence, brokenValue, std::move(elements)};
  }
};

/// The names of a graph. A subgraph sees those of the graph around it; a function does not.
class Scope {
public:
  explicit Scope(const Scope *outer = nullptr) : outer(outer) {}

  void define(const std::string &name, ImportedValue value) { values[name] = std::move(value); }
  const ImportedValue *find(const std::string &name) const {
    auto found = values.find(name);
    return found != values.end() ? &found->second : outer ? outer->find(name) : nullptr;
  }

  /// True if the graph itself defines the name.
  bool defines(const std::string &name) const { return values.count(name) != 0; }

private:
  const Scope *outer;
  llvm::StringMap<ImportedValue> values;
};

} // namespace kgen::onnx
