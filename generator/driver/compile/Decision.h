// One of the decisions that passes recorded (dialect/kgen/DecisionLog.h), to be read.
#pragma once

#include <mlir/IR/BuiltinAttributes.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

/// It is an error of the caller to read a detail that the kind of decision does not have.
class Decision {
public:
  explicit Decision(mlir::DictionaryAttr all)
      : all(all), details(all.getAs<mlir::DictionaryAttr>("details")) {}

  llvm::StringRef kind() const { return text(all, "kind"); }
  std::string pass() const { return text(all, "pass").str(); }
  std::string purpose() const { return text(all, "purpose").str(); }
  std::optional<int64_t> step() const {
    auto step = all.getAs<mlir::IntegerAttr>("step");
    return step ? std::optional(step.getInt()) : std::nullopt;
  }
  std::vector<std::string> names() const { return strings(all, "nodes"); }
  std::vector<std::string> names(llvm::StringRef key) const { return strings(details, key); }
  std::string string(llvm::StringRef key) const { return text(details, key).str(); }
  int64_t number(llvm::StringRef key) const {
    return details.getAs<mlir::IntegerAttr>(key).getInt();
  }
  std::vector<int64_t> numbers(llvm::StringRef key) const {
    return details.getAs<mlir::DenseI64ArrayAttr>(key).asArrayRef().vec();
  }
  std::map<std::string, int64_t> numbersByName(llvm::StringRef key) const {
    std::map<std::string, int64_t> numbers;
    auto entries = details.getAs<mlir::DictionaryAttr>(key);
    if (!entries)
      return numbers;
    for (mlir::NamedAttribute entry : entries)
      numbers[entry.getName().str()] = mlir::cast<mlir::IntegerAttr>(entry.getValue()).getInt();
    return numbers;
  }
  mlir::Type type(llvm::StringRef key) const {
    return details.getAs<mlir::TypeAttr>(key).getValue();
  }
  /// The entries of a list of dictionaries.
  auto entries(llvm::StringRef key) const {
    return details.getAs<mlir::ArrayAttr>(key).getAsRange<mlir::DictionaryAttr>();
  }

private:
  static llvm::StringRef text(mlir::DictionaryAttr table, llvm::StringRef key) {
    auto value = table.getAs<mlir::StringAttr>(key);
    return value ? value.getValue() : llvm::StringRef();
  }
  static std::vector<std::string> strings(mlir::DictionaryAttr table, llvm::StringRef key) {
    std::vector<std::string> list;
    if (auto values = table.getAs<mlir::ArrayAttr>(key))
      for (mlir::StringAttr value : values.getAsRange<mlir::StringAttr>())
        list.push_back(value.str());
    return list;
  }

  mlir::DictionaryAttr all, details;
};

} // namespace kgen
