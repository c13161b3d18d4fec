#include "driver/verify/CompareTemplates.h"

#include "driver/generate/Generate.h"
#include "driver/load/ExternFunctions.h"
#include "driver/load/LibraryTemplates.h"
#include "driver/run/RunnableVariants.h"
#include "driver/verify/ResultCheck.h"
#include "graph/Operator.h"
#include "templates/Templates.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

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
  graph.activations = from.activations;
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

/// The library for what of its targets runs here.
LoadedLibrary runnablePart(const LoadedLibrary &whole) {
  LoadedLibrary library = whole;
  library.spec.python = false;
  library.machines.clear();
  llvm::erase_if(library.targets, [](const TargetSpec &target) {
    return !missingOnHost(target.featureNames()).empty();
  });
  return library;
}

LoadedLibrary libraryOf(const LoadedLibrary &here, const std::vector<ComparedNode> &nodes) {
  LoadedLibrary library = here;
  library.spec.schedules.clear();
  library.models.clear();
  library.graphs.clear();
  for (const ComparedNode &node : nodes)
    library.graphs.push_back(node.graph);
  return library;
}

/// The code of a library and its plain loops, in memory.
class ComparedCode {
public:
  /// False after an error in `diagnostics`.
  bool make(const LoadedLibrary &library, Diagnostics &diagnostics) {
    GenerateOptions options;
    options.specPath = library.spec.path;
    options.explain = true;
    if (generateLibrary(options, library, made, diagnostics) != GenerateStatus::ok ||
        generateReference(options, library, reference, diagnostics) != GenerateStatus::ok)
      return false;
    llvm::Expected<LoadedCode> loaded = loadCode(made), loadedPlain = loadCode(reference);
    if (loaded && loadedPlain) {
      code.emplace(std::move(*loaded));
      plain.emplace(std::move(*loadedPlain));
      return true;
    }
    return fail(llvm::joinErrors(loaded.takeError(), loadedPlain.takeError()), diagnostics);
  }

  /// "x86-64-v3, inputs in [-1, 1), output 'y': ..." of the first variant that is wrong.
  std::string complaint(const std::string &graph, Diagnostics &diagnostics) {
    llvm::Expected<ResultCheck> check = ResultCheck::make(reference, graph, *plain);
    if (!check)
      return fail(check.takeError(), diagnostics), "";
    for (const VariantInterface &variant : made.library.variants) {
      llvm::Expected<GraphCall> call = callOf(made, graph, variant.target, *code);
      llvm::Expected<GraphCall> parallel = callOf(made, graph, variant.target, *code);
      if (!call || !parallel)
        return fail(llvm::joinErrors(call.takeError(), parallel.takeError()), diagnostics), "";
      llvm::Expected<std::vector<std::string>> lines = check->complaints(*call, *parallel, {});
      if (!lines)
        return fail(lines.takeError(), diagnostics), "";
      if (!lines->empty())
        return variant.target + ", " + lines->front();
    }
    return "";
  }

  GenerateResult made, reference;

private:
  bool fail(llvm::Error error, Diagnostics &diagnostics) {
    diagnostics.error({made.library.name, 0, 0}, llvm::toString(std::move(error)));
    return false;
  }

  std::optional<LoadedCode> code, plain;
};

void compareNodes(const LoadedLibrary &here, const std::vector<ComparedNode> &nodes,
                  Diagnostics &diagnostics) {
  ComparedCode code;
  if (nodes.empty() || !code.make(libraryOf(here, nodes), diagnostics))
    return;
  for (const ComparedNode &each : nodes) {
    std::string complaint = code.complaint(each.graph.name, diagnostics);
    const Counterpart &both = each.counterpart;
    if (!complaint.empty())
      diagnostics.error(each.graph.nodes.front().where,
                        both.computes + " does not compute what " + both.counterpart +
                            " does: " + complaint,
                        both.computesAt.str() + " is the one, " + both.counterpartAt.str() +
                            " the other, which its header names in `reference`");
  }
}

/// Effects of templates on a graph that does not call them.
struct Acting {
  std::vector<std::string> nodes, texts;

  void add(const std::vector<std::string> &of, const std::string &text) {
    nodes.insert(nodes.end(), of.begin(), of.end());
    if (!llvm::is_contained(texts, text))
      texts.push_back(text);
  }
  void add(const Acting &other) {
    nodes.insert(nodes.end(), other.nodes.begin(), other.nodes.end());
    for (const std::string &text : other.texts)
      add({}, text);
  }
};

/// "@rows" and other templates that are kernels.
std::string kernelNames(const TemplateSources &templates) {
  std::string names;
  for (const std::string &name : kernelTemplates(templates))
    names += (names.empty() ? "@" : " or @") + name;
  return names;
}

Acting actingIn(const Explanation &code, const TemplateSources &templates) {
  Acting acting;
  for (const ExplainedRemark &remark : code.remarks)
    if (remark.pass == "kgen-replace-by-templates" && !remark.isRefusal)
      acting.add(remark.nodes, remark.text);
  for (const ExplainedKernel &kernel : code.kernels)
    if (kernel.provider == "templates")
      for (const auto &[step, calls] : kernel.calls)
        acting.add(code.steps[step].nodes,
                   kernelNames(templates) + " is micro-kernel " + kernel.symbol);
  return acting;
}

/// "@fast takes the place of @plain" with the places of both.
std::string withPlaces(llvm::StringRef text, const TemplateSources &templates) {
  std::string result;
  for (llvm::StringRef word : llvm::split(text, ' ')) {
    result += (result.empty() ? "" : " ") + word.str();
    if (word.consume_front("@"))
      result += " (" + placeOfTemplate(word, templates) + ")";
  }
  return result;
}

void compareGraphs(LoadedLibrary here, Diagnostics &diagnostics) {
  // Functions from outside are there only with --link.
  llvm::erase_if(here.graphs, [&](const Graph &graph) {
    const TemplateSources *templates = templatesOf(here, graph.name);
    return !templates || !actsOnGraphs(*templates) ||
           (!here.linked && !externSymbolsOf(graph).empty());
  });
  ComparedCode code;
  if (here.graphs.empty() || !code.make(here, diagnostics))
    return;
  for (const Graph &graph : here.graphs) {
    const TemplateSources &templates = *templatesOf(here, graph.name);
    Acting acting;
    for (const Part &part : code.made.parts)
      if (part.graph == graph.name)
        acting.add(actingIn(part.explanation, templates));
    std::string complaint = acting.texts.empty() ? "" : code.complaint(graph.name, diagnostics);
    if (complaint.empty())
      continue;
    auto node = llvm::find_if(
        graph.nodes, [&](const Node &n) { return llvm::is_contained(acting.nodes, n.name); });
    std::string hint;
    for (const std::string &text : acting.texts)
      hint += (hint.empty() ? "" : "; ") + withPlaces(text, templates);
    diagnostics.error(node == graph.nodes.end() ? SourceLoc{here.spec.path, 0, 0} : node->where,
                      "graph '" + graph.name +
                          "' is wrong with the templates that act in it: " + complaint,
                      hint);
  }
}

} // namespace

void compareTemplates(const LoadedLibrary &library, Diagnostics &diagnostics) {
  if ((!library.templates && library.ownTemplates.empty()) || library.targets.empty())
    return;
  std::vector<ComparedNode> nodes = comparedNodes(library, diagnostics);
  LoadedLibrary here = runnablePart(library);
  if (here.targets.empty()) {
    diagnostics.warning({library.spec.path, 0, 0},
                        "what templates compute is not compared: this CPU supports none of the "
                        "library's targets");
    return;
  }
  compareNodes(here, nodes, diagnostics);
  compareGraphs(std::move(here), diagnostics);
}

} // namespace kgen
