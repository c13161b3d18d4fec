// See NameTable.h.
#include "ingress/yaml/NameTable.h"

namespace kgen {

void NameTable::define(const Located<std::string> &name, ValueKind kind, size_t index,
                       size_t result) {
  auto [it, added] = definitions.insert({name.value, {kind, index, result, name.where}});
  if (added)
    return ordered.push_back(name.value);
  diagnostics.error(name.where,
                    "duplicate name '" + name.value + "' in graph '" + spec.name.value + "'",
                    "the other is at " + it->second.where.str());
}

void NameTable::defineAll() {
  for (size_t i = 0; i < spec.inputs.size(); ++i)
    define(spec.inputs[i].name, ValueKind::input, i);
  for (size_t i = 0; i < spec.weights.size(); ++i)
    define(spec.weights[i].name, ValueKind::weight, i);
  for (size_t i = 0; i < spec.nodes.size(); ++i)
    for (size_t r = 0; r < spec.nodes[i].outputs.size(); ++r)
      if (!spec.nodes[i].outputs[r].value.empty())
        define(spec.nodes[i].outputs[r], ValueKind::result, i, r);
}

Definition *NameTable::find(const std::string &name) {
  auto it = definitions.find(name);
  return it == definitions.end() ? nullptr : &it->second;
}

Definition *NameTable::own(const std::string &name, ValueKind kind, size_t index, size_t result) {
  Definition *definition = find(name);
  bool mine = definition && definition->kind == kind && definition->index == index &&
              definition->result == result;
  return mine ? definition : nullptr;
}

Definition *NameTable::use(const Located<std::string> &name, const char *what) {
  if (Definition *definition = find(name.value)) {
    definition->used = true;
    return definition;
  }
  diagnostics.error(
      name.where,
      "undefined " + std::string(what) + " '" + name.value + "'" + didYouMean(name.value, ordered),
      "it is neither an input, a weight nor a result of a node of graph '" + spec.name.value + "'");
  return nullptr;
}

NodeDependencies NameTable::resolveInputs() {
  NodeDependencies dependencies;
  dependencies.producers.resize(spec.nodes.size());
  for (size_t i = 0; i < spec.nodes.size(); ++i)
    for (const auto &input : spec.nodes[i].inputs) {
      if (input.value.empty())
        continue;
      const Definition *definition = use(input, "tensor");
      if (definition && definition->kind == ValueKind::result)
        dependencies.producers[i].push_back(definition->index);
    }
  return dependencies;
}

void NameTable::resolveOutputs() {
  for (const auto &output : spec.outputs) {
    const Definition *definition = use(output, "output");
    if (definition && definition->kind == ValueKind::weight)
      diagnostics.error(output.where, "output '" + output.value + "' is a weight",
                        "use a node with op: Identity to copy it");
  }
}

void NameTable::reportUnused() const {
  for (const std::string &name : ordered) {
    const Definition &definition = definitions.at(name);
    if (definition.used)
      continue;
    const char *what = definition.kind == ValueKind::input    ? "input"
                       : definition.kind == ValueKind::weight ? "weight"
                                                              : "result";
    bool isOneOfSeveral =
        definition.kind == ValueKind::result && spec.nodes[definition.index].outputs.size() > 1;
    diagnostics.error(definition.where, std::string("unused ") + what + " '" + name + "'",
                      std::string(isOneOfSeveral ? "put \"\" in its place" : "remove it") +
                          ", or name it in 'outputs' or a node's 'inputs'");
  }
}

NodeDependencies NameTable::resolve() {
  defineAll();
  NodeDependencies dependencies = resolveInputs();
  resolveOutputs();
  reportUnused();
  return dependencies;
}

} // namespace kgen
