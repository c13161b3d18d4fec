#include "driver/generate/GeneratedFolder.h"

#include "driver/run/TensorBytes.h"
#include "emit/TemporaryFiles.h"
#include "spec/Yaml.h"
#include "support/Json.h"
#include "support/Notes.h"
#include "support/TensorLimits.h"
#include "target/Architecture.h"

#include <llvm/ADT/StringRef.h>

#include <filesystem>

namespace kgen {
namespace {

namespace fs = std::filesystem;

constexpr const char *manifestSuffix = ".manifest.json";

/// A member of a JSON object; null if there is none.
const SortedJson &member(const SortedJson &json, const char *key) {
  static const SortedJson nothing;
  return json.is_object() && json.contains(key) ? json[key] : nothing;
}

std::string textOf(const SortedJson &json, const char *key) {
  const SortedJson &text = member(json, key);
  return text.is_string() ? text.get<std::string>() : "";
}

/// Paths of the folder's manifests.
std::vector<fs::path> manifestsIn(const std::string &directory) {
  std::vector<fs::path> paths;
  std::error_code code;
  for (fs::directory_iterator it(directory, code), end; !code && it != end; it.increment(code))
    if (llvm::StringRef(it->path().filename().string()).ends_with(manifestSuffix))
      paths.push_back(it->path());
  return paths;
}

/// Reads what the manifest says of the library. What is not as kgen writes it is an error.
class ManifestReader {
public:
  ManifestReader(const SortedJson &manifest, const std::string &path, Diagnostics &diagnostics)
      : manifest(manifest), path(path), diagnostics(diagnostics) {}

  LibraryInterface read() {
    LibraryInterface library;
    library.name = textOf(manifest, "library");
    library.objectKind =
        textOf(manifest, "emit") == "asm" ? ObjectKind::assembly : ObjectKind::object;
    if (textOf(manifest, "generator") != "kgen" || library.name.empty())
      malformed("no manifest of kgen");
    for (const SortedJson &variant : member(manifest, "variants")) {
      VariantInterface described;
      described.target = textOf(variant, "target");
      for (const SortedJson &feature : member(variant, "requires"))
        described.requiredFeatures.push_back(feature.is_string() ? feature.get<std::string>()
                                                                 : "?");
      library.variants.push_back(std::move(described));
    }
    for (const SortedJson &graph : member(manifest, "graphs"))
      library.graphs.push_back(readGraph(graph, library));
    for (const SortedJson &gpu : member(manifest, "gpus")) {
      GpuTargetInterface &described = library.gpus.emplace_back();
      described.target = textOf(gpu, "target");
      described.api = textOf(gpu, "driver") == "cuda" ? GpuApi::cuda : GpuApi::vulkan;
    }
    for (const SortedJson &state : member(manifest, "states"))
      library.states.push_back(readState(state));
    if (library.graphs.empty() || library.variants.empty())
      malformed("'graphs' and 'variants' must have members");
    return library;
  }

private:
  void malformed(const std::string &what) {
    diagnostics.error({path, 0, 0}, what, "generate the folder again");
  }

  GraphInterface readGraph(const SortedJson &json, const LibraryInterface &library) {
    GraphInterface graph{textOf(json, "name"), {}, {}, {}, {}};
    if (json.contains("dims")) {
      diagnostics.error({path, 0, 0},
                        "graph '" + graph.name +
                            "' is given sizes when it is called: they are read from a spec only",
                        "name the spec instead of the folder");
      return graph;
    }
    graph.inputs = readTensors(json, "inputs");
    graph.outputs = readTensors(json, "outputs");
    if (json.contains("model_inputs"))
      for (const SortedJson &name : json["model_inputs"])
        graph.modelInputs.push_back(name.is_string() ? name.get<std::string>() : "");
    for (const SortedJson &symbol : member(json, "calls"))
      graph.calls.push_back(symbol.is_string() ? symbol.get<std::string>() : "");
    for (const VariantInterface &variant : library.variants) {
      const SortedJson &bytes = member(member(json, "workspace_bytes"), variant.target.c_str());
      if (!bytes.is_number_unsigned() || bytes.get<uint64_t>() > uint64_t(maxTensorBytes))
        malformed("graph '" + graph.name + "' has no workspace for '" + variant.target + "'");
      else
        graph.workspaceBytes[variant.target] = bytes.get<int64_t>();
    }
    return graph;
  }

  StateInterface readState(const SortedJson &json) {
    StateInterface state{textOf(json, "name"), parseTensorType(textOf(json, "type"))};
    const SortedJson &offset = member(json, "offset");
    if (offset.is_number_unsigned())
      state.offset = offset.get<int64_t>();
    for (const SortedJson &byte : member(json, "init"))
      state.init.push_back(byte.is_number_unsigned() ? byte.get<uint8_t>() : 0);
    return state;
  }

  std::vector<TensorInterface> readTensors(const SortedJson &graph, const char *key) {
    std::vector<TensorInterface> tensors;
    for (const SortedJson &json : member(graph, key)) {
      std::string text = textOf(json, "type");
      TensorInterface tensor{textOf(json, "name"), parseTensorType(text)};
      if (json.contains("original"))
        tensor.original = textOf(json, "original");
      tensor.state = textOf(json, "state");
      if (tensor.type.str() != text || tensor.type.shape.size() > maxRank ||
          !boundedByteCount(tensor.type, maxTensorBytes))
        malformed("'" + tensor.name + "' has no type: " + quoteText(text));
      else
        tensors.push_back(std::move(tensor));
    }
    return tensors;
  }

  const SortedJson &manifest;
  const std::string &path;
  Diagnostics &diagnostics;
};

} // namespace

std::string manifestName(const std::string &library) { return library + manifestSuffix; }

std::string fileContents(const std::string &path) { return contentsOf(path).value_or(""); }

SortedJson parseManifest(const std::string &text) {
  SortedJson json = parsedJson(text);
  return json.is_object() ? json : SortedJson::object();
}

namespace {

/// True for a file below `directory` that is reached without links.
bool isOwnFile(const fs::path &directory, const fs::path &path) {
  std::error_code code;
  fs::path reached = directory;
  fs::file_type type = fs::file_type::directory;
  for (const fs::path &part : path) {
    if (type != fs::file_type::directory || part == ".." || part.has_root_path())
      return false;
    reached /= part;
    type = fs::symlink_status(reached, code).type();
  }
  return type == fs::file_type::regular;
}

} // namespace

ListedFiles readListedFiles(const std::string &directory, const SortedJson &manifest) {
  ListedFiles listed;
  for (const SortedJson &entry : member(manifest, "files")) {
    std::string path = textOf(entry, "path"), full = (fs::path(directory) / path).string();
    listed.paths.insert(path);
    if (!isOwnFile(directory, path)) {
      std::error_code code;
      bool isThere = fs::exists(full, code);
      listed.faults.push_back({path, isThere ? "no file of the folder's own" : "missing"});
      continue;
    }
    const FileContents &contents = listed.files[path] = fileContents(full);
    if (contents.sha256() != textOf(entry, "sha256"))
      listed.faults.push_back({path, "not the file that the folder's manifest describes"});
  }
  return listed;
}

/// Returns the folder of the architecture of `triple`, in one of several; an error if there is
/// none.
static std::string ownFolder(const std::string &directory, const SortedJson &manifest,
                             llvm::StringRef triple, Diagnostics &diagnostics) {
  std::string own = architectureName(triple), names;
  for (const SortedJson &one : member(manifest, "architectures")) {
    const std::string folder = textOf(one, "folder");
    if (folder == own || folder == own + "-" + systemName(hostSystem()).str()) {
      addNote(diagnostics, {directory, 0, 0}, "of its architectures, " + folder + " is taken");
      return (fs::path(directory) / folder).string();
    }
    names += (names.empty() ? "" : ", ") + folder;
  }
  diagnostics.error({directory, 0, 0},
                    "the library has no code for the architecture that runs it, '" + own + "'",
                    "it has folders for " + names);
  return "";
}

std::optional<GeneratedFolder> readGeneratedFolder(const std::string &directory,
                                                   llvm::StringRef triple,
                                                   Diagnostics &diagnostics) {
  std::vector<fs::path> manifests = manifestsIn(directory);
  if (manifests.size() != 1) {
    diagnostics.error({directory, 0, 0},
                      manifests.empty() ? "there is no manifest of kgen in this folder"
                                        : "there are several manifests in this folder",
                      "name a folder that `kgen generate` has written, or a spec");
    return std::nullopt;
  }
  std::string path = manifests.front().string();
  SortedJson manifest = parseManifest(fileContents(path));
  if (manifest.contains("architectures")) {
    for (const auto &[file, fault] : readListedFiles(directory, manifest).faults)
      diagnostics.error({(fs::path(directory) / file).string(), 0, 0}, fault,
                        "generate the folder again");
    const std::string own = ownFolder(directory, manifest, triple, diagnostics);
    return diagnostics.hasErrors() ? std::nullopt : readGeneratedFolder(own, triple, diagnostics);
  }
  if (std::string system = textOf(manifest, "system"); !system.empty()) {
    diagnostics.error({directory, 0, 0},
                      "the library is for " + system + ", and nothing of it runs here",
                      "generate it with --system " + systemName(hostSystem()).str());
    return std::nullopt;
  }
  GeneratedFolder folder{ManifestReader(manifest, path, diagnostics).read(), {}};
  ListedFiles listed = readListedFiles(directory, manifest);
  for (const auto &[file, fault] : listed.faults)
    diagnostics.error({(fs::path(directory) / file).string(), 0, 0}, fault,
                      "generate the folder again");
  folder.files = std::move(listed.files);
  return diagnostics.hasErrors() ? std::nullopt : std::optional(std::move(folder));
}

} // namespace kgen
