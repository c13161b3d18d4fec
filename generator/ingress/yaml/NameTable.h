// The names of a spec's graph: what each stands for, and the errors that names alone can have.
#pragma once

#include "ingress/yaml/TopologicalOrder.h"

#include "graph/Graph.h"

namespace kgen {

/// The referent of a name: an input, a weight, or a result of a node.
struct Definition {
  ValueKind kind;
  size_t index;  ///< of the input, the weight or the node
  size_t result; ///< of the node
  SourceLoc where;
  bool used = false;
  ValueId value = noValue; ///< set when the value exists; never for results of nodes with errors
};

class NameTable {
public:
  NameTable(const GraphSpec &spec, Diagnostics &diagnostics)
      : spec(spec), diagnostics(diagnostics) {}

  /// Defines all names and resolves all uses. Reports duplicate, undefined and unused names.
  NodeDependencies resolve();

  Definition *find(const std::string &name);
  /// The definition, if it is this one that made the name, and not a duplicate.
  Definition *own(const std::string &name, ValueKind kind, size_t index, size_t result = 0);

private:
  void define(const Located<std::string> &name, ValueKind kind, size_t index, size_t result = 0);
  void defineAll();
  Definition *use(const Located<std::string> &name, const char *what);
  NodeDependencies resolveInputs();
  void resolveOutputs();
  void resolveUpdates();
  void reportUnused() const;

  const GraphSpec &spec;
  Diagnostics &diagnostics;
  std::map<std::string, Definition> definitions;
  std::vector<std::string> ordered; ///< names in the order of the file
};

} // namespace kgen
