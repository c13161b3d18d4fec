#include "driver/load/Versions.h"

#include "driver/load/Sizes.h"

#include <llvm/ADT/STLExtras.h>

#include <set>

namespace kgen {
namespace {

constexpr size_t maxVersions = 16; ///< of a graph: each is compiled for every target

/// The graph of a spec where these sizes are numbers.
GraphSpec specAt(GraphSpec graph, const SizeValues &sizes) {
  graph.versions.clear();
  llvm::erase_if(graph.dims, [&](const auto &dim) { return sizes.count(dim->name); });
  for (TensorSpec &input : graph.inputs)
    input.type.value = atSizes(input.type.value, sizes);
  for (WeightSpec &weight : graph.weights) {
    auto *written = std::get_if<WeightFromValue>(&weight.source);
    if (!written)
      continue;
    bool areNumbers = true;
    for (size_t i = 0; i < written->sizes.size(); ++i) {
      Dim &size = written->sizes[i];
      size = atSizes(size, sizes);
      areNumbers &= size.isNumber();
      written->integers[i] = size.number().value_or(0);
      written->numbers[i] = static_cast<double>(written->integers[i]);
    }
    if (areNumbers)
      written->sizes.clear();
  }
  if (graph.model)
    bindSizes(graph.model->bindings, sizes);
  return graph;
}

/// The versions of one graph as its spec has them.
class VersionReader {
public:
  VersionReader(const Graph &graph, const std::map<std::string, Dim> &given,
                std::set<const VersionSizes *> &used, Diagnostics &diagnostics)
      : graph(graph), given(given), used(used), diagnostics(diagnostics) {}

  /// All combinations, in the order of the lists.
  std::vector<SizeValues> read(const std::vector<VersionSizes> &lists) {
    std::vector<SizeValues> versions;
    for (const VersionSizes &list : lists) {
      auto isNamed = [&](const auto &dim) { return dim->name == list.dim.value; };
      auto dim = llvm::find_if(graph.dims, isNamed);
      if (dim == graph.dims.end())
        continue;
      used.insert(&list);
      combine(**dim, list, versions);
      if (versions.size() > maxVersions) {
        diagnostics.error(list.dim.where, "graph '" + graph.name + "' would have " +
                                              std::to_string(versions.size()) +
                                              " versions, and it may have " +
                                              std::to_string(maxVersions));
        return {};
      }
    }
    return versions;
  }

private:
  void combine(const DimSymbol &dim, const VersionSizes &list, std::vector<SizeValues> &versions) {
    if (versions.empty())
      versions.emplace_back();
    std::vector<SizeValues> all;
    for (const SizeValues &before : versions)
      for (const Located<int64_t> &size : list.sizes) {
        if (!dim.contains(size.value)) {
          refuse(dim, size);
          continue;
        }
        all.push_back(before);
        all.back()[dim.name] = size.value;
      }
    versions = std::move(all);
  }

  /// Bounds of the command line may leave out versions.
  void refuse(const DimSymbol &dim, const Located<int64_t> &size) {
    if (!given.count(dim.name) && reported.insert(size.where.str()).second)
      diagnostics.error(size.where, "dimension '" + dim.name + "' of graph '" + graph.name +
                                        "' is " + dim.range() + ", and a version has " +
                                        std::to_string(size.value));
  }

  const Graph &graph;
  const std::map<std::string, Dim> &given;
  std::set<const VersionSizes *> &used;
  std::set<std::string> reported;
  Diagnostics &diagnostics;
};

/// Reports dimensions that are no sizes of the graphs.
void reportUnused(const std::vector<VersionSizes> &lists, const std::string &hasNone,
                  const std::vector<std::string> &names, const std::map<std::string, Dim> &given,
                  const std::set<const VersionSizes *> &used, Diagnostics &diagnostics) {
  for (const VersionSizes &list : lists)
    if (!used.count(&list) && !given.count(list.dim.value))
      diagnostics.error(list.dim.where,
                        hasNone + " '" + list.dim.value + "' when it is called" +
                            didYouMean(list.dim.value, names),
                        names.empty() ? "all of its sizes are numbers" : "");
}

std::vector<std::string> namesOf(const Graph &graph) {
  std::vector<std::string> names;
  for (const std::shared_ptr<const DimSymbol> &dim : graph.dims)
    names.push_back(dim->name);
  return names;
}

} // namespace

void loadVersions(const LibrarySpec &spec, const std::map<std::string, Dim> &given,
                  llvm::function_ref<std::optional<Graph>(const GraphSpec &)> load,
                  LoadedLibrary &library, Diagnostics &diagnostics) {
  std::set<const VersionSizes *> used;
  std::vector<std::string> allNames;
  for (const Graph &graph : library.graphs) {
    auto isNamed = [&](const GraphSpec &one) { return one.name.value == graph.name; };
    const GraphSpec &written = *llvm::find_if(spec.graphs, isNamed);
    const std::vector<std::string> names = namesOf(graph);
    llvm::append_range(allNames, names);
    VersionReader reader(graph, given, used, diagnostics);
    std::vector<SizeValues> versions =
        reader.read(written.versions.empty() ? spec.versions : written.versions);
    reportUnused(written.versions, "graph '" + graph.name + "' is given no size", names, given,
                 used, diagnostics);
    for (SizeValues &sizes : versions) {
      std::optional<Graph> code = load(specAt(written, sizes));
      if (!code)
        return; // was reported
      code->name += atText(sizes);
      library.versions.push_back({graph.name, std::move(sizes), std::move(*code)});
    }
  }
  reportUnused(spec.versions, "no function is given a size", allNames, given, used, diagnostics);
}

} // namespace kgen
