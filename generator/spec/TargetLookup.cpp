// Finds a target by name or path: beside the spec, in the search path, built in.
#include "spec/TargetSpec.h"

#include "spec/InputFile.h"
#include "spec/Yaml.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <algorithm>

namespace kgen {
namespace {

struct BuiltInTarget {
  const char *name, *text;
};
const BuiltInTarget embedded[] = {
#include "spec/BuiltInTargets.inc"
};

std::optional<TargetSpec> parseBuiltIn(const BuiltInTarget &target, Diagnostics &diagnostics) {
  return parseTargetText(target.text, std::string("<built-in>/") + target.name + ".yaml",
                         diagnostics);
}

/// A target is known by its file's name: the two must not differ.
std::optional<TargetSpec> readTarget(const std::string &path, Diagnostics &diagnostics) {
  std::optional<TargetSpec> target = parseTargetSpec(path, diagnostics);
  if (!target)
    return std::nullopt;
  std::string stem = llvm::sys::path::stem(path).str();
  if (target->name.value == stem)
    return target;
  diagnostics.error(target->name.where, "expected the name of the file, " + quoteText(stem) +
                                            ", as the target's name, found " +
                                            quoteText(target->name.value));
  return std::nullopt;
}

std::vector<std::string> targetNamesIn(const std::string &folder) {
  std::vector<std::string> names;
  std::error_code code;
  llvm::sys::fs::directory_iterator it(folder.empty() ? "." : folder, code), end;
  for (; !code && it != end; it.increment(code))
    if (llvm::sys::path::extension(it->path()) == ".yaml")
      names.push_back(llvm::sys::path::stem(it->path()).str());
  std::sort(names.begin(), names.end());
  return names;
}

void reportUnknown(const Located<std::string> &name, const std::vector<std::string> &searchPath,
                   Diagnostics &diagnostics) {
  std::vector<std::string> candidates = builtInTargets();
  std::string hint = "built in:";
  for (const std::string &target : candidates)
    hint += " " + target;
  for (const std::string &folder : searchPath)
    for (std::string &found : targetNamesIn(folder))
      candidates.push_back(std::move(found));
  std::string near = didYouMean(name.value.substr(0, 64), candidates);
  diagnostics.error(name.where, "unknown target " + quoteText(name.value) + near,
                    hint + "; others are looked for beside the spec and in --target-path");
}
} // namespace

std::optional<TargetSpec> findTarget(const Located<std::string> &name, const std::string &specPath,
                                     const std::vector<std::string> &searchPath,
                                     Diagnostics &diagnostics) {
  llvm::StringRef text = name.value;
  if (text.contains('/') || text.ends_with(".yaml")) {
    std::string path = resolvePath(name.value, specPath);
    bool isFolder = llvm::sys::fs::is_directory(path);
    if (!isFolder && llvm::sys::fs::exists(path))
      return readTarget(path, diagnostics);
    diagnostics.error(name.where, "target file " + quotePath(path) +
                                      (isFolder ? " is a folder" : " does not exist"));
    return std::nullopt;
  }
  std::vector<std::string> candidates = {resolvePath(name.value + ".yaml", specPath)};
  for (const std::string &folder : searchPath) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, name.value + ".yaml");
    candidates.emplace_back(path.str());
  }
  for (const std::string &path : candidates)
    if (llvm::sys::fs::exists(path))
      return readTarget(path, diagnostics);
  for (const BuiltInTarget &target : embedded)
    if (name.value == target.name)
      return parseBuiltIn(target, diagnostics);
  reportUnknown(name, searchPath, diagnostics);
  return std::nullopt;
}

std::vector<std::string> builtInTargets() {
  std::vector<std::pair<int64_t, std::string>> ranked;
  for (const BuiltInTarget &target : embedded) {
    Diagnostics unused; // a test parses every built-in target without errors
    if (auto parsed = parseBuiltIn(target, unused))
      ranked.push_back({parsed->rank, target.name});
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> names;
  for (auto &target : ranked)
    names.push_back(std::move(target.second));
  return names;
}

} // namespace kgen
