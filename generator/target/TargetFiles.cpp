// See TargetFiles.h.
#include "target/TargetFiles.h"

#include "target/Architecture.h"
#include "target/GpuSpec.h"

#include "spec/Yaml.h"
#include "support/InputFile.h"
#include "target/MachineLookup.h"
#include "target/TargetChecks.h"
#include "target/TargetSpec.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

namespace kgen {
namespace {

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

/// The built-in targets of this kgen's architectures by descending rank.
std::vector<TargetSpec> parsedBuiltIns() {
  std::vector<TargetSpec> targets;
  for (const TargetFile &file : builtInTargetFiles()) {
    Diagnostics unused; // a test parses every built-in target without errors, with all back ends
    if (file.kind == TargetKind::cpu)
      if (auto parsed = parseTargetText(file.text, file.path, unused))
        targets.push_back(std::move(*parsed));
  }
  std::sort(targets.begin(), targets.end(),
            [](const TargetSpec &a, const TargetSpec &b) { return a.rank > b.rank; });
  return targets;
}

/// The built-in target of the highest rank that a CPU with these features supports, wherever it is
/// used; empty if there is none.
std::string bestTargetFor(const std::vector<std::string> &features) {
  for (const TargetSpec &target : parsedBuiltIns())
    if (target.onlyOn.vendor.empty() &&
        llvm::all_of(target.featureNames(), [&](const std::string &feature) {
          return llvm::is_contained(features, feature);
        }))
      return target.name.value;
  return "";
}

/// The built-in target of the lowest rank that requires the feature; empty if there is none.
std::string firstTargetWith(const std::string &feature) {
  std::string name;
  for (const TargetSpec &target : parsedBuiltIns())
    if (llvm::is_contained(target.featureNames(), feature))
      name = target.name.value;
  return name;
}

/// Returns what to write instead of a name that other compilers take for a CPU; empty if it is
/// none.
std::string hintForCpuName(const std::string &name) {
  if (name == "native" || name == "host")
    return "a library does not depend on the machine that kgen runs on: list several targets, of "
           "which it chooses at run time";
  for (const Architecture *architecture : architectures())
    if (std::string best = bestTargetFor(architecture->featuresOfCpu(name)); !best.empty())
      return "for the CPU '" + name + "' write '" + best + "'";
  if (std::string first = firstTargetWith(name); !first.empty())
    return "'" + name + "' is a CPU feature: the first target with it is '" + first + "'";
  if (llvm::Triple(name).getArch() != llvm::Triple::UnknownArch) {
    std::vector<std::string> triples;
    for (const Architecture *architecture : architectures())
      triples.push_back(architecture->triple().str());
    return "'" + name + "' is a kind of CPU: this kgen has targets for " +
           llvm::join(triples, ", ") + " only";
  }
  return "";
}

/// Names that are built in.
std::vector<std::string> namesOf(TargetKind kind) {
  return kind == TargetKind::cpu       ? builtInTargets()
         : kind == TargetKind::machine ? builtInMachines()
                                       : builtInGpus();
}

const char *kindText(TargetKind kind) {
  return kind == TargetKind::cpu       ? "a CPU"
         : kind == TargetKind::machine ? "a machine"
                                       : "a graphics card";
}

void reportUnknown(const Located<std::string> &name, TargetKind wanted,
                   const std::vector<std::string> &searchPath, Diagnostics &diagnostics) {
  const bool isCpu = wanted == TargetKind::cpu;
  // Of names that are equally near the one of the highest rank is meant: x86-64-v4 for x86-64-v5.
  std::vector<std::string> builtIn = namesOf(wanted), candidates(builtIn.rbegin(), builtIn.rend());
  const std::string cpuHint = isCpu ? hintForCpuName(name.value) : "";
  std::string hint = cpuHint;
  hint += (hint.empty() ? "" : "; ") + ("built in: " + llvm::join(builtIn, " "));
  for (const std::string &folder : searchPath)
    for (std::string &found : targetNamesIn(folder))
      candidates.push_back(std::move(found));
  std::string near = cpuHint.empty() ? didYouMean(name.value.substr(0, 64), candidates) : "";
  diagnostics.error(name.where,
                    std::string("unknown ") +
                        (wanted == TargetKind::machine ? "machine " : "target ") +
                        quoteText(name.value) + near,
                    hint + " (`kgen targets` describes them); others are looked for beside the "
                           "spec and in --target-path");
}

/// The file of a path that exists.
std::optional<TargetFile> readTargetFile(const std::string &path, Diagnostics &diagnostics) {
  std::optional<std::string> text = readYamlText(path, diagnostics);
  if (!text)
    return std::nullopt;
  TargetKind kind = kindOfTarget(*text);
  return TargetFile{llvm::sys::path::stem(path).str(), path, std::move(*text), kind};
}

std::optional<TargetFile> locateTargetFile(const Located<std::string> &name, TargetKind wanted,
                                           const std::string &specPath,
                                           const std::vector<std::string> &searchPath,
                                           Diagnostics &diagnostics) {
  if (isTargetPath(name.value)) {
    std::string path = resolvePath(name.value, specPath);
    bool isFolder = llvm::sys::fs::is_directory(path);
    if (!isFolder && llvm::sys::fs::exists(path))
      return readTargetFile(path, diagnostics);
    diagnostics.error(name.where,
                      "target file " + quotePath(path) +
                          (isFolder ? " is a folder" : " does not exist"),
                      specPath.empty() ? "a path on the command line is relative to the current "
                                         "folder"
                                       : "");
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
      return readTargetFile(path, diagnostics);
  for (const TargetFile &file : builtInTargetFiles())
    if (name.value == file.name)
      return file;
  reportUnknown(name, wanted, searchPath, diagnostics);
  return std::nullopt;
}

} // namespace

std::vector<std::string> builtInTargets() {
  std::vector<TargetSpec> targets = parsedBuiltIns();
  std::vector<std::string> names;
  for (TargetSpec &target : llvm::reverse(targets))
    names.push_back(std::move(target.name.value));
  return names;
}

std::optional<TargetFile> findTargetFile(const Located<std::string> &name, TargetKind wanted,
                                         const std::string &specPath,
                                         const std::vector<std::string> &searchPath,
                                         Diagnostics &diagnostics) {
  std::optional<TargetFile> file =
      locateTargetFile(name, wanted, specPath, searchPath, diagnostics);
  if (!file || file->kind == wanted)
    return file;
  const std::string message = "target " + quoteText(name.value) + " is " + kindText(file->kind) +
                              "; " + kindText(wanted) + " is expected here";
  if (wanted == TargetKind::cpu && file->kind == TargetKind::machine)
    diagnostics.error(name.where, message,
                      "`kgen simulate --machine` runs scheduled code on machines; `kgen targets` "
                      "lists both");
  else if (wanted == TargetKind::machine)
    diagnostics.error(name.where, message,
                      "machines have the key 'machine'; built in: " +
                          llvm::join(builtInMachines(), " "));
  else
    diagnostics.error(name.where, message, "`kgen targets` lists all");
  return std::nullopt;
}

} // namespace kgen
