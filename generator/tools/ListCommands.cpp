// kgen targets and kgen ops: what there is, as tables or JSON.
#include "ops/Registry.h"
#include "tools/Commands.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace kgen {
namespace {

std::string join(const std::vector<std::string> &words, const char *separator) {
  return llvm::join(words, separator);
}

/// The *.yaml files of the folders.
std::vector<std::string> targetFiles(const std::vector<std::string> &searchPath) {
  std::vector<std::string> files;
  for (const std::string &directory : searchPath) {
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(directory, error), end; it != end && !error;
         it.increment(error))
      if (llvm::sys::path::extension(it->path()) == ".yaml")
        files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct DefaultText {
  std::string operator()(int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return fmt::format("{}", v); }
  std::string operator()(const std::string &v) const { return v; }
  template <typename T> std::string operator()(const std::vector<T> &v) const {
    return fmt::format("[{}]", fmt::join(v, ", "));
  }
};

std::string attributeText(const AttributeSchema &attribute) {
  if (attribute.defaultValue)
    return attribute.name + "=" + std::visit(DefaultText(), *attribute.defaultValue);
  return attribute.name + (attribute.optional ? "?" : "");
}

std::string arityText(const Operator &op) {
  if (op.minInputs == op.maxInputs)
    return std::to_string(op.minInputs);
  return op.maxInputs == operatorUnlimited ? fmt::format("{}..", op.minInputs)
                                           : fmt::format("{}-{}", op.minInputs, op.maxInputs);
}

} // namespace

int listTargets(const std::vector<std::string> &searchPath, bool json) {
  Diagnostics diagnostics;
  std::vector<TargetSpec> targets;
  for (const std::string &name : builtInTargets())
    if (auto target = findTarget({name, {}}, "", {}, diagnostics))
      targets.push_back(std::move(*target));
  for (const std::string &file : targetFiles(searchPath))
    if (auto target = parseTargetSpec(file, diagnostics))
      targets.push_back(std::move(*target));
  if (diagnostics.hasErrors()) {
    report(diagnostics, json);
    return exitUserError;
  }
  std::stable_sort(targets.begin(), targets.end(),
                   [](auto &a, auto &b) { return a.rank > b.rank; });
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  if (!json)
    fmt::print("{:<18} {:>4}  {:<7}  {}\n", "target", "rank", "vectors", "requires");
  for (const TargetSpec &target : targets) {
    std::vector<std::string> features;
    for (const auto &feature : target.requiredFeatures)
      features.push_back(feature.value);
    if (json)
      list.push_back({{"name", target.name.value},
                      {"rank", target.rank},
                      {"file", target.path},
                      {"vector_bits", target.vectorBits},
                      {"requires", features}});
    else
      fmt::print("{:<18} {:>4}  {:<7}  {}\n", target.name.value, target.rank,
                 fmt::format("{}x{}", target.vectorRegisters, target.vectorBits),
                 join(features, " "));
  }
  if (json)
    std::cout << list.dump(2) << "\n";
  return exitOk;
}

int listOperators(bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  if (!json)
    fmt::print("{:<12} {:<6}  {:<22}  {:<32}  {}\n", "operator", "inputs", "types", "attributes",
               "meaning");
  for (const Operator &op : builtInOperators().all()) {
    std::vector<std::string> types, attributes;
    for (ElementType type : op.types)
      types.emplace_back(toString(type));
    for (const AttributeSchema &attribute : op.attributes)
      attributes.push_back(attributeText(attribute));
    if (json)
      list.push_back({{"name", op.name},
                      {"summary", op.summary},
                      {"inputs", arityText(op)},
                      {"types", types},
                      {"attributes", attributes}});
    else
      fmt::print("{:<12} {:<6}  {:<22}  {:<32}  {}\n", op.name, arityText(op),
                 types.size() == allElementTypes().size() ? "all" : join(types, " "),
                 join(attributes, " "), op.summary);
  }
  if (json)
    std::cout << list.dump(2) << "\n";
  return exitOk;
}

} // namespace kgen
