// <library>.manifest.json: what a generated folder contains and what made it. Deterministic: no
// time stamps, no paths of the machine. Its presence marks a folder as kgen's.
#include "emit/Names.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/SHA256.h>

#include <nlohmann/json.hpp>

namespace kgen {
namespace {
using Json = nlohmann::ordered_json;

std::string sha256(const std::string &contents) {
  llvm::SHA256 hash;
  hash.update(contents);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

Json tensors(const std::vector<TensorInterface> &list) {
  Json result = Json::array();
  for (const TensorInterface &tensor : list)
    result.push_back({{"name", tensor.name}, {"type", tensor.type.str()}});
  return result;
}

Json variants(const LibraryInterface &library) {
  Json result = Json::array();
  for (const VariantInterface &variant : variantsByRank(library)) {
    Json entry = {
        {"target", variant.target}, {"rank", variant.rank}, {"requires", variant.requiredFeatures}};
    if (!variant.preferredVendor.empty())
      entry["prefers"] = {{"vendor", variant.preferredVendor},
                          {"families", variant.preferredFamilies}};
    result.push_back(entry);
  }
  return result;
}

Json graphs(const LibraryInterface &library) {
  Json result = Json::array();
  for (const GraphInterface &graph : library.graphs) {
    Json workspace = Json::object();
    for (const VariantInterface &variant : variantsByRank(library))
      workspace[variant.target] = graph.workspaceBytes.at(variant.target);
    result.push_back({{"name", graph.name},
                      {"inputs", tensors(graph.inputs)},
                      {"outputs", tensors(graph.outputs)},
                      {"numerics", graph.numerics},
                      {"workspace_bytes", workspace}});
  }
  return result;
}
} // namespace

std::string emitManifest(const LibraryInterface &library, const FileSet &files) {
  Json fileList = Json::array();
  for (const auto &[path, contents] : files)
    fileList.push_back({{"path", path}, {"bytes", contents.size()}, {"sha256", sha256(contents)}});
  Json manifest = {{"generator", "kgen"},           {"version", KGEN_VERSION},
                   {"llvm", LLVM_VERSION_STRING},   {"library", library.name},
                   {"spec_hash", library.specHash}, {"variants", variants(library)},
                   {"graphs", graphs(library)},     {"files", fileList}};
  return manifest.dump(2) + "\n";
}

} // namespace kgen
