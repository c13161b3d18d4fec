// State: tensors that a library keeps between calls, and what graphs make of them.
#include "spec/SpecParts.h"
#include "spec/TypeText.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

/// `zero`, or a number for all elements.
static void readInit(const SpecReader &reader, const YamlNode &node, const Dims &dims,
                     StateSpec &state) {
  if (node.kind == YamlNode::Kind::scalar && node.text == "zero")
    return;
  auto value = readWeightValue(reader, node, dims, state.type.value);
  if (value && (value->numbers.size() != 1 || !value->sizes.empty()))
    reader.error(node.mark, "expected zero or one number for all elements of the state");
  else if (value)
    state.init = value->numbers.front();
}

static std::optional<StateSpec> readState(const SpecReader &reader, const YamlEntry &entry,
                                          const Dims &dims) {
  auto name = readKeyName(reader, entry, "a state", NameUse::c);
  const YamlNode *written = &entry.value, *init = nullptr;
  std::optional<Fields> fields;
  if (written->kind == YamlNode::Kind::map) {
    fields.emplace(
        reader, *written, "a state",
        std::vector<FieldRule>{{"type", FieldRule::Kind::required, ""}, {"init", {}, ""}});
    init = fields->find("init");
    written = fields->find("type");
  }
  auto type = written ? readTensorType(reader, *written, dims) : std::nullopt;
  if (!name || !type)
    return std::nullopt;
  if (!type->value.isStatic()) {
    reader.diagnostics.error(
        type->where, "a state has sizes that are numbers, and this one is " + type->value.str(),
        "give it the greatest size, and pass how much of it counts");
    return std::nullopt;
  }
  StateSpec state{*name, *type};
  if (init)
    readInit(reader, *init, dims, state);
  return state;
}

void readStates(const SpecReader &reader, const YamlNode &node, const Dims &dims,
                std::vector<StateSpec> &own, std::vector<StateSpec> &all) {
  if (!reader.isMap(node, "a map from names of states to types"))
    return;
  for (const YamlEntry &entry : node.entries) {
    std::optional<StateSpec> state = readState(reader, entry, dims);
    if (!state)
      continue;
    own.push_back(*state);
    auto other = llvm::find_if(
        all, [&](const StateSpec &known) { return known.name.value == state->name.value; });
    if (other == all.end())
      all.push_back(*state);
    else if (other->type.value != state->type.value || other->init != state->init)
      reader.diagnostics.error(state->name.where,
                               "another state '" + state->name.value + "' has type " +
                                   other->type.value.str() + " or another beginning",
                               "graphs that name a state share it; the other is at " +
                                   other->name.where.str());
  }
}

void readUpdates(const SpecReader &reader, const YamlNode &node, GraphSpec &graph) {
  if (!reader.isMap(node, "a map from names of states to the values that they get"))
    return;
  for (const YamlEntry &entry : node.entries) {
    Located<std::string> state{entry.key, reader.at(entry.keyMark)};
    auto value = reader.text(entry.value, "the name of a value");
    std::vector<std::string> names;
    for (const StateSpec &known : graph.states)
      names.push_back(known.name.value);
    if (!llvm::is_contained(names, state.value))
      reader.diagnostics.error(
          state.where, "there is no state '" + state.value + "'" + didYouMean(state.value, names),
          "`state` of the library or the graph declares it");
    else if (value)
      graph.updates.push_back({state, *value});
  }
}

} // namespace kgen
