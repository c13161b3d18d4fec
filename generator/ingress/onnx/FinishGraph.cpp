#include "ingress/onnx/FinishGraph.h"

#include "spec/Names.h"
#include "spec/WeightFiles.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>

#include <vector>

namespace kgen::onnx {
namespace {

/// Copies what results depend on. Ids change.
class Pruning {
public:
  explicit Pruning(const Graph &from) : from(from), newIds(from.values.size(), noValue) {}

  Graph run(std::vector<ValueId> &unusedInputs) {
    markLive();
    Graph to;
    to.name = from.name;
    for (ValueId input : from.inputs) {
      if (live[input])
        to.inputs.push_back(copy(to, input));
      else
        unusedInputs.push_back(input);
    }
    for (ValueId id = 0; id < from.values.size(); ++id)
      if (live[id] && newIds[id] == noValue)
        copy(to, id);
    for (size_t i = 0; i < from.nodes.size(); ++i)
      if (liveNodes[i])
        to.nodes.push_back(copied(from.nodes[i]));
    for (ValueId output : from.outputs)
      to.outputs.push_back(newIds[output]);
    return to;
  }

  const std::vector<ValueId> &ids() const { return newIds; }

private:
  void markLive() {
    live.assign(from.values.size(), false);
    liveNodes.assign(from.nodes.size(), false);
    for (ValueId output : from.outputs)
      live[output] = true;
    auto isLive = [&](ValueId id) { return id != noValue && live[id]; };
    for (size_t i = from.nodes.size(); i-- > 0;) {
      const Node &node = from.nodes[i];
      liveNodes[i] = llvm::any_of(node.outputs, isLive);
      if (!liveNodes[i])
        continue;
      for (ValueId input : node.inputs)
        if (input != noValue)
          live[input] = true;
      // The last ones may be skipped, and others cannot: they stay without a reader.
      for (size_t r = 0; r + node.op->optionalOutputs < node.op->outputs && r < node.outputs.size();
           ++r)
        if (node.outputs[r] != noValue)
          live[node.outputs[r]] = true;
    }
  }

  ValueId copy(Graph &to, ValueId id) {
    to.values.push_back(from.values[id]);
    return newIds[id] = static_cast<ValueId>(to.values.size() - 1);
  }

  Node copied(Node node) const {
    for (std::vector<ValueId> *list : {&node.inputs, &node.outputs})
      for (ValueId &id : *list)
        if (id != noValue)
          id = newIds[id];
    return node;
  }

  const Graph &from;
  std::vector<ValueId> newIds;
  std::vector<bool> live, liveNodes;
};

/// Unique identifiers.
class Identifiers {
public:
  std::string make(const std::string &name) {
    std::string base = identifierOf(name), unique = base;
    for (int number = 2; !taken.insert(unique).second; ++number)
      unique = base + "_" + std::to_string(number);
    return unique;
  }

private:
  llvm::StringSet<> taken;
};

} // namespace

std::string identifierOf(const std::string &name) {
  std::string text;
  for (char c : name) {
    bool isWord = llvm::isAlnum(c);
    if (isWord)
      text += c;
    else if (!text.empty() && text.back() != '_')
      text += '_';
  }
  while (!text.empty() && text.back() == '_')
    text.pop_back();
  constexpr size_t maxLength = 90; // of 100, so that a number can follow
  if (text.size() > maxLength)
    text = text.substr(text.size() - maxLength);
  text = llvm::StringRef(text).ltrim('_').str();
  if (text.empty() || llvm::isDigit(text.front()))
    text = "v" + text;
  return nameProblem(text, NameUse::c).empty() ? text : text + "_value";
}

Graph finishGraph(const Graph &graph, const std::map<ValueId, std::string> &names,
                  std::map<std::string, std::string> &original, const std::string &path,
                  Diagnostics &diagnostics) {
  std::vector<ValueId> unused;
  Pruning pruning(graph);
  Graph result = pruning.run(unused);
  for (ValueId input : unused)
    diagnostics.warning({path, 0, 0}, "no result depends on the input '" +
                                          graph.values[input].name +
                                          "': the function does not take it");
  Identifiers identifiers;
  std::vector<std::string> wanted(result.values.size());
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (ValueId now = pruning.ids()[id]; now != noValue) {
      auto name = names.find(id);
      wanted[now] = name == names.end() ? graph.values[id].name : name->second;
    }
  // Parameters of the C function keep their names whatever else is called so.
  auto rename = [&](ValueId id) {
    std::string name = identifiers.make(wanted[id]);
    if (name != wanted[id])
      original[name] = wanted[id];
    result.values[id].name = name;
    wanted[id].clear();
  };
  for (const std::vector<ValueId> *list : {&result.inputs, &result.outputs})
    for (ValueId id : *list)
      rename(id);
  std::vector<bool> isParameter(result.values.size(), false);
  for (const std::vector<ValueId> *list : {&result.inputs, &result.outputs})
    for (ValueId id : *list)
      isParameter[id] = true;
  for (ValueId id = 0; id < result.values.size(); ++id)
    if (!isParameter[id])
      rename(id);
  for (Node &node : result.nodes)
    node.name = node.outputs.size() == 1 ? result.values[node.outputs.front()].name
                                         : result.values[node.firstOutput()].name;
  return result;
}

NodeProto withAttributes(const NodeProto &node, const NodeProto &call,
                         const FunctionProto &function) {
  NodeProto copy = node;
  copy.clear_attribute();
  auto value = [&](const std::string &name) -> const AttributeProto * {
    for (const AttributeProto &attribute : call.attribute())
      if (attribute.name() == name)
        return &attribute;
    for (const AttributeProto &attribute : function.attribute_proto())
      if (attribute.name() == name)
        return &attribute;
    return nullptr;
  };
  for (const AttributeProto &attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      AttributeProto *own = copy.add_attribute();
      *own = attribute;
      for (NodeProto &inner : *own->mutable_g()->mutable_node())
        inner = withAttributes(inner, call, function);
      if (!attribute.has_g())
        own->clear_g();
    } else if (const AttributeProto *given = value(attribute.ref_attr_name())) {
      AttributeProto *own = copy.add_attribute();
      *own = *given;
      own->set_name(attribute.name());
    }
  }
  return copy;
}

WeightData filledData(const TensorType &type, double number) {
  std::vector<char> element;
  if (isFloat(type.element))
    appendFloat(element, type.element, number);
  else
    appendInteger(element, type.element, static_cast<int64_t>(number));
  std::vector<char> bytes;
  bytes.reserve(static_cast<size_t>(type.byteCount()));
  for (int64_t i = 0; i < type.elementCount(); ++i)
    bytes.insert(bytes.end(), element.begin(), element.end());
  return std::make_shared<const std::vector<char>>(std::move(bytes));
}

} // namespace kgen::onnx
