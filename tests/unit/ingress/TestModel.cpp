#include "TestModel.h"

#include "ops/Registry.h"

namespace kgen::test {

using onnx::AttributeProto;

AttributeProto &TestNode::attribute(const std::string &name, AttributeProto::AttributeType type) {
  AttributeProto &attribute = *proto->add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

TestNode &TestNode::with(const std::string &name, int64_t value) {
  attribute(name, AttributeProto::INT).set_i(value);
  return *this;
}

TestNode &TestNode::with(const std::string &name, float value) {
  attribute(name, AttributeProto::FLOAT).set_f(value);
  return *this;
}

TestNode &TestNode::with(const std::string &name, const std::string &value) {
  attribute(name, AttributeProto::STRING).set_s(value);
  return *this;
}

TestNode &TestNode::with(const std::string &name, const Sizes &values) {
  AttributeProto &list = attribute(name, AttributeProto::INTS);
  for (int64_t value : values)
    list.add_ints(value);
  return *this;
}

TestNode &TestNode::with(const std::string &name, const onnx::TensorProto &value) {
  *attribute(name, AttributeProto::TENSOR).mutable_t() = value;
  return *this;
}

TestNode &TestNode::reference(const std::string &name, const std::string &to,
                              AttributeProto::AttributeType type) {
  attribute(name, type).set_ref_attr_name(to);
  return *this;
}

onnx::GraphProto &TestNode::graph(const std::string &name) {
  return *attribute(name, AttributeProto::GRAPH).mutable_g();
}

TestNode &TestNode::in(const std::string &domain) {
  proto->set_domain(domain);
  return *this;
}

static onnx::TensorProto tensorOf(int32_t type, const Sizes &shape) {
  onnx::TensorProto tensor;
  tensor.set_data_type(type);
  for (int64_t size : shape)
    tensor.add_dims(size);
  return tensor;
}

onnx::TensorProto integers(const Sizes &shape, const Sizes &elements) {
  onnx::TensorProto tensor = tensorOf(i64Type, shape);
  for (int64_t element : elements)
    tensor.add_int64_data(element);
  return tensor;
}

onnx::TensorProto floats(const Sizes &shape, const std::vector<float> &elements) {
  onnx::TensorProto tensor = tensorOf(f32Type, shape);
  for (float element : elements)
    tensor.add_float_data(element);
  return tensor;
}

onnx::TensorProto truth(bool value) {
  onnx::TensorProto tensor = tensorOf(boolType, {});
  tensor.add_int32_data(value);
  return tensor;
}

template <typename Graph>
static TestNode makeNode(Graph &graph, const std::string &op, const Names &inputs,
                         const Names &outputs) {
  onnx::NodeProto &node = *graph.add_node();
  node.set_op_type(op);
  for (const std::string &input : inputs)
    node.add_input(input);
  for (const std::string &output : outputs)
    node.add_output(output);
  return TestNode(&node);
}

TestNode addNode(onnx::GraphProto &graph, const std::string &op, const Names &inputs,
                 const Names &outputs) {
  return makeNode(graph, op, inputs, outputs);
}

TestNode addNode(onnx::FunctionProto &function, const std::string &op, const Names &inputs,
                 const Names &outputs) {
  return makeNode(function, op, inputs, outputs);
}

onnx::ValueInfoProto &addInput(onnx::GraphProto &graph, const std::string &name, int32_t type,
                               const Sizes &shape) {
  onnx::ValueInfoProto &input = *graph.add_input();
  input.set_name(name);
  auto &tensor = *input.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (int64_t size : shape)
    tensor.mutable_shape()->add_dim()->set_dim_value(size);
  return input;
}

void addOutput(onnx::GraphProto &graph, const std::string &name) {
  graph.add_output()->set_name(name);
}

void addInitializer(onnx::GraphProto &graph, const std::string &name,
                    const onnx::TensorProto &tensor) {
  *graph.add_initializer() = tensor;
  graph.mutable_initializer()->rbegin()->set_name(name);
}

TestModel::TestModel(int64_t opset) {
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(opset);
  proto.mutable_graph()->set_name("test");
}

TestModel &TestModel::input(const std::string &name, const Sizes &shape, int32_t type) {
  addInput(graph(), name, type, shape);
  return *this;
}

TestModel &TestModel::symbolicInput(const std::string &name, const Names &dims) {
  auto &shape =
      *addInput(graph(), name, f32Type, {}).mutable_type()->mutable_tensor_type()->mutable_shape();
  for (const std::string &dim : dims)
    if (onnx::TensorShapeProto::Dimension &added = *shape.add_dim(); !dim.empty())
      added.set_dim_param(dim);
  return *this;
}

TestModel &TestModel::initializer(const std::string &name, const onnx::TensorProto &tensor) {
  addInitializer(graph(), name, tensor);
  return *this;
}

TestModel &TestModel::output(const std::string &name) {
  addOutput(graph(), name);
  return *this;
}

TestNode TestModel::node(const std::string &op, const Names &inputs, const Names &outputs) {
  return addNode(graph(), op, inputs, outputs);
}

onnx::FunctionProto &TestModel::function(const std::string &domain, const std::string &name,
                                         const Names &inputs, const Names &outputs) {
  onnx::FunctionProto &function = *proto.add_functions();
  function.set_domain(domain);
  function.set_name(name);
  for (const std::string &input : inputs)
    function.add_input(input);
  for (const std::string &output : outputs)
    function.add_output(output);
  *function.mutable_opset_import() = proto.opset_import();
  return function;
}

TestImport importBytes(const std::string &bytes, const ModelBindings &bindings,
                       const std::string &path) {
  Diagnostics diagnostics;
  onnx::ImportOptions options{"lib", {}, bindings};
  options.settings.name = "run";
  TestImport result;
  result.model = onnx::importModelBytes(bytes, path, options, builtInOperators(), diagnostics);
  result.messages = diagnostics.str();
  return result;
}

TestImport import(const TestModel &model, const ModelBindings &bindings) {
  return importBytes(model.bytes(), bindings);
}

std::string textOf(const TestModel &model, const ModelBindings &bindings) {
  return import(model, bindings).text();
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

size_t countOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

std::map<std::string, std::string> weightsOf(const Graph &graph) {
  std::map<std::string, std::string> weights;
  for (const GraphValue &value : graph.values)
    if (value.kind == ValueKind::weight)
      weights[value.name] = value.type.str() + std::string(value.data->begin(), value.data->end());
  return weights;
}

} // namespace kgen::test
