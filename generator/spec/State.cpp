// State: tensors that a library keeps between calls, and what graphs make of them.
#include "spec/SpecParts.h"
#include "spec/TypeText.h"

#include <llvm/ADT/STLExtras.h>

#include <set>

namespace kgen {

constexpr int64_t maxInitBytes = 64 << 10; ///< in generated C

/// `zero`, a number for all elements, a list of all, or the source of a weight.
static void readInit(const SpecReader &reader, const YamlNode &node, const Dims &dims,
                     StateSpec &state) {
  if (node.kind == YamlNode::Kind::scalar && node.text == "zero")
    return;
  const bool isMap = node.kind == YamlNode::Kind::map;
  if (node.kind == YamlNode::Kind::scalar) {
    auto value = readWeightValue(reader, node, dims, state.type.value);
    if (value && (value->numbers.size() != 1 || !value->sizes.empty()))
      reader.error(node.mark, "expected zero or one number for all elements of the state");
    else if (value)
      state.init = value->numbers.front();
    return;
  }
  if (!state.type.value.isStatic())
    return reader.error(node.mark,
                        "a state of an open size begins with zero or one number for all elements",
                        "_state_set writes other elements");
  WeightSpec weight{state.name, state.type, {}};
  bool isRead = false;
  if (isMap) {
    Fields fields(reader, node, "what a state begins with",
                  {{"file", FieldRule::Kind::optional, ""},
                   {"tensor", FieldRule::Kind::optional, ""},
                   {"value", FieldRule::Kind::optional, ""},
                   {"random", FieldRule::Kind::optional, ""}});
    isRead = readWeightSource(reader, node, dims, fields, state.type, weight);
  } else if (auto value = readWeightValue(reader, node, dims, state.type.value)) {
    weight.source = std::move(*value);
    isRead = true;
  }
  if (state.type.value.byteCount() > maxInitBytes)
    reader.error(node.mark,
                 "not supported yet: a state of more than " + std::to_string(maxInitBytes) +
                     " bytes that begins with elements of its own",
                 "_state_set writes them; zero and a number take any size");
  else if (isRead)
    state.source = std::move(weight);
}

/// True if two declarations of a state begin with the same.
static bool beginAlike(const StateSpec &a, const StateSpec &b) {
  if (!a.source || !b.source)
    return !a.source && !b.source && a.init == b.init;
  const auto *file = std::get_if<WeightFromFile>(&a.source->source),
             *otherFile = std::get_if<WeightFromFile>(&b.source->source);
  const auto *value = std::get_if<WeightFromValue>(&a.source->source),
             *otherValue = std::get_if<WeightFromValue>(&b.source->source);
  const auto *random = std::get_if<WeightFromRandom>(&a.source->source),
             *otherRandom = std::get_if<WeightFromRandom>(&b.source->source);
  if (file && otherFile)
    return file->path.value == otherFile->path.value &&
           file->tensor.value == otherFile->tensor.value;
  if (value && otherValue)
    return value->numbers == otherValue->numbers && value->integers == otherValue->integers;
  return random && otherRandom && random->seed == otherRandom->seed;
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
    else if (other->type.value != state->type.value || !beginAlike(*other, *state) ||
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
