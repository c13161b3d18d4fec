#include "driver/CheckReferences.h"

#include "driver/ResultCheck.h"
#include "driver/RunnableVariants.h"
#include "graph/Operator.h"

#include <llvm/ADT/STLExtras.h>

#include <set>

namespace kgen {
namespace {

/// A graph of one node, and what its results are compared with.
struct ComparedNode {
  Graph graph;
  Counterpart counterpart;
};

/// The node with its operands as inputs. Weights become inputs, too: an instance depends on types.
Graph graphOfNode(const Graph &from, const Node &node, const std::string &name) {
  Graph graph;
  graph.name = name;
  graph.compute = from.compute;
  graph.accumulate = from.accumulate;
  Node &only = graph.nodes.emplace_back(node);
  only.schedule = {};
  auto add = [&](ValueId id, const std::string &called, ValueKind kind) {
    graph.values.push_back(
        {called, from.values[id].type, kind, from.values[id].where, nullptr, {}});
    return static_cast<ValueId>(graph.values.size() - 1);
  };
  for (auto [i, id] : llvm::enumerate(only.inputs)) {
    id = add(id, "in" + std::to_string(i), ValueKind::input);
    graph.inputs.push_back(id);
  }
  for (ValueId &id : only.outputs) {
    id = add(id, from.values[id].name, ValueKind::result);
    graph.outputs.push_back(id);
  }
  return graph;
}

/// The nodes of all graphs whose template names another one, each instance once.
std::vector<ComparedNode> comparedNodes(const LoadedLibrary &library, Diagnostics &diagnostics) {
  std::vector<ComparedNode> nodes;
  std::set<std::string> known;
  for (const Graph &graph : library.graphs)
    for (const Node &node : graph.nodes) {
      if (!node.op->counterpart)
        continue;
      std::optional<Counterpart> found =
          node.op->counterpart(InferenceContext(graph, node, diagnostics));
      if (found && known.insert(found->computes + found->computesAt.str()).second)
        nodes.push_back({graphOfNode(graph, node, "node" + std::to_string(known.size())), *found});
    }
  return nodes;
}

/// The library of these graphs, for what of its targets runs here.
LoadedLibrary libraryOf(const LoadedLibrary &whole, const std::vector<ComparedNode> &nodes) {
  LoadedLibrary library = whole;
  library.spec.schedules.clear();
  library.spec.python = false;
  library.machines.clear();
  library.models.clear();
  library.graphs.clear();
  for (const ComparedNode &node : nodes)
    library.graphs.push_back(node.graph);
  llvm::erase_if(library.targets, [](const TargetSpec &target) {
    return !missingOnHost(target.featureNames()).empty();
  });
  return library;
}

llvm::Error compareAll(const std::vector<ComparedNode> &nodes, const GenerateResult &made,
                       const GenerateResult &reference, Diagnostics &diagnostics) {
  llvm::Expected<LoadedCode> code = loadCode(made), plain = loadCode(reference);
  if (!code || !plain)
    return llvm::joinErrors(code.takeError(), plain.takeError());
  for (const ComparedNode &each : nodes) {
    const std::string &name = each.graph.name;
    llvm::Expected<ResultCheck> check = ResultCheck::make(reference, name, *plain);
    if (!check)
      return check.takeError();
    for (const VariantInterface &variant : made.library.variants) {
      llvm::Expected<GraphCall> call = callOf(made, name, variant.target, *code);
      llvm::Expected<GraphCall> parallel = callOf(made, name, variant.target, *code);
      if (!call || !parallel)
        return llvm::joinErrors(call.takeError(), parallel.takeError());
      std::vector<std::string> complaints = check->complaints(*call, *parallel, {});
      if (complaints.empty())
        continue;
      const Counterpart &both = each.counterpart;
      diagnostics.error(each.graph.nodes.front().where,
                        both.computes + " does not compute what " + both.counterpart +
                            " does: " + variant.target + ", " + complaints.front(),
                        both.computesAt.str() + " is the one, " + both.counterpartAt.str() +
                            " the other, which its header names in `reference`");
      break;
    }
  }
  return llvm::Error::success();
}

} // namespace

void compareWithReferences(const LoadedLibrary &library, Diagnostics &diagnostics) {
  std::vector<ComparedNode> nodes = comparedNodes(library, diagnostics);
  if (nodes.empty())
    return;
  LoadedLibrary here = libraryOf(library, nodes);
  if (here.targets.empty()) {
    diagnostics.warning({library.spec.path, 0, 0},
                        "templates are not compared with what they name in `reference`: this CPU "
                        "supports none of the library's targets");
    return;
  }
  GenerateOptions options;
  options.specPath = library.spec.path;
  GenerateResult made, reference;
  if (generateLibrary(options, here, made, diagnostics) != GenerateStatus::ok ||
      generateReference(options, here, reference, diagnostics) != GenerateStatus::ok)
    return;
  if (llvm::Error error = compareAll(nodes, made, reference, diagnostics))
    diagnostics.error({library.spec.path, 0, 0}, llvm::toString(std::move(error)));
}

} // namespace kgen
