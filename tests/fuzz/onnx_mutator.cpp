// Changes of models for the fuzzer that leave them models: other operators, operands, attributes,
// numbers.
#include "ingress/onnx/Model.h"
#include "ops/Registry.h"

#include <limits>
#include <random>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

using namespace kgen::onnx;

class Mutator {
public:
  explicit Mutator(unsigned seed) : random(seed) {}

  void change(ModelProto &model) {
    GraphProto &graph = *graphIn(model);
    switch (below(7)) {
    case 0:
      return changeOpset(model);
    case 1:
      return changeTensor(graph);
    case 2:
      return changeInput(graph);
    case 3:
      return addNode(graph);
    default:
      if (graph.node_size() != 0)
        changeNode(graph, *graph.mutable_node(below(graph.node_size())));
    }
  }

private:
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random); }

  int64_t number() {
    const int64_t numbers[] = {0,
                               1,
                               -1,
                               2,
                               3,
                               4,
                               7,
                               16,
                               100,
                               -2,
                               -100,
                               4096,
                               1 << 20,
                               1LL << 31,
                               1LL << 32,
                               1000000000,
                               1LL << 36,
                               1LL << 62,
                               std::numeric_limits<int64_t>::max(),
                               std::numeric_limits<int64_t>::min()};
    return numbers[below(std::size(numbers))];
  }

  /// The graph of the model, or one in an attribute.
  GraphProto *graphIn(ModelProto &model) {
    GraphProto *graph = model.mutable_graph();
    for (NodeProto &node : *graph->mutable_node())
      for (AttributeProto &attribute : *node.mutable_attribute())
        if (attribute.has_g() && below(2) == 0)
          return attribute.mutable_g();
    return graph;
  }

  void changeOpset(ModelProto &model) {
    if (model.opset_import_size() != 0)
      model.mutable_opset_import(0)->set_version(1 + below(25));
  }

  void changeTensor(TensorProto &tensor) {
    if (below(2) == 0 && tensor.dims_size() != 0)
      return tensor.set_dims(below(tensor.dims_size()), number());
    if (tensor.data_type() == TensorProto::INT64 && !tensor.has_raw_data() &&
        tensor.int64_data_size() != 0)
      return tensor.set_int64_data(below(tensor.int64_data_size()), number());
    if (std::string &raw = *tensor.mutable_raw_data(); tensor.data_type() == TensorProto::INT64) {
      int64_t value = number();
      if (raw.size() >= sizeof value)
        raw.replace(sizeof value * size_t(below(int(raw.size() / sizeof value))), sizeof value,
                    reinterpret_cast<const char *>(&value), sizeof value);
    }
  }

  /// An initializer, or a new one of integers.
  void changeTensor(GraphProto &graph) {
    if (graph.initializer_size() != 0 && below(2) == 0)
      return changeTensor(*graph.mutable_initializer(below(graph.initializer_size())));
    TensorProto &tensor = *graph.add_initializer();
    tensor.set_name("constant" + std::to_string(graph.initializer_size()));
    tensor.set_data_type(TensorProto::INT64);
    int count = below(4);
    if (below(3) != 0)
      tensor.add_dims(count);
    for (int i = 0; i < (tensor.dims_size() == 0 ? 1 : count); ++i)
      tensor.add_int64_data(number());
  }

  void changeInput(GraphProto &graph) {
    if (graph.input_size() == 0)
      return;
    auto &type =
        *graph.mutable_input(below(graph.input_size()))->mutable_type()->mutable_tensor_type();
    auto &shape = *type.mutable_shape();
    if (below(4) == 0)
      type.set_elem_type(below(24));
    else if (below(3) == 0)
      shape.add_dim()->set_dim_value(number());
    else if (shape.dim_size() != 0 && below(3) == 0)
      shape.mutable_dim()->RemoveLast();
    else if (shape.dim_size() != 0)
      shape.mutable_dim(below(shape.dim_size()))->set_dim_value(number());
  }

  /// A name that stands for something in the graph.
  std::string name(const GraphProto &graph) {
    std::vector<std::string> names{""};
    for (const auto &input : graph.input())
      names.push_back(input.name());
    for (const auto &tensor : graph.initializer())
      names.push_back(tensor.name());
    for (const NodeProto &node : graph.node())
      names.insert(names.end(), node.output().begin(), node.output().end());
    return names[size_t(below(int(names.size())))];
  }

  std::string op() {
    static const std::vector<std::string> all = [] {
      std::vector<std::string> names = kgen::builtInOperators().names();
      for (const char *more : {"Constant",
                               "NonZero",
                               "SequenceConstruct",
                               "SequenceInsert",
                               "SequenceErase",
                               "SequenceAt",
                               "SequenceLength",
                               "SplitToSequence",
                               "ConcatFromSequence",
                               "SequenceMap",
                               "Optional",
                               "If",
                               "Loop",
                               "Scan",
                               "Compress",
                               "MaxUnpool",
                               "Dropout",
                               "HannWindow",
                               "SoftmaxCrossEntropyLoss",
                               "NegativeLogLikelihoodLoss"})
        names.push_back(more);
      return names;
    }();
    return all[size_t(below(int(all.size())))];
  }

  /// At the end, and what it computes is a result.
  void addNode(GraphProto &graph) {
    NodeProto node;
    if (graph.node_size() != 0 && below(2) == 0)
      node = graph.node(below(graph.node_size()));
    else
      node.set_op_type(op());
    node.clear_output();
    for (int i = below(4); node.input_size() < i;)
      node.add_input(name(graph));
    node.add_output("added" + std::to_string(graph.node_size()));
    graph.add_output()->set_name(node.output(0));
    *graph.add_node() = node;
  }

  void changeNode(const GraphProto &graph, NodeProto &node) {
    switch (below(6)) {
    case 0:
      return node.set_op_type(op());
    case 1:
      if (node.input_size() != 0)
        node.set_input(below(node.input_size()), name(graph));
      return;
    case 2:
      return node.add_input(name(graph));
    case 3:
      if (node.input_size() != 0)
        node.mutable_input()->RemoveLast();
      return;
    default:
      if (node.attribute_size() != 0)
        changeAttribute(*node.mutable_attribute(below(node.attribute_size())));
    }
  }

  void changeAttribute(AttributeProto &attribute) {
    if (attribute.has_t())
      return changeTensor(*attribute.mutable_t());
    if (attribute.ints_size() == 0 || below(4) == 0)
      attribute.type() == AttributeProto::INTS ? attribute.add_ints(number())
                                               : attribute.set_i(number());
    else if (below(3) == 0)
      attribute.mutable_ints()->RemoveLast();
    else
      attribute.set_ints(below(attribute.ints_size()), number());
  }

  std::mt19937 random;
};

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  ModelProto model;
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  if (seed % 4 == 0 || !parseMessage(bytes, model))
    return LLVMFuzzerMutate(data, size, maxSize);
  Mutator mutator(seed);
  for (unsigned i = 0; i <= seed / 4 % 3; ++i)
    mutator.change(model);
  std::string changed = model.SerializeAsString();
  if (changed.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}
