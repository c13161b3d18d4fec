#include "ingress/onnx/CutModel.h"

#include "ingress/onnx/NodeOrder.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>

#include <set>

namespace kgen::onnx {
namespace {

class ModelCutter {
public:
  ModelCutter(Model &model, Diagnostics &diagnostics)
      : graph(*model.proto.mutable_graph()), path(model.path), diagnostics(diagnostics) {
    for (int i = 0; i < graph.node_size(); ++i)
      for (const std::string &output : graph.node(i).output())
        if (!output.empty())
          producers.insert({output, i});
    for (const ValueInfoProto &input : graph.input())
      given.insert(input.name());
    for (const TensorProto &tensor : graph.initializer())
      given.insert(tensor.name());
  }

  void cut(const std::vector<std::string> &inputs, const std::vector<std::string> &outputs) {
    for (const std::string &name : inputs)
      if (isThere("--inputs", name))
        isInput.insert(name);
    if (!outputs.empty()) {
      graph.clear_output();
      for (const std::string &name : outputs)
        if (isThere("--outputs", name))
          graph.add_output()->set_name(name);
    }
    for (const ValueInfoProto &output : graph.output())
      need(output.name());
    removeUnread();
    for (const std::string &name : inputs)
      if (isInput.contains(name) && !given.contains(name))
        addInput(name);
  }

private:
  bool isThere(const char *option, const std::string &name) {
    if (producers.count(name) || given.contains(name))
      return true;
    std::vector<std::string> known;
    for (const auto &entry : producers)
      known.push_back(entry.getKey().str());
    llvm::sort(known);
    std::string last;
    for (const ValueInfoProto &output : graph.output())
      last += (last.empty() ? "" : ", ") + output.name();
    diagnostics.error({path, 0, 0},
                      std::string(option) + ": the model has no value '" + name + "'" +
                          didYouMean(name, known),
                      "expected a result of one of its nodes; its own outputs are " + last);
    return false;
  }

  /// Marks what the value depends on.
  void need(const std::string &output) {
    std::vector<std::string> open{output};
    while (!open.empty()) {
      std::string name = std::move(open.back());
      open.pop_back();
      if (!needed.insert(name).second || isInput.contains(name))
        continue;
      auto producer = producers.find(name);
      if (producer == producers.end() || !isRead.insert(producer->second).second)
        continue;
      for (const std::string &input : namesRead(graph.node(producer->second)))
        open.push_back(input);
    }
  }

  template <typename List, typename Keeps> static void keepIf(List &list, Keeps keeps) {
    int kept = 0;
    for (int i = 0; i < list.size(); ++i)
      if (keeps(i))
        list.SwapElements(kept++, i);
    list.DeleteSubrange(kept, list.size() - kept);
  }

  void removeUnread() {
    keepIf(*graph.mutable_node(), [&](int i) { return isRead.count(i) != 0; });
    keepIf(*graph.mutable_initializer(), [&](int i) {
      const std::string &name = graph.initializer(i).name();
      return needed.contains(name) && !isInput.contains(name);
    });
    keepIf(*graph.mutable_input(), [&](int i) { return needed.contains(graph.input(i).name()); });
  }

  /// Of a type that is found out later, or that the model says.
  void addInput(const std::string &name) {
    for (const ValueInfoProto &value : graph.value_info())
      if (value.name() == name) {
        *graph.add_input() = value;
        return;
      }
    graph.add_input()->set_name(name);
  }

  GraphProto &graph;
  const std::string path;
  Diagnostics &diagnostics;
  llvm::StringMap<int> producers; ///< nodes by their results
  llvm::StringSet<> given, isInput, needed;
  std::set<int> isRead; ///< nodes
};

} // namespace

void cutModel(Model &model, const std::vector<std::string> &inputs,
              const std::vector<std::string> &outputs, Diagnostics &diagnostics) {
  if (!inputs.empty() || !outputs.empty())
    ModelCutter(model, diagnostics).cut(inputs, outputs);
}

} // namespace kgen::onnx
