// <library>.manifest.json: what a generated folder contains and what made it. Deterministic: no
// time stamps, no paths of the machine. Its presence marks a folder as kgen's.
#include "emit/Folder.h"
#include "emit/GpuLayout.h"
#include "emit/State.h"
#include "emit/TemporaryFiles.h"
#include "support/Json.h"
#include "support/Sha256.h"
#include "target/System.h"

#include <llvm/Config/llvm-config.h>

#include <filesystem>
#include <set>

namespace kgen {
namespace {
namespace fs = std::filesystem;

Json tensors(const std::vector<TensorInterface> &list) {
  Json result = Json::array();
  for (const TensorInterface &tensor : list) {
    Json entry = {{"name", tensor.name}, {"type", tensor.type.str()}};
    if (!tensor.original.empty())
      entry["original"] = tensor.original;
    if (!tensor.state.empty())
      entry["state"] = tensor.state;
    result.push_back(std::move(entry));
  }
  return result;
}

Json variants(const LibraryInterface &library) {
  Json result = Json::array();
  for (const VariantInterface &variant : variantsByRank(library)) {
    Json entry = {
        {"target", variant.target}, {"rank", variant.rank}, {"requires", variant.requiredFeatures}};
    if (!variant.vendor.empty())
      entry["prefers"] = {{"vendor", variant.vendor}, {"families", variant.families}};
    if (!variant.models.empty())
      entry["prefers"]["models"] = variant.models;
    result.push_back(entry);
  }
  return result;
}

/// Adds the sizes of a function that is given sizes.
void addSizes(const GraphInterface &graph, Json &entry) {
  entry["dims"] = Json::array();
  for (const DimSymbol &dim : graph.dims) {
    Json size = {
        {"name", dim.name}, {"min", dim.min}, {"max", dim.max}, {"multiple", dim.multiple}};
    if (!dim.state.empty())
      size["state"] = dim.state;
    entry["dims"].push_back(std::move(size));
  }
  entry["workspace_greatest_of"] = Json::object();
  for (const auto &[target, sizes] : graph.workspaceSizes)
    for (const Dim &size : sizes)
      entry["workspace_greatest_of"][target].push_back(size.str());
}

Json workspaces(const LibraryInterface &library, const GraphInterface &graph) {
  Json workspace = Json::object();
  for (const VariantInterface &variant : variantsByRank(library))
    workspace[variant.target] = graph.workspaceBytes.at(variant.target);
  return workspace;
}

Json versionAsJson(const LibraryInterface &library, const GraphInterface &version) {
  return {{"sizes", version.sizes}, {"workspace_bytes", workspaces(library, version)}};
}

Json graphs(const LibraryInterface &library) {
  Json result = Json::array();
  for (const GraphInterface &graph : library.graphs) {
    Json entry = {{"name", graph.name},
                  {"inputs", tensors(graph.inputs)},
                  {"outputs", tensors(graph.outputs)},
                  {"numerics", graph.numerics},
                  {"workspace_bytes", workspaces(library, graph)}};
    if (!graph.dims.empty())
      addSizes(graph, entry);
    for (const GraphInterface &version : graph.versions)
      entry["versions"].push_back(versionAsJson(library, version));
    if (!graph.modelInputs.empty())
      entry["model_inputs"] = graph.modelInputs;
    if (!graph.calls.empty())
      entry["calls"] = graph.calls;
    result.push_back(std::move(entry));
  }
  return result;
}

Json states(const LibraryInterface &library) {
  Json result = Json::array();
  for (const StateInterface &state : library.states) {
    Json entry = {{"name", state.name}, {"type", state.type.str()}};
    if (!hasOpenStates(library)) // else it depends on the sizes of a block
      entry["offset"] = state.offset;
    if (!state.init.empty())
      entry["init"] = state.init; // bytes of each element
    result.push_back(std::move(entry));
  }
  return result;
}

Json externs(const LibraryInterface &library) {
  Json result = Json::array();
  for (const ExternInterface &function : library.externs)
    result.push_back({{"symbol", function.symbol},
                      {"inputs", tensors(function.inputs)},
                      {"outputs", tensors(function.outputs)},
                      {"workspace_bytes", function.workspaceBytes}});
  return result;
}

Json architectures(const LibraryInterface &library) {
  Json result = Json::array();
  for (const ArchitectureInterface &one : library.architectures)
    result.push_back({{"folder", one.folder}, {"macro", one.macro}, {"targets", one.targets}});
  return result;
}

Json gpus(const LibraryInterface &library) {
  Json result = Json::array();
  for (const GpuTargetInterface &target : library.gpus) {
    Json entry = {{"target", target.target},
                  {"driver", target.api == GpuApi::cuda ? "cuda" : "vulkan"},
                  {"memory_bytes", layOutGpuMemory(library, target).memoryBytes}};
    for (const GpuGraph &graph : target.graphs) {
      entry["launches"][graph.name] = graph.launches.size();
      if (!graph.cpuSteps.empty())
        entry["cpu_calls"][graph.name] = graph.cpuSteps.size();
    }
    if (!library.cpuFunctions.empty())
      entry["host_bytes"] = layOutGpuMemory(library, target).hostBytes;
    result.push_back(std::move(entry));
  }
  return result;
}

Json inputs(const LibraryInterface &library) {
  Json result = Json::array();
  for (const InputHash &input : library.inputs)
    result.push_back({{"path", input.path}, {"sha256", input.sha256}});
  return result;
}

/// Returns what determines a library's files, besides what stands in the spec.
Json identity(const LibraryInterface &library) {
  Json result = {{"generator", "kgen"},
                 {"version", KGEN_VERSION},
                 {"llvm", LLVM_VERSION_STRING},
                 {"library", library.name},
                 {"spec_hash", library.specHash},
                 {"emit", library.objectKind == ObjectKind::assembly ? "asm" : "object"},
                 {"provider", library.provider},
                 {"reference", library.reference},
                 {"inputs", inputs(library)}};
  if (library.python)
    result["python"] = true;
  if (std::optional<System> system = systemOf(library.triple); system && *system != hostSystem())
    result["system"] = systemName(*system).str();
  return result;
}

/// True if `directory` has the files that `manifest` lists, with those contents, and no others.
bool hasFiles(const fs::path &directory, const fs::path &manifestPath, const Json &manifest) {
  std::set<fs::path> listed = {manifestPath};
  for (const Json &file : manifest.value("files", Json::array())) {
    if (!file.is_object() || !file.contains("path") || !file["path"].is_string())
      return false;
    fs::path path = directory / file["path"].get<std::string>();
    std::optional<std::string> contents = contentsOf(path);
    if (!contents || !file.contains("sha256") || file["sha256"] != sha256(*contents))
      return false;
    listed.insert(path);
  }
  std::error_code code;
  for (fs::recursive_directory_iterator it(directory, code), end; !code && it != end;
       it.increment(code))
    if (!it->is_directory(code) && !listed.count(it->path()))
      return false;
  return !code;
}
} // namespace

bool isUpToDate(const std::string &directory, const LibraryInterface &library,
                fs::file_time_type since) {
  fs::path path = fs::path(directory) / (library.name + ".manifest.json");
  std::error_code code;
  fs::file_time_type written = fs::last_write_time(path, code);
  if (code || written <= since)
    return false;
  Json manifest = parsedInOrder(contentsOf(path).value_or(""));
  if (!manifest.is_object())
    return false;
  const Json wanted = identity(library);
  if (manifest.contains("python") != library.python)
    return false;
  for (const auto &[key, value] : wanted.items())
    if (!manifest.contains(key) || manifest[key] != value)
      return false;
  return hasFiles(directory, path, manifest);
}

std::string emitManifest(const LibraryInterface &library, const FileSet &files) {
  Json fileList = Json::array();
  for (const auto &[path, contents] : files)
    fileList.push_back({{"path", path}, {"bytes", contents.size()}, {"sha256", contents.sha256()}});
  Json manifest = identity(library);
  if (!library.architectures.empty())
    manifest["architectures"] = architectures(library);
  manifest["variants"] = variants(library);
  manifest["graphs"] = graphs(library);
  if (!library.externs.empty())
    manifest["externs"] = externs(library);
  if (!library.states.empty())
    manifest["states"] = states(library);
  if (!library.gpus.empty() && library.architectures.empty())
    manifest["gpus"] = gpus(library);
  manifest["files"] = fileList;
  return formatJson(manifest);
}

} // namespace kgen
