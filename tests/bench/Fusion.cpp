#include "Fusion.h"

#include "graph/Operator.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace bench {
namespace {
using kgen::Graph;
using kgen::Node;
using kgen::ValueId;

bool isWeight(const Graph &graph, ValueId id) {
  return graph.values[id].kind == kgen::ValueKind::weight;
}

float firstNumber(const Graph &graph, ValueId id) {
  return *reinterpret_cast<const float *>(graph.values[id].data->data());
}

/// Follows a convolution's or product's result as far as one primitive goes.
class Follower {
public:
  Follower(const Graph &graph, bool transposes)
      : graph(graph), transposes(transposes), readers(graph.values.size()) {
    for (const Node &node : graph.nodes)
      for (ValueId input : node.inputs)
        if (input != kgen::noValue)
          readers[input].push_back(&node);
  }

  bool isTaken(const Node &node) const { return taken.count(&node) != 0; }

  FusedNode follow(const Node &node) {
    FusedNode fused{&node, kgen::noValue, 1, {}, nullptr, node.firstOutput(), {}};
    for (ValueId input : node.inputs)
      if (input != kgen::noValue)
        fused.reads.push_back(input);
    isProduct = node.op->name == "MatMul" || node.op->name == "Gemm";
    if (isProduct || node.op->name == "Conv")
      while (!isOutput(fused.result) && !fused.transpose && (addSwish(fused) || addReader(fused))) {
      }
    return fused;
  }

private:
  bool isOutput(ValueId id) const {
    return std::find(graph.outputs.begin(), graph.outputs.end(), id) != graph.outputs.end();
  }

  bool addReader(FusedNode &fused) {
    const std::vector<const Node *> &all = readers[fused.result];
    if (all.size() != 1 || isTaken(*all.front()))
      return false;
    const Node &reader = *all.front();
    if (!addActivation(fused, reader) && !addOperand(fused, reader) && !addTranspose(fused, reader))
      return false;
    take(fused, reader);
    return true;
  }

  void take(FusedNode &fused, const Node &reader) {
    taken.insert(&reader);
    fused.result = reader.firstOutput();
  }

  bool addActivation(FusedNode &fused, const Node &reader) {
    std::optional<Activation> activation = activationOf(graph, reader);
    if (activation)
      fused.after.push_back(*activation);
    return activation.has_value();
  }

  /// x * sigmoid(x).
  bool addSwish(FusedNode &fused) {
    const std::vector<const Node *> &all = readers[fused.result];
    if (all.size() != 2)
      return false;
    for (auto [gate, product] : {std::pair(all[0], all[1]), std::pair(all[1], all[0])})
      if (gate->op->name == "Sigmoid" && product->op->name == "Mul" &&
          readers[gate->firstOutput()] == std::vector<const Node *>{product}) {
        fused.after.push_back(Activation{dnnl::algorithm::eltwise_swish, 1});
        taken.insert(gate);
        take(fused, *product);
        return true;
      }
    return false;
  }

  /// A factor or bias that is a weight, or a tensor that is added.
  bool addOperand(FusedNode &fused, const Node &reader) {
    bool isSum = reader.op->name == "Add";
    if (!isSum && reader.op->name != "Mul")
      return false;
    ValueId other = reader.inputs[reader.inputs[0] == fused.result];
    const kgen::TensorType &type = graph.values[other].type,
                           &result = graph.values[fused.result].type;
    bool first = isProduct && fused.after.empty() && fused.bias == kgen::noValue;
    if (isWeight(graph, other)) {
      if (first && !isSum && type.elementCount() == 1)
        fused.factor *= firstNumber(graph, other);
      else if (first && isSum && fused.factor == 1 && type.shape.size() == 1 &&
               type.shape.back() == result.shape.back())
        fused.reads.push_back(fused.bias = other);
      else
        return false;
      return true;
    }
    if (!isSum || type != result || other == fused.result || hasResidual(fused))
      return false;
    fused.after.push_back(Residual{other});
    fused.reads.push_back(other);
    return true;
  }

  static bool hasResidual(const FusedNode &fused) {
    return std::any_of(fused.after.begin(), fused.after.end(),
                       [](const auto &each) { return std::holds_alternative<Residual>(each); });
  }

  bool addTranspose(FusedNode &fused, const Node &reader) {
    auto rank = [&](ValueId id) { return graph.values[id].type.shape.size(); };
    if (!transposes || !isProduct || reader.op->name != "Transpose" || hasResidual(fused) ||
        rank(fused.node->inputs[0]) != rank(fused.node->inputs[1]))
      return false;
    fused.transpose = &reader;
    return true;
  }

  const Graph &graph;
  bool transposes, isProduct = false;
  std::vector<std::vector<const Node *>> readers; ///< of each value
  std::set<const Node *> taken;                   ///< nodes that are part of others
};

} // namespace

std::optional<Activation> activationOf(const Graph &graph, const Node &node) {
  using dnnl::algorithm;
  static const std::map<std::string, Activation> plain = {
      {"Relu", {algorithm::eltwise_relu}}, {"Sigmoid", {algorithm::eltwise_logistic}},
      {"Tanh", {algorithm::eltwise_tanh}}, {"HardSwish", {algorithm::eltwise_hardswish}},
      {"Exp", {algorithm::eltwise_exp}},   {"Sqrt", {algorithm::eltwise_sqrt}},
  };
  if (auto found = plain.find(node.op->name); found != plain.end())
    return found->second;
  if (node.op->name == "Gelu")
    return Activation{std::get<std::string>(node.attributes.at("approximate")) == "tanh"
                          ? algorithm::eltwise_gelu_tanh
                          : algorithm::eltwise_gelu_erf};
  if (node.op->name == "LeakyRelu" || node.op->name == "Elu")
    return Activation{node.op->name == "Elu" ? algorithm::eltwise_elu : algorithm::eltwise_relu,
                      static_cast<float>(std::get<double>(node.attributes.at("alpha")))};
  if (node.op->name == "Clip" && node.inputs.size() == 3 && node.inputs[1] != kgen::noValue &&
      node.inputs[2] != kgen::noValue && isWeight(graph, node.inputs[1]) &&
      isWeight(graph, node.inputs[2]))
    return Activation{algorithm::eltwise_clip, firstNumber(graph, node.inputs[1]),
                      firstNumber(graph, node.inputs[2])};
  return std::nullopt;
}

std::vector<FusedNode> fuse(const Graph &graph, bool transposes) {
  Follower follower(graph, transposes);
  std::vector<FusedNode> all;
  for (const Node &node : graph.nodes)
    if (!follower.isTaken(node))
      all.push_back(follower.follow(node));
  // Each runs where its last node stands: what it adds is there by then.
  std::map<ValueId, size_t> order;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    order[graph.nodes[i].firstOutput()] = i;
  std::stable_sort(all.begin(), all.end(), [&](const FusedNode &a, const FusedNode &b) {
    return order.at(a.result) < order.at(b.result);
  });
  return all;
}

} // namespace bench
