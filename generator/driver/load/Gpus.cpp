#include "driver/load/Gpus.h"

#include "graph/Operator.h"
#include "target/Architecture.h"
#include "target/TargetFiles.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

bool takeGpu(const Located<std::string> &name, const std::string &specPath,
             const std::vector<std::string> &searchPath, std::vector<GpuSpec> &gpus,
             Diagnostics &diagnostics) {
  Diagnostics unused; // findTarget() reports what is not there
  std::optional<TargetFile> file =
      findTargetFile(name, TargetKind::gpu, specPath, searchPath, unused);
  if (!file)
    return false;
  std::optional<GpuSpec> gpu = findGpu(name, specPath, searchPath, diagnostics);
  auto isSame = [&](const GpuSpec &other) { return other.name.value == gpu->name.value; };
  if (gpu && llvm::any_of(gpus, isSame))
    diagnostics.error(name.where, "target '" + gpu->name.value + "' is listed twice",
                      "list each target once");
  else if (gpu) {
    gpu->name.where = name.where; // errors are about the library
    gpus.push_back(std::move(*gpu));
  }
  return true;
}

void checkGpus(const LoadedLibrary &library, Diagnostics &diagnostics) {
  if (library.gpus.empty())
    return;
  const Located<std::string> &name = library.gpus.front().name;
  auto isOfFirst = [&](const TargetSpec &target) {
    return architectureOf(target.triple) == architectureOf(library.targets.front().triple);
  };
  if (library.targets.empty())
    diagnostics.error(name.where,
                      "'" + name.value + "' is a graphics card, and the library has no CPU",
                      "add a target of the CPUs that programs run on");
  else if (!llvm::all_of(library.targets, isOfFirst) || library.systems.size() != 1 ||
           library.systems.front() != System::onLinux)
    diagnostics.error(name.where,
                      "expected CPUs of one architecture, on Linux, beside the graphics card '" +
                          name.value + "'",
                      "make libraries for others without it");
}

void takeCpuNodes(const GraphSpec &spec, const Graph &graph, LoadedLibrary &library,
                  Diagnostics &diagnostics) {
  std::set<std::string> marked;
  for (const NodeSpec &node : spec.nodes)
    if (node.runsOnCpu)
      marked.insert(node.name.value);
  ModelNames model;
  if (auto found = library.models.find(graph.name); found != library.models.end())
    model = found->second;
  auto isNamed = [&](const Node &node, const std::string &name) {
    return node.name == name || node.op->name == name ||
           llvm::any_of(node.outputs, [&](ValueId id) {
             if (id == noValue)
               return false;
             auto original = model.original.find(graph.values[id].name);
             return original != model.original.end() && original->second == name;
           });
  };
  for (const Located<std::string> &name : spec.onCpu) {
    std::set<std::string> known;
    bool isThere = false;
    for (const Node &node : graph.nodes) {
      known.insert({node.name, node.op->name});
      if (isNamed(node, name.value)) {
        marked.insert(node.name);
        isThere = true;
      }
    }
    if (!isThere)
      diagnostics.error(name.where,
                        "graph '" + graph.name + "' has no node and no operator '" + name.value +
                            "'" + didYouMean(name.value, {known.begin(), known.end()}),
                        "nodes whose results are constants are none");
  }
  if (!marked.empty())
    library.onCpu[graph.name] = std::move(marked);
}

} // namespace kgen
