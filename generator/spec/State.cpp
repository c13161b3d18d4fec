// State: tensors that a library keeps between calls, and what graphs make of them.
#include "spec/SpecParts.h"
#include "spec/TypeText.h"

#include <llvm/ADT/STLExtras.h>

#include <set>

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
  StateSpec state{*name, *type};
  if (init)
    readInit(reader, *init, dims, state);
  return state;
}

/// True if two types have a size of one name and other bounds.
static bool haveOtherBounds(const TensorType &a, const TensorType &b) {
  auto others = symbolsOf(b);
  return llvm::any_of(symbolsOf(a), [&](const auto &named) {
    auto other = others.find(named.first);
    return other != others.end() && other->second->range() != named.second->range();
  });
}

std::map<std::string, std::shared_ptr<const DimSymbol>> symbolsOf(const TensorType &type) {
  std::map<std::string, std::shared_ptr<const DimSymbol>> symbols;
  for (const Dim &dim : type.shape.dims())
    for (const auto &[name, symbol] : dim.symbols())
      symbols.insert({name, symbol});
  return symbols;
}

void checkStateSizes(const LibrarySpec &spec, Diagnostics &diagnostics) {
  std::set<std::string> names;
  for (const StateSpec &state : spec.states) {
    for (const StateSpec &other : spec.states)
      if (&other < &state && haveOtherBounds(other.type.value, state.type.value))
        return diagnostics.error(state.type.where,
                                 "the states '" + other.name.value + "' and '" + state.name.value +
                                     "' have a size of one name with other bounds",
                                 "a block has one number for it: name it in `dims` of the library");
    for (const auto &[name, symbol] : symbolsOf(state.type.value)) {
      if (!symbol->state.empty())
        return diagnostics.error(
            state.type.where,
            "the type of state '" + state.name.value + "' names the size '" + name +
                "', which changes from call to call",
            "a block keeps the sizes that it was made for: name the greatest one in its place");
      names.insert(name);
    }
    if (names.size() > maxStateSizes)
      return diagnostics.error(state.type.where,
                               "the states of a library have more than " +
                                   std::to_string(maxStateSizes) + " sizes that are not numbers",
                               "give some of them a number in `dims`");
  }
}

/// Returns why the state cannot hold a size; "" if it can.
static std::string holdsNoSize(const TensorType &type) {
  return type.element == ElementType::i64 && type.shape.elements() == Dim(1)
             ? ""
             : "is " + type.str() + ": a size is one integer of 64 bits, i64[] or i64[1]";
}

void readHeldSizes(const SpecReader &reader, const Dims &dims, GraphSpec &graph) {
  std::vector<std::string> names;
  for (const StateSpec &state : graph.states)
    names.push_back(state.name.value);
  for (const std::string &dim : dims.heldNames()) {
    const Located<std::string> &wanted = *dims.stateOf(dim);
    auto state = llvm::find_if(
        graph.states, [&](const StateSpec &known) { return known.name.value == wanted.value; });
    const std::string subject = "state '" + wanted.value + "'";
    if (state == graph.states.end())
      reader.diagnostics.error(wanted.where,
                               "there is no " + subject + didYouMean(wanted.value, names),
                               "`state` of the library or the graph declares it");
    else if (std::string problem = holdsNoSize(state->type.value); !problem.empty())
      reader.diagnostics.error(wanted.where, subject + " " + problem,
                               "the size '" + dim + "' is what it is before a call");
    graph.sizeStates.insert(wanted.value);
  }
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
    else if (other->type.value != state->type.value || other->init != state->init ||
             haveOtherBounds(other->type.value, state->type.value))
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
