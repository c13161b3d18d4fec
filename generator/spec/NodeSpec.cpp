// A node of a graph and its attributes.
#include "spec/SpecParts.h"

#include <algorithm>
#include <limits>

namespace kgen {

using Kind = FieldRule::Kind;

void readNodeInputs(const SpecReader &reader, const YamlNode &node, NodeSpec &result) {
  if (!reader.isList(node, "a list of tensor names for 'inputs'"))
    return;
  for (const YamlNode &item : node.items) {
    auto text = reader.text(item, "the name of a tensor");
    if (!text)
      continue;
    if (text->value.empty() || nameProblem(text->value, NameUse::label).empty())
      result.inputs.push_back(*text);
    else
      reader.expected(item, "the name of a tensor");
  }
}

static void readNodeOutputs(const SpecReader &reader, const YamlNode &node, NodeSpec &result) {
  if (!reader.isList(node, "a list of names for 'outputs'"))
    return;
  if (node.items.empty())
    reader.error(node.mark, "a node needs at least one output");
  bool hasName = node.items.empty();
  for (const YamlNode &item : node.items) {
    bool isSkipped = item.kind == YamlNode::Kind::scalar && item.quoted && item.text.empty();
    hasName |= !isSkipped;
    if (isSkipped)
      result.outputs.push_back({"", reader.at(item.mark)});
    else if (auto name = readName(reader, item, "a node's result", NameUse::label))
      result.outputs.push_back(*name);
  }
  if (!hasName)
    reader.error(node.mark, "a node needs at least one output that is not skipped");
}

static bool isText(const YamlNode &item) {
  return item.kind == YamlNode::Kind::scalar && (item.quoted || !parseReal(item.text));
}

/// Strings, or numbers: integers stay exact unless one of them is not an integer.
static std::optional<AttributeValue> readList(const SpecReader &reader, const YamlNode &node,
                                              const std::string &name) {
  if (!node.items.empty() && std::all_of(node.items.begin(), node.items.end(), isText)) {
    std::vector<std::string> strings;
    for (const YamlNode &item : node.items)
      strings.push_back(item.text);
    return AttributeValue(strings);
  }
  std::vector<int64_t> integers;
  std::vector<double> reals;
  for (const YamlNode &item : node.items) {
    bool plain = item.kind == YamlNode::Kind::scalar && !item.quoted, tooLarge = false;
    std::optional<int64_t> integer = plain ? parseInteger(item.text, &tooLarge) : std::nullopt;
    std::optional<double> real = plain && !tooLarge ? parseReal(item.text) : std::nullopt;
    if (!real) {
      reader.expected(item, tooLarge ? "an integer of 64 bits in attribute '" + name + "'"
                                     : "a number in the list of attribute '" + name + "'");
      return std::nullopt;
    }
    reals.push_back(*real);
    if (integer)
      integers.push_back(*integer);
  }
  if (integers.size() == reals.size())
    return AttributeValue(integers);
  return AttributeValue(reals);
}

std::optional<AttributeValue> readAttribute(const SpecReader &reader, const YamlNode &node,
                                            const std::string &name) {
  if (node.kind == YamlNode::Kind::sequence)
    return readList(reader, node, name);
  auto text =
      reader.text(node, "a number, a string or a list of them for attribute '" + name + "'");
  if (!text)
    return std::nullopt;
  if (node.quoted)
    return AttributeValue(text->value);
  bool tooLarge = false;
  if (std::optional<int64_t> value = parseInteger(text->value, &tooLarge))
    return AttributeValue(*value);
  if (tooLarge) {
    reader.expected(node, "an integer of 64 bits for attribute '" + name + "'");
    return std::nullopt;
  }
  if (std::optional<double> value = parseReal(text->value))
    return AttributeValue(*value);
  return AttributeValue(text->value);
}

static void readAttributes(const SpecReader &reader, const YamlNode &node, NodeSpec &result) {
  if (!reader.isMap(node, "a map from attribute names to values"))
    return;
  for (const YamlEntry &entry : node.entries) {
    auto name = readKeyName(reader, entry, "an attribute", NameUse::label);
    if (!name)
      continue;
    if (auto value = readAttribute(reader, entry.value, entry.key))
      result.attributes[entry.key] = {*value, name->where};
  }
}

void readNodeNames(const SpecReader &reader, const YamlNode &node, const Fields &fields,
                   NodeSpec &result) {
  const YamlNode *name = fields.find("name"), *outputs = fields.find("outputs");
  if (name)
    if (auto read = readName(reader, *name, "a node", NameUse::label))
      result.name = *read;
  if (outputs)
    readNodeOutputs(reader, *outputs, result);
  else if (!name)
    reader.error(node.mark, "missing key 'name' in a node", "the name is also that of its result");
  else if (!result.name.value.empty())
    result.outputs = {result.name};
  if (!name)
    for (const Located<std::string> &output : result.outputs)
      if (result.name.value.empty())
        result.name = output;
  if (const YamlNode *inputs = fields.find("inputs"))
    readNodeInputs(reader, *inputs, result);
}

void readOriginal(const SpecReader &reader, const YamlNode &node, NodeSpec &result) {
  auto isResult = [&](const std::string &name) {
    return std::any_of(result.outputs.begin(), result.outputs.end(),
                       [&](const auto &output) { return output.value == name; });
  };
  if (node.kind == YamlNode::Kind::map) {
    for (const YamlEntry &entry : node.entries)
      if (!isResult(entry.key))
        reader.error(entry.keyMark, "'original' names " + quoteText(entry.key) +
                                        ", which is no result of the node");
      else if (auto name = reader.text(entry.value, "the name of a value in the model"))
        result.original[entry.key] = name->value;
    return;
  }
  auto name = reader.text(node, "the name of the node's result in the model, or a map from its "
                                "results to such names, for 'original'");
  if (name && result.outputs.size() != 1)
    reader.error(node.mark,
                 "the node has several results: expected a map from these to their names "
                 "in the model for 'original'");
  else if (name)
    result.original[result.outputs.front().value] = name->value;
}

static bool callsExtern(const YamlNode &node) {
  return std::any_of(node.entries.begin(), node.entries.end(), [](const YamlEntry &entry) {
    return entry.key == "op" && entry.value.text == "extern";
  });
}

std::optional<NodeSpec> readNode(const SpecReader &reader, const YamlNode &node, const Dims &dims) {
  if (!reader.isMap(node, "a node such as {name: h, op: Relu, inputs: [x]}"))
    return std::nullopt;
  if (callsExtern(node))
    return readExternNode(reader, node, dims);
  Fields fields(
      reader, node, "a node",
      {{"name", Kind::optional, ""},
       {"op", Kind::required, ""},
       {"inputs", Kind::required, ""},
       {"outputs", Kind::optional, ""},
       {"attributes", Kind::optional, ""},
       {"schedule", Kind::optional, ""},
       {"activations", Kind::optional, ""},
       {"run_on", Kind::optional, ""},
       {"original", Kind::optional, ""},
       {"domain", Kind::later, "operators from outside ONNX's own set"}},
      "an operator's attributes go under 'attributes', for example attributes: {axis: 1}");
  NodeSpec result;
  readNodeNames(reader, node, fields, result);
  if (const YamlNode *op = fields.find("op"))
    if (auto text = reader.text(*op, "the name of an operator"))
      result.op = *text;
  if (const YamlNode *attributes = fields.find("attributes"))
    readAttributes(reader, *attributes, result);
  if (const YamlNode *schedule = fields.find("schedule"))
    if (auto text = reader.text(*schedule, "the name of a schedule"))
      result.schedule = *text;
  if (const YamlNode *activations = fields.find("activations"))
    result.activations = readActivations(reader, *activations);
  if (const YamlNode *device = fields.find("run_on"))
    readRunOn(reader, *device, result);
  if (const YamlNode *original = fields.find("original"))
    readOriginal(reader, *original, result);
  return result;
}

} // namespace kgen
