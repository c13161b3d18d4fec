// Models that tests make piece by piece, and what the importer says of them.
#pragma once

#include "ingress/onnx/Import.h"
#include "ingress/onnx/onnx.pb.h"

#include <map>
#include <string>
#include <vector>

namespace kgen::test {

using Names = std::vector<std::string>;
using Sizes = std::vector<int64_t>;

constexpr int32_t f32Type = onnx::TensorProto::FLOAT, i64Type = onnx::TensorProto::INT64,
                  boolType = onnx::TensorProto::BOOL;

/// Adds attributes to a node one after another.
class TestNode {
public:
  explicit TestNode(onnx::NodeProto *node) : proto(node) {}

  TestNode &with(const std::string &name, int64_t value);
  TestNode &with(const std::string &name, int value) { return with(name, int64_t(value)); }
  TestNode &with(const std::string &name, float value);
  TestNode &with(const std::string &name, const std::string &value);
  TestNode &with(const std::string &name, const char *value) {
    return with(name, std::string(value));
  }
  TestNode &with(const std::string &name, const Sizes &values);
  TestNode &with(const std::string &name, const onnx::TensorProto &value);
  /// The attribute is what the call of the function around the node says.
  TestNode &reference(const std::string &name, const std::string &to,
                      onnx::AttributeProto::AttributeType type);
  onnx::GraphProto &graph(const std::string &name);
  TestNode &in(const std::string &domain);

  onnx::NodeProto *const proto;

private:
  onnx::AttributeProto &attribute(const std::string &name,
                                  onnx::AttributeProto::AttributeType type);
};

onnx::TensorProto integers(const Sizes &shape, const Sizes &elements);
onnx::TensorProto floats(const Sizes &shape, const std::vector<float> &elements);
onnx::TensorProto truth(bool value);

/// For graphs of models and subgraphs.
TestNode addNode(onnx::GraphProto &graph, const std::string &op, const Names &inputs,
                 const Names &outputs);
onnx::ValueInfoProto &addInput(onnx::GraphProto &graph, const std::string &name, int32_t type,
                               const Sizes &shape);
void addOutput(onnx::GraphProto &graph, const std::string &name);
void addInitializer(onnx::GraphProto &graph, const std::string &name,
                    const onnx::TensorProto &tensor);

class TestModel {
public:
  explicit TestModel(int64_t opset = 17);

  onnx::GraphProto &graph() { return *proto.mutable_graph(); }
  TestModel &input(const std::string &name, const Sizes &shape, int32_t type = f32Type);
  /// An input whose dimensions are symbols, or unknown where they are "".
  TestModel &symbolicInput(const std::string &name, const Names &dims);
  TestModel &initializer(const std::string &name, const onnx::TensorProto &tensor);
  TestModel &output(const std::string &name);
  TestNode node(const std::string &op, const Names &inputs, const Names &outputs);
  onnx::FunctionProto &function(const std::string &domain, const std::string &name,
                                const Names &inputs, const Names &outputs);
  std::string bytes() const { return proto.SerializeAsString(); }

  onnx::ModelProto proto;
};

TestNode addNode(onnx::FunctionProto &function, const std::string &op, const Names &inputs,
                 const Names &outputs);

struct TestImport {
  std::optional<onnx::ImportedModel> model;
  std::string messages; ///< errors and warnings
  std::string text() const { return model ? printGraph(model->graph) : messages; }
};

TestImport importBytes(const std::string &bytes, const ModelBindings &bindings = {},
                       const std::string &path = "m.onnx");
TestImport import(const TestModel &model, const ModelBindings &bindings = {});
/// The graph as text, or what is wrong with the model.
std::string textOf(const TestModel &model, const ModelBindings &bindings = {});

/// Types and bytes by name.
std::map<std::string, std::string> weightsOf(const Graph &graph);

bool has(const std::string &text, const std::string &part);
size_t countOf(const std::string &text, const std::string &part);

} // namespace kgen::test
