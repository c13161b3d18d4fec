// See NameTable.h.
#include "ingress/yaml/NameTable.h"

#include <set>

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
  for (size_t i = 0; i < spec.states.size(); ++i)
    define(spec.states[i].name, ValueKind::input, spec.inputs.size() + i);
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

void NameTable::resolveUpdates() {
  std::map<std::string, SourceLoc> seen;
  for (const StateUpdate &update : spec.updates) {
    use(update.value, "tensor");
    if (auto [other, isNew] = seen.insert({update.state.value, update.state.where}); !isNew)
      diagnostics.error(update.state.where,
                        "the state '" + update.state.value + "' gets two values",
                        "the other is at " + other->second.str());
  }
}

void NameTable::reportUnused() const {
  std::set<std::string> states, updated;
  for (const StateSpec &state : spec.states) // a library's may be for other graphs
    states.insert(state.name.value);
  for (const StateUpdate &update : spec.updates)
    updated.insert(update.state.value);
  for (const StateSpec &state : spec.ownStates)
    if (!updated.count(state.name.value))
      states.erase(state.name.value);
  for (const std::string &name : ordered) {
    const Definition &definition = definitions.at(name);
    const bool isInput = definition.kind == ValueKind::input;
    const bool isState = isInput && definition.index >= spec.inputs.size();
    if (definition.used || (isState && states.count(name)))
      continue;
    const char *what = isState                                ? "state"
                       : isInput                              ? "input"
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
  resolveUpdates();
  reportUnused();
  return dependencies;
}

} // namespace kgen
