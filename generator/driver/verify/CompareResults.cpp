#include "driver/verify/CompareResults.h"

#include "driver/generate/GeneratedFolder.h"
#include "driver/run/GraphCall.h"
#include "driver/run/OwnProcess.h"
#include "emit/Folder.h"
#include "support/Json.h"
#include "target/System.h"

#include <llvm/Config/llvm-config.h>

#include <filesystem>

namespace kgen {
namespace {

namespace fs = std::filesystem;

bool isObject(const std::string &path) { return path.rfind("objects/", 0) == 0; }

/// The folder being compared: its manifest and the files that the manifest lists.
class Comparison {
public:
  Comparison(const fs::path &directory, const GenerateResult &result)
      : directory(directory), result(result), name(manifestName(result.library.name)) {
    for (const ArchitectureInterface &one : result.library.architectures)
      folders.push_back(one.folder);
  }

  FolderComparison run() {
    manifest = parseManifest(fileContents((directory / name).string()));
    if (!manifest.contains("files"))
      difference(name, "no manifest of kgen");
    else
      compareFiles();
    for (size_t i = 0; i < folders.size(); ++i)
      add(Comparison(directory / folders[i], result.folders[i]).run(), folders[i]);
    if (comparison.differences.empty() && folders.empty())
      compareFunctions();
    return std::move(comparison);
  }

private:
  void difference(const std::string &path, const std::string &what) {
    comparison.differences.push_back(path + ": " + what);
  }

  /// Adds what was found in the folder of an architecture.
  void add(const FolderComparison &found, const std::string &folder) {
    for (const std::string &line : found.differences)
      comparison.differences.push_back(folder + "/" + line);
    llvm::append_range(comparison.notes, found.notes);
  }

  /// True for objects, and for files of architectures' folders: they are compared elsewhere.
  bool isElsewhere(const std::string &path) const {
    return isObject(path) || llvm::any_of(folders, [&](const std::string &folder) {
             return llvm::StringRef(path).starts_with(folder + "/");
           });
  }

  void compareFiles();
  void compareManifests();
  void compareFunctions();
  void compareVariant(const VariantInterface &variant, LoadedCode &present, LoadedCode &made);
  void compareObjects(const std::string &part);

  fs::path directory;
  const GenerateResult &result;
  std::string name;
  std::vector<std::string> folders; ///< of architectures, if there are several
  SortedJson manifest;
  ListedFiles listed;
  FolderComparison comparison;
};

void Comparison::compareFiles() {
  listed = readListedFiles(directory.string(), manifest);
  for (const auto &[path, fault] : listed.faults)
    difference(path, fault);
  for (const auto &[path, contents] : result.files) {
    if (path == name || isElsewhere(path))
      continue;
    auto present = listed.files.find(path);
    if (present != listed.files.end() && present->second != contents)
      difference(path, "differs");
    else if (present == listed.files.end() && !listed.paths.count(path))
      difference(path, "missing");
  }
  for (const auto &[path, contents] : listed.files)
    if (!isElsewhere(path) && !result.files.count(path))
      difference(path, "not generated");
  for (const std::string &line : compareFolder(directory.string(), result.files))
    if (llvm::StringRef(line).ends_with(": not generated") &&
        !listed.files.count(line.substr(0, line.rfind(": "))))
      comparison.differences.push_back(line);
  compareManifests();
}

/// Compares the parts of the manifests that describe the library; those that describe the machine
/// code may differ.
void Comparison::compareManifests() {
  SortedJson made = parseManifest(result.files.at(name).text());
  SortedJson present = manifest;
  for (SortedJson *json : {&made, &present})
    for (const char *key : {"llvm", "files"})
      json->erase(key);
  for (const auto &[key, value] : made.items())
    if (!present.contains(key) || present[key] != value)
      difference(name, "'" + key + "' differs");
}

/// A line per set of inputs and output in which two libraries' functions of that name differ.
/// Functions that are given sizes are compared at the greatest.
llvm::Expected<std::vector<std::string>> compareRuns(const GraphInterface &graph,
                                                     const std::string &symbol,
                                                     const std::string &target, LoadedCode &present,
                                                     LoadedCode &made, const SizeValues &sizes) {
  llvm::Expected<GraphCall> old = GraphCall::make(graph, symbol, target, present, sizes);
  if (!old)
    return old.takeError();
  llvm::Expected<GraphCall> now = GraphCall::make(graph, symbol, target, made, sizes);
  if (!now)
    return now.takeError();
  std::vector<std::string> lines;
  for (size_t set = 0; set < GraphCall::inputSets; ++set) {
    for (GraphCall *call : {&*old, &*now}) {
      call->fill(set);
      call->run();
    }
    for (const std::string &line : old->differences(*now))
      lines.push_back(GraphCall::describe(set) + ", " + line);
  }
  return lines;
}

void Comparison::compareVariant(const VariantInterface &variant, LoadedCode &present,
                                LoadedCode &made) {
  for (const GraphInterface &described : result.library.graphs) {
    const SizeValues sizes = combinations(described, {}).front();
    const GraphInterface &graph = codeFor(described, sizes);
    std::string symbol = kernelSymbol(result.library.name, graph.name, variant.target, graph.sizes);
    llvm::Expected<std::vector<std::string>> lines =
        compareRuns(graph, symbol, variant.target, present, made, sizes);
    std::string label = graph.name + " in " + variant.target;
    if (!lines)
      difference(label, llvm::toString(lines.takeError()));
    else
      for (const std::string &line : *lines)
        difference(label, line);
  }
}

/// By their bytes: objects whose paths have `part`.
void Comparison::compareObjects(const std::string &part) {
  for (const auto &[path, contents] : result.files) {
    if (!isObject(path) || path.find(part) == std::string::npos)
      continue;
    auto present = listed.files.find(path);
    if (present == listed.files.end())
      difference(path, "missing");
    else if (present->second != contents)
      difference(path, "differs, and this CPU cannot run it");
  }
}

void Comparison::compareFunctions() {
  const bool isForOther = systemOf(result.library.triple) != hostSystem();
  if (isForOther || llvm::none_of(result.library.variants, [](const VariantInterface &variant) {
        return hostSupports(variant.requiredFeatures);
      })) {
    comparison.notes.push_back("the objects were compared by their bytes: " +
                               std::string(isForOther ? "they are for another system"
                                                      : "this CPU supports none of the variants"));
    return compareObjects("");
  }
  llvm::Expected<LoadedCode> present = LoadedCode::load(listed.files, {}, result.linked.get());
  if (!present)
    return difference("objects", llvm::toString(present.takeError()));
  llvm::Expected<LoadedCode> made = LoadedCode::load(result.files, {}, result.linked.get());
  if (!made)
    return difference("objects", llvm::toString(made.takeError()));
  std::string compared;
  for (const VariantInterface &variant : result.library.variants) {
    if (!hostSupports(variant.requiredFeatures)) {
      compareObjects("." + variant.target + ".");
      comparison.notes.push_back(variant.target +
                                 " was compared by its bytes: this CPU does not support it");
      continue;
    }
    compared += (compared.empty() ? "" : ", ") + variant.target;
    compareVariant(variant, *present, *made);
  }
  comparison.notes.push_back("ran the functions of " + compared +
                             " and compared their results: the folder is of LLVM " +
                             llvmVersionOf(directory.string(), result.library.name) +
                             ", this is LLVM " LLVM_VERSION_STRING);
}

} // namespace

std::string llvmVersionOf(const std::string &directory, const std::string &library) {
  SortedJson manifest =
      parseManifest(fileContents((fs::path(directory) / manifestName(library)).string()));
  return manifest.contains("llvm") && manifest["llvm"].is_string()
             ? manifest["llvm"].get<std::string>()
             : "";
}

FolderComparison compareByResults(const std::string &directory, const GenerateResult &result) {
  llvm::Expected<std::string> lines = runInOwnProcess([&] {
    FolderComparison done = Comparison(directory, result).run();
    return formatJsonLine({{"differences", done.differences}, {"notes", done.notes}});
  });
  if (!lines)
    return {{"the process that ran the folder's functions " + llvm::toString(lines.takeError())},
            {}};
  SortedJson done = parsedJson(*lines);
  return {done["differences"], done["notes"]};
}

} // namespace kgen
