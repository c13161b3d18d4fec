// kgen targets: what there is, as a table or JSON.
#include "explain/Table.h"
#include "tools/Commands.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace kgen {
namespace {

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

std::vector<std::string> featuresOf(const TargetSpec &target) {
  std::vector<std::string> features;
  for (const auto &feature : target.requiredFeatures)
    features.push_back(feature.value);
  return features;
}

std::vector<std::string> without(std::vector<std::string> features,
                                 const std::vector<std::string> &others) {
  llvm::erase_if(features, [&](const std::string &f) { return llvm::is_contained(others, f); });
  return features;
}

/// What a CPU must have beyond another target's: the plainest one with the most of its features.
std::string requirementText(const TargetSpec &target, const std::vector<TargetSpec> &targets) {
  std::vector<std::string> features = featuresOf(target), extra = features;
  std::string base;
  for (const TargetSpec &other : targets) {
    std::vector<std::string> theirs = featuresOf(other), more = without(features, theirs);
    if (without(theirs, features).empty() && theirs.size() < features.size() &&
        more.size() <= extra.size())
      base = other.name.value + " + ", extra = more;
  }
  return base + fmt::format("{}", fmt::join(extra, " "));
}

nlohmann::ordered_json targetJson(const TargetSpec &target) {
  return {{"name", target.name.value},
          {"rank", target.rank},
          {"file", target.path},
          {"vector_bits", target.vectorBits},
          {"requires", featuresOf(target)}};
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
  Table table{"", {{"target"}, {"rank", true}, {"vectors"}, {"requires"}}, {}};
  for (const TargetSpec &target : targets) {
    list.push_back(targetJson(target));
    table.rows.push_back({target.name.value, std::to_string(target.rank),
                          fmt::format("{}x{}", target.vectorRegisters, target.vectorBits),
                          requirementText(target, targets)});
  }
  std::cout << (json ? list.dump(2) + "\n" : tableText(table));
  return exitOk;
}

} // namespace kgen
