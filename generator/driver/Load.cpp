#include "driver/Load.h"

#include "dialect/kgen/Kgen.h"
#include "ingress/yaml/BuildGraph.h"
#include "ops/Registry.h"
#include "providers/Provider.h"
#include "spec/Weights.h"
#include "spec/Yaml.h"
#include "target/Target.h"

#include <mlir/IR/MLIRContext.h>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>

#include <algorithm>
#include <tuple>

namespace kgen {
namespace {

/// The targets by descending rank; the same name twice is an error.
std::vector<TargetSpec> loadTargets(const std::vector<Located<std::string>> &names,
                                    const std::string &specPath,
                                    const std::vector<std::string> &searchPath,
                                    Diagnostics &diagnostics) {
  std::vector<TargetSpec> targets;
  for (const Located<std::string> &name : names) {
    // Paths of the command line are relative to the current folder, as all others there.
    bool isRelativeToSpec = name.where.line != 0 || !isTargetPath(name.value);
    std::optional<TargetSpec> target =
        findTarget(name, isRelativeToSpec ? specPath : "", searchPath, diagnostics);
    if (!target)
      continue;
    auto same = [&](const TargetSpec &other) {
      return targetIdentifier(other.name.value) == targetIdentifier(target->name.value);
    };
    if (std::any_of(targets.begin(), targets.end(), same))
      diagnostics.error(name.where, "target '" + target->name.value + "' is listed twice",
                        "list each target once");
    else
      targets.push_back(std::move(*target));
  }
  std::sort(targets.begin(), targets.end(), [](const TargetSpec &a, const TargetSpec &b) {
    return std::make_tuple(-a.rank, a.name.value) < std::make_tuple(-b.rank, b.name.value);
  });
  return targets;
}

void checkProvider(const TargetSpec &target, Diagnostics &diagnostics) {
  const std::string &name = target.provider.value;
  if (name.empty() || isProviderName(name))
    return;
  std::vector<std::string> names = providerNames();
  diagnostics.error(target.provider.where,
                    "there is no provider " + quoteText(name) + didYouMean(name, names),
                    "there are " + llvm::join(names, ", "));
}

bool isBuiltIn(const TargetSpec &target) {
  return !target.path.empty() && target.path.front() == '<';
}

} // namespace

std::vector<std::string> providerNames() {
  std::vector<std::string> names{autoProviderName.str()};
  for (const Provider *provider : allProviders())
    names.push_back(provider->name().str());
  return names;
}

std::string providerSummaries() {
  std::string text = autoProviderName.str() + ": the cheapest for each (default)";
  for (const Provider *provider : allProviders())
    text += "\n" + provider->name().str() + ": " + provider->summary().str();
  return text;
}

std::optional<LoadedLibrary> loadLibrary(const std::string &specPath,
                                         const std::vector<std::string> &targets,
                                         const std::vector<std::string> &targetSearchPath,
                                         Diagnostics &diagnostics) {
  std::optional<LibrarySpec> spec = parseLibrarySpec(specPath, diagnostics);
  if (!spec)
    return std::nullopt;
  LoadedLibrary library;
  std::vector<Located<std::string>> names = spec->targets;
  if (!targets.empty()) {
    names.clear();
    for (const std::string &target : targets)
      names.push_back({target, {"--target " + target, 0, 0}});
  }
  library.targets = loadTargets(names, specPath, targetSearchPath, diagnostics);
  for (const TargetSpec &target : library.targets)
    checkProvider(target, diagnostics);
  for (const GraphSpec &graph : spec->graphs)
    if (std::optional<Graph> built = buildGraph(graph, builtInOperators(), diagnostics))
      library.graphs.push_back(std::move(*built));
  if (diagnostics.hasErrors())
    return std::nullopt;
  library.inputFiles.push_back(specPath);
  for (const std::string &file : spec->included)
    library.inputFiles.push_back(file);
  for (const TargetSpec &target : library.targets)
    if (!isBuiltIn(target))
      library.inputFiles.push_back(target.path);
  for (const std::string &file : weightFiles(*spec))
    library.inputFiles.push_back(file);
  library.spec = std::move(*spec);
  return library;
}

std::string specHash(const LoadedLibrary &library) {
  llvm::SHA256 sha;
  auto add = [&](llvm::StringRef text) {
    sha.update(text);
    sha.update(llvm::StringRef("\0", 1));
  };
  add(KGEN_VERSION);
  add(library.spec.library.value);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<KgenDialect>();
  for (const TargetSpec &target : library.targets) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << makeTargetAttr(target, &context) << " " << target.rank << " " << target.onlyOn.vendor;
    for (int64_t family : target.onlyOn.families)
      os << " " << family;
    for (int64_t model : target.onlyOn.models)
      os << " model " << model;
    os << " " << target.provider.value;
    add(text);
  }
  for (const Graph &graph : library.graphs) {
    add(printGraph(graph));
    for (const GraphValue &value : graph.values)
      if (value.data)
        add(llvm::StringRef(value.data->data(), value.data->size()));
  }
  return llvm::toHex(llvm::ArrayRef<uint8_t>(sha.final()), /*LowerCase=*/true);
}

} // namespace kgen
