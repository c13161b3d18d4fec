// kgen targets: what there is, as a table or JSON.
#include "explain/Table.h"
#include "tools/Commands.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
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

/// What a CPU must have beyond what another target requires: of those that require less, the one
/// that leaves the fewest features to name.
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

/// "0x19, 0x1a"
std::string idsText(const std::vector<int64_t> &ids) {
  return fmt::format("{:#x}", fmt::join(ids, ", "));
}

/// The CPUs that choose a target by its rank: "AuthenticAMD, family 0x1a"; empty: all.
std::string onlyOnText(const CpuMatch &cpus) {
  std::string text = cpus.vendor;
  if (!cpus.families.empty())
    text += ", family " + idsText(cpus.families);
  if (!cpus.models.empty())
    text += ", model " + idsText(cpus.models);
  return text;
}

nlohmann::ordered_json targetJson(const TargetSpec &target) {
  nlohmann::ordered_json json = {{"name", target.name.value},
                                 {"rank", target.rank},
                                 {"file", target.path},
                                 {"vector_bits", target.vectorBits},
                                 {"requires", featuresOf(target)}};
  const CpuMatch &cpus = target.onlyOn;
  if (!cpus.vendor.empty())
    json["only_on"] = {
        {"vendor", cpus.vendor}, {"families", cpus.families}, {"models", cpus.models}};
  return json;
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
  report(diagnostics, json);
  if (diagnostics.hasErrors())
    return exitUserError;
  std::stable_sort(targets.begin(), targets.end(),
                   [](auto &a, auto &b) { return a.rank > b.rank; });
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  Table table{"", {{"target"}, {"rank", true}, {"vectors"}, {"only on"}, {"requires"}}, {}};
  for (const TargetSpec &target : targets) {
    list.push_back(targetJson(target));
    table.rows.push_back({target.name.value, std::to_string(target.rank),
                          fmt::format("{}x{}", target.vectorRegisters, target.vectorBits),
                          onlyOnText(target.onlyOn), requirementText(target, targets)});
  }
  std::cout << (json ? list.dump(2) + "\n" : tableText(table));
  return exitOk;
}

} // namespace kgen
