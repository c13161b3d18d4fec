// Nodes and values for a graph whose types are known, in the place of others.
#pragma once

#include "graph/Operator.h"

namespace kgen {

class NodeMaker {
public:
  using Attributes = std::map<std::string, AttributeValue>;

  /// Names of what it makes begin with `name`; `where` is their place.
  NodeMaker(Graph &graph, std::string name, SourceLoc where)
      : graph(graph), name(std::move(name)), where(std::move(where)) {}

  /// Adds numbers of 64 bits, which the graph may know as sizes.
  ValueId sizes(const std::string &ending, std::vector<Dim> numbers);
  /// Adds one of them, a scalar.
  ValueId size(const std::string &ending, const Dim &number);
  ValueId input(const std::string &ending, const TensorType &type);
  ValueId result(const std::string &ending, const TensorType &type);
  /// Returns a node that is called like its first result; attributes that are not given have their
  /// defaults.
  Node node(const std::string &op, std::vector<ValueId> inputs, std::vector<ValueId> outputs,
            const Attributes &attributes = {}) const;

private:
  std::string freshName(const std::string &ending) const;
  ValueId add(const std::string &ending, const TensorType &type, ValueKind kind);

  Graph &graph;
  std::string name;
  SourceLoc where;
};

/// Returns the place of the node that has the value as a result; nothing if none has.
std::optional<size_t> producerOf(const Graph &graph, ValueId value);

} // namespace kgen
