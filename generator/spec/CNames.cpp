// Collisions between the C names of a library: its own, its graphs', its macros.
#include "spec/Names.h"

#include "spec/Yaml.h"
#include "support/LibraryNames.h"

#include <llvm/ADT/StringExtras.h>

#include <map>
#include <set>

namespace kgen {
namespace {

/// The origin of a C name: what defines it, and the location in the spec that it derives from.
struct Owner {
  std::string what;
  Location where;
};

class CNameTable {
public:
  CNameTable(const LibrarySpec &spec, Diagnostics &diagnostics)
      : spec(spec), library(spec.library.value), macroPrefix(llvm::StringRef(library).upper()),
        diagnostics(diagnostics) {}

  void check() {
    for (const char *word : libraryWords)
      owners[library + "_" + word] = {"the library itself", spec.library.where};
    for (const char *word : libraryMacroWords)
      owners[macroPrefix + "_" + word] = {"the library itself", spec.library.where};
    for (ElementType type : allElementTypes())
      owners[macroPrefix + "_TYPE_" + llvm::StringRef(toString(type)).upper()] = {
          "the library itself", spec.library.where};
    addExterns();
    for (const GraphSpec &graph : spec.graphs)
      addGraph(graph);
    for (const GraphSpec &graph : spec.graphs)
      checkParameters(graph);
  }

private:
  std::vector<std::string> namesOf(const GraphSpec &graph) const {
    std::string function = library + "_" + graph.name.value;
    std::string macro = macroPrefix + "_" + llvm::StringRef(graph.name.value).upper();
    std::vector<std::string> names = {function, function + "_workspace_size",
                                      macro + "_WORKSPACE_SIZE"};
    for (const auto &target : spec.targets) {
      names.push_back(function + "_on_" + targetIdentifierOf(target.value));
      names.push_back(function + "_kernel_" + targetIdentifierOf(target.value));
    }
    return names;
  }

  /// Reports one error for each pair of a graph and what it collides with.
  void addGraph(const GraphSpec &graph) {
    std::set<std::string> rivals;
    std::string who = "graph '" + graph.name.value + "'";
    for (const std::string &name : namesOf(graph)) {
      auto [it, added] = owners.insert({name, {who, graph.name.where}});
      const Owner &other = it->second;
      // Two graphs of the same name are one error, reported where names are compared.
      if (added || other.what == who || !rivals.insert(other.what).second)
        continue;
      diagnostics.error(graph.name.where,
                        "C name '" + name + "' of " + who + " is also a name of " + other.what,
                        "rename one of them; the other is at " + other.where.str());
    }
  }

  /// Functions from outside do not begin like those of the library: these are told from others by
  /// that.
  void addExterns() {
    std::set<std::string> reported;
    for (const GraphSpec &graph : spec.graphs)
      for (const NodeSpec &node : graph.nodes) {
        if (!node.external)
          continue;
        owners.insert({macroPrefix + "_EXTERN_FAILED", {"the library itself", spec.library.where}});
        const Located<std::string> &symbol = node.external->symbol;
        for (const std::string &prefix : {library + "_", macroPrefix + "_"})
          if (llvm::StringRef(symbol.value).starts_with(prefix) &&
              reported.insert(symbol.where.str()).second)
            diagnostics.error(symbol.where, "'" + symbol.value +
                                                "' cannot be the name of an extern function: '" +
                                                prefix + "' begins names of the library");
      }
  }

  void checkParameter(const Located<std::string> &name) {
    static const std::set<std::string> own = {"context", "workspace", "workspace_size"};
    if (own.count(name.value))
      diagnostics.error(name.where, "'" + name.value + "' cannot be the name of an input or output",
                        "the generated function has a parameter of that name");
    else if (owners.count(name.value))
      diagnostics.error(name.where, "'" + name.value + "' cannot be the name of an input or output",
                        "the library's header defines that C name");
  }

  void checkParameters(const GraphSpec &graph) {
    for (const TensorSpec &input : graph.inputs)
      checkParameter(input.name);
    for (const auto &output : graph.outputs)
      checkParameter(output);
  }

  const LibrarySpec &spec;
  const std::string &library;
  const std::string macroPrefix;
  Diagnostics &diagnostics;
  std::map<std::string, Owner> owners;
};

/// Targets are components of C names and of file names.
void checkTargets(const LibrarySpec &spec, Diagnostics &diagnostics) {
  std::map<std::string, const Located<std::string> *> seen;
  for (const auto &target : spec.targets) {
    auto [it, added] = seen.insert({targetIdentifierOf(target.value), &target});
    if (added)
      continue;
    const std::string &other = it->second->value;
    if (other == target.value)
      diagnostics.error(target.where, "target " + quoteText(target.value) + " is listed twice");
    else
      diagnostics.error(target.where, "targets " + quoteText(other) + " and " +
                                          quoteText(target.value) + " have the same name in C, '" +
                                          it->first + "'");
  }
}

} // namespace

void checkCNames(const LibrarySpec &spec, Diagnostics &diagnostics) {
  std::map<std::string, Location> graphs;
  for (const GraphSpec &graph : spec.graphs)
    if (auto [it, added] = graphs.insert({graph.name.value, graph.name.where}); !added)
      diagnostics.error(graph.name.where, "duplicate graph '" + graph.name.value + "'",
                        "the other is at " + it->second.str());
  checkTargets(spec, diagnostics);
  CNameTable(spec, diagnostics).check();
}

} // namespace kgen
