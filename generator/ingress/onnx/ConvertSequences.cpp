// Sequences and optionals: they vanish, since their lengths are known.
#include "ingress/onnx/Converters.h"

#include <algorithm>

namespace kgen::onnx {
namespace {

/// Elements of a sequence: more of them make code that is too large to be of use.
constexpr int64_t maxElements = 4096;

/// The sequence, or nothing after a refusal.
const ImportedValue *sequence(NodeImport &node, size_t i) {
  const ImportedValue &value = node.value(i);
  if (value.kind == ImportedValue::Kind::sequence)
    return &value;
  node.refuse("its input " + std::to_string(i + 1) + " is no sequence whose length is known");
  return nullptr;
}

/// A position in [0, limit), counted from the end of `size` elements if negative; `otherwise`
/// without the input.
std::optional<size_t> position(NodeImport &node, size_t i, int64_t size, int64_t limit,
                               int64_t otherwise) {
  int64_t at = otherwise;
  if (node.hasInput(i)) {
    auto constant = node.integers(node.input(i));
    if (!constant || constant->size() != 1) {
      node.refuse("its position is known at run time only");
      return std::nullopt;
    }
    at = constant->front();
  }
  at += at < 0 ? size : 0;
  if (at >= 0 && at < limit)
    return static_cast<size_t>(at);
  node.refuse("its position is outside of the sequence");
  return std::nullopt;
}

void convertEmpty(NodeImport &node) { node.result(0, ImportedValue::sequence({})); }

void convertConstruct(NodeImport &node) { node.result(0, ImportedValue::sequence(node.inputs())); }

void convertInsert(NodeImport &node) {
  const ImportedValue *list = sequence(node, 0);
  if (!list)
    return;
  std::vector<ValueId> elements = list->elements;
  auto size = static_cast<int64_t>(elements.size());
  if (auto at = position(node, 2, size, size + 1, size)) {
    elements.insert(elements.begin() + static_cast<int64_t>(*at), node.input(1));
    node.result(0, ImportedValue::sequence(elements));
  }
}

void convertErase(NodeImport &node) {
  const ImportedValue *list = sequence(node, 0);
  if (!list)
    return;
  std::vector<ValueId> elements = list->elements;
  auto size = static_cast<int64_t>(elements.size());
  if (auto at = position(node, 1, size, size, size - 1)) {
    elements.erase(elements.begin() + static_cast<int64_t>(*at));
    node.result(0, ImportedValue::sequence(elements));
  }
}

void convertAt(NodeImport &node) {
  const ImportedValue *list = sequence(node, 0);
  if (!list)
    return;
  auto size = static_cast<int64_t>(list->elements.size());
  if (auto at = position(node, 1, size, size, 0))
    node.result(0, list->elements[*at]);
}

void convertLength(NodeImport &node) {
  if (const ImportedValue *list = sequence(node, 0))
    node.result(0,
                node.numberConstant(static_cast<double>(list->elements.size()), ElementType::i64));
}

/// True if the slices are the whole axis.
bool checkSizes(NodeImport &node, const std::vector<int64_t> &slices, int64_t size) {
  int64_t left = size;
  for (int64_t slice : slices) {
    if (slice < 0 || slice > left)
      left = -1;
    if (left < 0)
      break;
    left -= slice;
  }
  if (left == 0)
    return true;
  node.refuse("its slices do not add up to the axis");
  return false;
}

/// Sizes of the slices along the axis, or nothing after a refusal.
std::optional<std::vector<int64_t>> sliceSizes(NodeImport &node, int64_t size) {
  auto checkCount = [&](int64_t count) {
    if (count > maxElements)
      node.refuse("its sequence has more than " + std::to_string(maxElements) + " elements");
    return count <= maxElements;
  };
  if (!node.hasInput(1))
    return checkCount(size) ? std::optional(std::vector<int64_t>(static_cast<size_t>(size), 1))
                            : std::nullopt;
  auto split = node.integers(node.input(1));
  if (!split) {
    node.refuse("the sizes of its slices are known at run time only");
    return std::nullopt;
  }
  if (!node.type(node.input(1)).shape.empty())
    return checkSizes(node, *split, size) ? split : std::nullopt;
  std::vector<int64_t> sizes;
  if (split->front() <= 0) {
    node.refuse("a slice has no elements");
    return std::nullopt;
  }
  if (!checkCount(size / split->front()))
    return std::nullopt;
  for (int64_t left = size; left > 0; left -= split->front())
    sizes.push_back(std::min(left, split->front()));
  return sizes;
}

void convertSplitToSequence(NodeImport &node) {
  ValueId x = node.input(0);
  int64_t axis = node.integer("axis", 0);
  axis += axis < 0 ? node.rank(x) : 0;
  if (axis < 0 || axis >= node.rank(x))
    return node.refuse("its axis is none of its input");
  auto sizes = sliceSizes(node, node.size(x, axis));
  if (!sizes)
    return;
  bool keeps = node.hasInput(1) || node.integer("keepdims", 1) != 0;
  std::vector<ValueId> slices;
  int64_t at = 0;
  for (int64_t size : *sizes) {
    ValueId slice =
        node.add("Slice", {x, node.integerConstant({at}), node.integerConstant({at + size}),
                           node.integerConstant({axis})});
    slices.push_back(keeps ? slice : node.add("Squeeze", {slice, node.integerConstant({axis})}));
    at += size;
  }
  node.result(0, ImportedValue::sequence(slices));
}

void convertConcat(NodeImport &node) {
  const ImportedValue *list = sequence(node, 0);
  if (!list || list->elements.empty())
    return node.refuse("its sequence is empty");
  std::vector<ValueId> elements = list->elements;
  int64_t axis = node.integer("axis", 0);
  if (node.integer("new_axis", 0) != 0) {
    axis += axis < 0 ? node.rank(elements.front()) + 1 : 0;
    for (ValueId &element : elements)
      element = node.add("Unsqueeze", {element, node.integerConstant({axis})});
  }
  node.result(0, node.add("Concat", elements, {{"axis", axis}}));
}

/// The body for each element; inputs that are no sequences are the same for all.
void convertMap(NodeImport &node) {
  const GraphProto *body = node.graph("body");
  const ImportedValue *list = sequence(node, 0);
  if (!list)
    return;
  if (!body)
    return node.refuse("it has no body");
  std::vector<std::vector<ValueId>> results(node.outputCount());
  const size_t bytes = body->ByteSizeLong();
  for (size_t at = 0; at < list->elements.size(); ++at) {
    std::vector<ImportedValue> inputs;
    for (size_t i = 0; i < node.inputCount(); ++i) {
      const ImportedValue &value = node.value(i);
      bool isSequence = value.kind == ImportedValue::Kind::sequence;
      if (isSequence && value.elements.size() <= at)
        return node.refuse("its sequences have different lengths");
      inputs.push_back(isSequence ? ImportedValue::from(value.elements[at]) : value);
    }
    if (!node.importer.spend(node.proto, static_cast<size_t>(body->node_size()) + 1, bytes))
      return;
    auto values = node.importer.importSubgraph(*body, node.scope, inputs);
    if (node.importer.hasRefusals())
      return;
    for (size_t i = 0; i < results.size() && i < values.size(); ++i)
      results[i].push_back(values[i].tensor);
  }
  for (size_t i = 0; i < results.size(); ++i)
    node.result(i, ImportedValue::sequence(results[i]));
}

void convertOptional(NodeImport &node) { node.result(0, node.value(0)); }

void convertHasElement(NodeImport &node) {
  bool has = node.value(0).kind != ImportedValue::Kind::nothing;
  node.result(0, node.numberConstant(has ? 1 : 0, ElementType::boolean));
}

} // namespace

void addSequenceConverters(ConverterTable &table) {
  table["SequenceEmpty"] = convertEmpty;
  table["SequenceConstruct"] = convertConstruct;
  table["SequenceInsert"] = convertInsert;
  table["SequenceErase"] = convertErase;
  table["SequenceAt"] = convertAt;
  table["SequenceLength"] = convertLength;
  table["SplitToSequence"] = convertSplitToSequence;
  table["ConcatFromSequence"] = convertConcat;
  table["SequenceMap"] = convertMap;
  table["Optional"] = convertOptional;
  table["OptionalGetElement"] = convertOptional;
  table["OptionalHasElement"] = convertHasElement;
}

} // namespace kgen::onnx
