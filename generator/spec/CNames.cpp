// Collisions between the C names of a library: its own, its graphs', its macros.
#include "spec/Names.h"

#include "spec/BuiltInTargets.h"
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
  SourceLoc where;
};

class CNameTable {
public:
  CNameTable(const LibrarySpec &spec, Diagnostics &diagnostics)
      : spec(spec), library(spec.library.value), macroPrefix(llvm::StringRef(library).upper()),
        diagnostics(diagnostics) {
    for (const Located<std::string> &target : spec.targets)
      targets.push_back(target.value);
    if (targets.empty()) // the graphs decide, later
      for (const TargetFile &file : builtInTargetFiles())
        if (file.kind == TargetKind::cpu)
          targets.push_back(file.name);
  }

  void check() {
    for (const char *word : libraryWords)
      addOwn(library + "_" + word);
    for (const char *word : libraryMacroWords)
      addOwn(macroPrefix + "_" + word);
    for (ElementType type : allElementTypes())
      addOwn(macroPrefix + "_TYPE_" + llvm::StringRef(toString(type)).upper());
    warnOfSystemNames();
    addExterns();
    for (const GraphSpec &graph : spec.graphs)
      addGraph(graph);
    for (const GraphSpec &graph : spec.graphs)
      checkParameters(graph);
  }

  /// Those that a library has whose functions take sizes, and nothing else.
  void checkSized() { check(sizedLibraryWords, sizedLibraryMacroWords); }

  /// Those that a library with state has.
  void checkState() { check(stateLibraryWords, stateLibraryMacroWords); }

private:
  static constexpr const char *itself = "the library itself";

  void check(llvm::ArrayRef<const char *> words, llvm::ArrayRef<const char *> macroWords) {
    for (const char *word : words)
      addOwn(library + "_" + word);
    for (const char *word : macroWords)
      addOwn(macroPrefix + "_" + word);
    std::map<std::string, Owner> own = owners;
    for (const GraphSpec &graph : spec.graphs) {
      owners = own; // graphs among themselves were compared before
      addGraph(graph);
    }
  }

  void addOwn(const std::string &name) { owners[name] = {itself, spec.library.where}; }

  /// Warns of names that another header defines, too: they compile as long as a source includes
  /// only one of them.
  void warnOfSystemName(const std::string &names, const SourceLoc &where, const std::string &what,
                        const std::string &origin) {
    diagnostics.warning(where, "C name " + names + " of " + what + " is also " + origin,
                        "rename the library or the graph, or no program can use both");
  }

  /// One warning for names of the library itself, as its own name is the reason for all of them.
  void warnOfSystemNames() {
    std::map<std::string, std::vector<std::string>> byOrigin;
    for (const auto &[name, owner] : owners)
      if (std::string origin = systemNameOrigin(name); !origin.empty())
        byOrigin[origin].push_back(name);
    for (const auto &[origin, names] : byOrigin) {
      std::string more =
          names.size() == 1 ? "" : ", as " + std::to_string(names.size() - 1) + " more,";
      warnOfSystemName("'" + names.front() + "'" + more, spec.library.where, itself, origin);
    }
    for (const GraphSpec &graph : spec.graphs) {
      std::string name = library + "_" + graph.name.value, origin = systemNameOrigin(name);
      if (!origin.empty())
        warnOfSystemName("'" + name + "'", graph.name.where, "graph '" + graph.name.value + "'",
                         origin);
    }
  }

  std::vector<std::string> namesOf(const GraphSpec &graph) const {
    std::string function = library + "_" + graph.name.value;
    std::string macro = macroPrefix + "_" + llvm::StringRef(graph.name.value).upper();
    std::vector<std::string> names = {function, function + "_workspace_size",
                                      macro + "_WORKSPACE_SIZE"};
    for (const std::string &target : targets) {
      names.push_back(function + "_on_" + targetIdentifierOf(target));
      names.push_back(function + "_kernel_" + targetIdentifierOf(target));
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
      diagnostics.error(
          graph.name.where, "C name '" + name + "' of " + who + " is also a name of " + other.what,
          other.what == itself ? "rename the graph: every library has a name that ends so"
                               : "rename one of them; the other is at " + other.where.str());
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
        owners.insert({macroPrefix + "_EXTERN_FAILED", {itself, spec.library.where}});
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
  std::vector<std::string> targets; ///< that functions may be named after
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
  std::map<std::string, SourceLoc> graphs;
  for (const GraphSpec &graph : spec.graphs)
    if (auto [it, added] = graphs.insert({graph.name.value, graph.name.where}); !added)
      diagnostics.error(graph.name.where, "duplicate graph '" + graph.name.value + "'",
                        "the other is at " + it->second.str());
  checkTargets(spec, diagnostics);
  CNameTable(spec, diagnostics).check();
}

void checkStateCNames(const LibrarySpec &spec, Diagnostics &diagnostics) {
  CNameTable(spec, diagnostics).checkState();
}

void checkSizedCNames(const LibrarySpec &spec, Diagnostics &diagnostics) {
  CNameTable(spec, diagnostics).checkSized();
}

} // namespace kgen
