#include "driver/load/NodeMaker.h"

#include "ops/Registry.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

std::string NodeMaker::freshName(const std::string &ending) const {
  std::string fresh = name + ending;
  auto isTaken = [&](const GraphValue &value) { return value.name == fresh; };
  while (llvm::any_of(graph.values, isTaken))
    fresh += "_";
  return fresh;
}

ValueId NodeMaker::add(const std::string &ending, const TensorType &type, ValueKind kind) {
  GraphValue value;
  value.name = freshName(ending);
  value.type = type;
  value.kind = kind;
  value.where = where;
  graph.values.push_back(std::move(value));
  return static_cast<ValueId>(graph.values.size() - 1);
}

ValueId NodeMaker::sizes(const std::string &ending, std::vector<Dim> numbers) {
  const ValueId made = add(ending, {ElementType::i64, {int64_t(numbers.size())}}, ValueKind::sizes);
  graph.values[made].sizes = std::move(numbers);
  return made;
}

ValueId NodeMaker::size(const std::string &ending, const Dim &number) {
  const ValueId made = add(ending, {ElementType::i64, {}}, ValueKind::sizes);
  graph.values[made].sizes = {number};
  return made;
}

ValueId NodeMaker::input(const std::string &ending, const TensorType &type) {
  return add(ending, type, ValueKind::input);
}

ValueId NodeMaker::result(const std::string &ending, const TensorType &type) {
  return add(ending, type, ValueKind::result);
}

Node NodeMaker::node(const std::string &op, std::vector<ValueId> inputs,
                     std::vector<ValueId> outputs, const Attributes &attributes) const {
  Node made;
  made.op = builtInOperators().find(op);
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  made.name = graph.values[made.firstOutput()].name;
  made.attributes = attributes;
  for (const AttributeSchema &schema : made.op->attributes)
    if (schema.defaultValue)
      made.attributes.insert({schema.name, *schema.defaultValue});
  made.where = where;
  return made;
}

std::optional<size_t> producerOf(const Graph &graph, ValueId value) {
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (llvm::is_contained(graph.nodes[i].outputs, value))
      return i;
  return std::nullopt;
}

} // namespace kgen
