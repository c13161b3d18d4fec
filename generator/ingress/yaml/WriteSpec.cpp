#include "ingress/yaml/WriteSpec.h"

#include "graph/Operator.h"
#include "ingress/yaml/RepeatedBlocks.h"
#include "ingress/yaml/SpecText.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kgen {
namespace {

/// A comment is one line.
std::string lineOf(std::string text) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      c = '?';
  return text;
}

/// "[[1, 2], [3, 4]]"; "[]" without elements.
std::string nested(const std::vector<std::string> &elements, llvm::ArrayRef<int64_t> shape,
                   size_t &next) {
  if (elements.empty())
    return "[]";
  if (shape.empty())
    return elements[next++];
  std::string text = "[";
  for (int64_t i = 0; i < shape.front(); ++i)
    text += (i == 0 ? "" : ", ") + nested(elements, shape.drop_front(), next);
  return text + "]";
}

std::string activationsText(const RowQuantization &rows) {
  return rows.block == 0 ? "none" : fmt::format("{{bits: 8, block: {}}}", rows.block);
}

class Writer {
public:
  Writer(const WrittenSpec &about, const Graph &graph, const std::vector<RepeatedBlock> &blocks,
         const std::string &weightsFile)
      : about(about), graph(graph), blocks(blocks), weightsFile(weightsFile),
        different(differentWeights(graph, blocks)) {}

  std::string modulesText() {
    text = blocks.empty() ? "" : "modules:\n";
    for (const RepeatedBlock &block : blocks)
      writeModule(block);
    return std::move(text);
  }

  std::string graphText() {
    text = fmt::format("graphs:\n  - name: {}\n", graph.name);
    writeDims();
    if (graph.compute != ElementType::f32)
      text += fmt::format("    compute: {}\n", toString(graph.compute));
    if (graph.accumulate != ElementType::f32)
      text += fmt::format("    accumulate: {}\n", toString(graph.accumulate));
    if (graph.winograd != 0)
      text += fmt::format("    winograd: {}\n", graph.winograd);
    if (graph.activations)
      text += fmt::format("    activations: {}\n", activationsText(*graph.activations));
    writeInputs();
    writeStates();
    writeWeights();
    writeNodes();
    std::vector<std::string> names;
    for (ValueId id : llvm::ArrayRef(graph.outputs).drop_back(graph.states.size()))
      names.push_back(graph.values[id].name);
    writeUpdates();
    return text + fmt::format("    outputs: [{}]\n", fmt::join(names, ", "));
  }

private:
  void writeModule(const RepeatedBlock &block);
  void writeDims();
  void writeInputs();
  void writeStates();
  void writeUpdates();
  std::string originalText(const std::vector<std::string> &outputs) const;
  std::string weightName(ValueId id) const;
  std::string valueOf(ValueId id) const;
  void writeWeights();
  std::string nameOf(ValueId id) const;
  std::string operandInside(const RepeatedBlock &block, size_t i, size_t k) const;
  void writeNode(const char *indent, const Node &node, const std::string &name,
                 const std::vector<std::string> &inputs, const std::vector<std::string> &outputs,
                 const std::string &original = "");
  void writeCall(const char *indent, const Node &node, const std::string &name,
                 const std::vector<std::string> &inputs, const std::vector<std::string> &outputs,
                 const std::string &original);
  void writeUse(const RepeatedBlock &block, const std::string &name,
                const RepeatedBlock::Use &first, const RepeatedBlock::Use &last);
  bool writeUseAt(size_t node);
  void writeNodes();

  const WrittenSpec &about;
  const Graph &graph;
  const std::vector<RepeatedBlock> &blocks;
  const std::string &weightsFile;
  std::set<ValueId> different; ///< weights of modules that stand in the file
  std::string text;
};

/// Writes a module: its first use, in names of the module.
void Writer::writeModule(const RepeatedBlock &block) {
  const RepeatedBlock::Use &use = block.uses.front();
  text += fmt::format("  {}:\n    inputs: [{}]\n", block.module, fmt::join(block.inputNames, ", "));
  if (!use.weights.empty())
    text += "    weights:\n";
  for (size_t w = 0; w < use.weights.size(); ++w) {
    ValueId id = use.weights[w];
    std::string source = different.count(id) ? "" : valueOf(id);
    if (source.empty())
      source = "file: " + weightsFile;
    text += fmt::format("      {}: {{type: \"{}\", {}}}\n", block.weightNames[w],
                        graph.values[id].type.str(), source);
  }
  text += "    nodes:\n";
  for (size_t i = 0; i < block.length; ++i) {
    const Node &node = graph.nodes[use.first + i];
    std::vector<std::string> inputs, outputs;
    for (size_t k = 0; k < node.inputs.size(); ++k)
      inputs.push_back(operandInside(block, i, k));
    for (ValueId id : node.outputs)
      outputs.push_back(id == noValue ? "\"\"" : block.resultNames.at(id));
    writeNode("      ", node, block.nodeNames[i], inputs, outputs);
  }
  std::vector<std::string> outputs;
  for (ValueId id : use.outputs)
    outputs.push_back(block.resultNames.at(id));
  text += fmt::format("    outputs: [{}]\n", fmt::join(outputs, ", "));
}

/// An operand in a module: a result of its nodes, one of its weights or inputs.
std::string Writer::operandInside(const RepeatedBlock &block, size_t i, size_t k) const {
  std::vector<ValueId> ids = block.operands(graph, i, k);
  if (ids.front() == noValue)
    return "\"\"";
  auto isHere = [&](std::vector<ValueId> RepeatedBlock::Use::*list, size_t at) {
    for (size_t u = 0; u < ids.size(); ++u)
      if ((block.uses[u].*list)[at] != ids[u])
        return false;
    return true;
  };
  for (size_t at = 0; at < block.inputNames.size(); ++at)
    if (isHere(&RepeatedBlock::Use::inputs, at))
      return block.inputNames[at];
  for (size_t at = 0; at < block.weightNames.size(); ++at)
    if (isHere(&RepeatedBlock::Use::weights, at))
      return block.weightNames[at];
  return block.resultNames.at(ids.front());
}

void Writer::writeDims() {
  if (!graph.dims.empty())
    text += "    dims:\n";
  for (const std::shared_ptr<const DimSymbol> &symbol : graph.dims)
    text += fmt::format("      {}: {{min: {}, max: {}, multiple: {}{}}}\n", symbol->name,
                        symbol->min, symbol->max, symbol->multiple,
                        symbol->state.empty() ? "" : ", state: " + symbol->state);
}

void Writer::writeInputs() {
  const size_t count = graph.inputs.size() - graph.states.size();
  if (count != 0)
    text += "    inputs:\n";
  for (ValueId id : llvm::ArrayRef(graph.inputs).take_front(count)) {
    const GraphValue &input = graph.values[id];
    auto original = about.original.find(input.name);
    if (original == about.original.end())
      text += fmt::format("      {}: \"{}\"\n", input.name, input.type.str());
    else
      text += fmt::format("      {}: {{type: \"{}\", original: {}}}\n", input.name,
                          input.type.str(), quotedText(original->second));
  }
}

void Writer::writeStates() {
  if (!graph.states.empty())
    text += "    state:\n";
  for (const GraphState &state : graph.states)
    text += fmt::format("      {}: \"{}\"\n", state.name,
                        graph.values[graph.inputs[*state.input]].type.str());
}

void Writer::writeUpdates() {
  std::vector<std::string> entries;
  for (const GraphState &state : graph.states)
    entries.push_back(state.name + ": " + graph.values[graph.outputs[*state.output]].name);
  if (!entries.empty())
    text += fmt::format("    updates: {{{}}}\n", fmt::join(entries, ", "));
}

/// A result that is a constant is the copy of a weight that has another name.
std::string Writer::weightName(ValueId id) const {
  std::string name = graph.values[id].name;
  if (!llvm::is_contained(graph.outputs, id))
    return name;
  auto isTaken = [&](const GraphValue &value) { return value.name == name; };
  for (name += "_constant"; llvm::any_of(graph.values, isTaken);)
    name += "_";
  return name;
}

/// "value: [1, 2]", or nothing if the elements stand in the file.
std::string Writer::valueOf(ValueId id) const {
  size_t next = 0;
  auto elements = writtenElements(graph.values[id]);
  return elements ? "value: " + nested(*elements, graph.values[id].type.shape, next) : "";
}

/// Those that are no module's.
void Writer::writeWeights() {
  std::set<ValueId> ofModules;
  for (const RepeatedBlock &block : blocks)
    for (const RepeatedBlock::Use &use : block.uses)
      ofModules.insert(use.weights.begin(), use.weights.end());
  bool isFirst = true;
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const GraphValue &weight = graph.values[id];
    const bool isWritten = weight.kind == ValueKind::weight || weight.kind == ValueKind::sizes;
    if (!isWritten || ofModules.count(id))
      continue;
    if (isFirst)
      text += "    weights:\n";
    isFirst = false;
    std::string source = valueOf(id);
    if (source.empty())
      source = fmt::format("file: {}, tensor: {}", weightsFile, weight.name);
    text +=
        fmt::format("      {}: {{type: \"{}\", {}}}\n", weightName(id), weight.type.str(), source);
  }
}

std::string Writer::nameOf(ValueId id) const {
  if (id == noValue)
    return "\"\"";
  return graph.values[id].kind == ValueKind::weight ? weightName(id) : graph.values[id].name;
}

/// ", original: ..." of results, as far as the model calls them something else.
std::string Writer::originalText(const std::vector<std::string> &outputs) const {
  std::vector<std::string> entries;
  for (const std::string &name : outputs)
    if (auto original = about.original.find(name); original != about.original.end())
      entries.push_back((outputs.size() == 1 ? "" : name + ": ") + quotedText(original->second));
  if (entries.empty())
    return "";
  return ", original: " +
         (outputs.size() == 1 ? entries.front() : fmt::format("{{{}}}", fmt::join(entries, ", ")));
}

/// A call of an extern function, whose results have no other types than those that are written.
void Writer::writeCall(const char *indent, const Node &node, const std::string &name,
                       const std::vector<std::string> &inputs,
                       const std::vector<std::string> &outputs, const std::string &original) {
  std::vector<std::string> results;
  for (size_t i = 0; i < outputs.size(); ++i)
    results.push_back(outputs[i] + ": \"" + node.external->outputs[i].str() + "\"");
  text += fmt::format("{}- {{name: {}, op: extern, symbol: {}, inputs: [{}], outputs: {{{}}}{}}}\n",
                      indent, name, node.external->symbol.value, fmt::join(inputs, ", "),
                      fmt::join(results, ", "), original);
}

void Writer::writeNode(const char *indent, const Node &node, const std::string &name,
                       const std::vector<std::string> &inputs,
                       const std::vector<std::string> &outputs, const std::string &original) {
  if (node.external)
    return writeCall(indent, node, name, inputs, outputs, original);
  std::string results = outputs.size() == 1 && outputs.front() == name
                            ? ""
                            : fmt::format(", outputs: [{}]", fmt::join(outputs, ", "));
  text += fmt::format("{}- {{name: {}, op: {}, inputs: [{}]{}{}{}}}  # {}\n", indent, name,
                      node.op->name, fmt::join(inputs, ", "), results, attributesText(node),
                      original, graph.values[node.firstOutput()].type.str());
}

/// One use, or a chain of them.
void Writer::writeUse(const RepeatedBlock &block, const std::string &name,
                      const RepeatedBlock::Use &first, const RepeatedBlock::Use &last) {
  std::vector<std::string> inputs, outputs, types;
  for (ValueId id : first.inputs)
    inputs.push_back(nameOf(id));
  for (ValueId id : last.outputs) {
    outputs.push_back(nameOf(id));
    types.push_back(graph.values[id].type.str());
  }
  std::string results = outputs.size() == 1 && outputs.front() == name
                            ? ""
                            : fmt::format(", outputs: [{}]", fmt::join(outputs, ", "));
  std::string repeat = block.isChain ? fmt::format(", repeat: {}", block.uses.size()) : "";
  text += fmt::format("      - {{name: {}, module: {}, inputs: [{}]{}{}{}}}  # {}\n", name,
                      block.module, fmt::join(inputs, ", "), results, repeat, originalText(outputs),
                      fmt::join(types, ", "));
}

/// True if the node is part of a module; its use is written where the first of its nodes is.
bool Writer::writeUseAt(size_t node) {
  for (const RepeatedBlock &block : blocks)
    for (const RepeatedBlock::Use &use : block.uses) {
      if (node < use.first || node >= use.first + block.length)
        continue;
      const RepeatedBlock::Use &first = block.uses.front();
      llvm::StringRef name = use.name;
      if (!block.isChain && node == use.first)
        writeUse(block, use.name, use, use);
      else if (node == first.first)
        writeUse(block, name.drop_back(llvm::StringRef("_0").size()).str(), first,
                 block.uses.back());
      return true;
    }
  return false;
}

void Writer::writeNodes() {
  text += "    nodes:\n";
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (writeUseAt(i))
      continue;
    const Node &node = graph.nodes[i];
    std::vector<std::string> inputs, outputs;
    for (ValueId id : node.inputs)
      inputs.push_back(nameOf(id));
    for (ValueId id : node.outputs)
      outputs.push_back(id == noValue ? "\"\"" : graph.values[id].name);
    writeNode("      ", node, node.name, inputs, outputs, originalText(outputs));
  }
  for (ValueId id : graph.outputs)
    if (graph.values[id].kind == ValueKind::weight)
      text += fmt::format("      - {{name: {}, op: Identity, inputs: [{}]}}\n",
                          graph.values[id].name, weightName(id));
}

} // namespace

std::string writeSpec(const WrittenSpec &about, const Graph &graph,
                      const std::vector<RepeatedBlock> &blocks, const std::string &weightsFile) {
  std::string text = "# " + lineOf(about.comment) + "\nlibrary: " + about.library + "\n";
  for (const std::string &line : about.targets.comments)
    text += "# " + lineOf(line) + "\n";
  if (!about.targets.names.empty())
    text += fmt::format("targets: [{}]\n", fmt::join(about.targets.names, ", "));
  Writer writer(about, graph, blocks, weightsFile);
  text += writer.modulesText();
  return text + writer.graphText();
}

} // namespace kgen
