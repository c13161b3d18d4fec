// A network of oneDNN's primitives at its best: weights in the layouts that it prefers, bias,
// activations and sums fused into convolutions and products, memory used again when nobody needs
// it; and the fastest of several forms.
#include "Network.h"
#include "OneDnn.h"
#include "OneDnnBuilder.h"

namespace bench {
namespace {

class OneDnnNetwork : public NetworkPeer {
public:
  OneDnnNetwork(const Network &network, OneDnnForm chosen)
      : type(network.resultType()), form(std::move(chosen)) {
    OneDnnBuilder builder(network.graph(), form, code, network.inputs);
    builder.build();
    y = builder.result();
  }

  void run() override { code.run(); }
  Tensor result() override {
    Tensor tensor{type, Aligned<char>(static_cast<size_t>(type.byteCount()))};
    code.read(y, y.layout, tensor.bytes.data());
    return tensor;
  }
  std::string description() const override { return form.name; }

private:
  const kgen::TensorType type;
  const OneDnnForm form;
  OneDnnCode code;
  Buffer y;
};

bool has(const kgen::Graph &graph, const std::string &op) {
  for (const kgen::Node &node : graph.nodes)
    if (node.op->name == op)
      return true;
  return false;
}

std::vector<OneDnnForm> formsOf(const kgen::Graph &graph) {
  using Tag = dnnl::memory::format_tag;
  if (has(graph, "Conv"))
    return {{"images as it prefers", Tag::any}, {"channels last", Tag::nhwc}};
  return {{"rows without gaps, transposed views", Tag::any, false, true},
          {"rows with gaps, transposed views", Tag::any, true, true},
          {"rows without gaps, transposed copies", Tag::any, false, false},
          {"rows with gaps, transposed copies", Tag::any, true, false}};
}

} // namespace

std::unique_ptr<NetworkPeer> makeOneDnn(const Network &network, const Platform &platform,
                                        const kgen::ThreadPool &pool) {
  requireOneDnnIsa(platform);
  std::vector<std::unique_ptr<NetworkPeer>> made;
  for (const OneDnnForm &form : formsOf(network.graph()))
    made.push_back(std::make_unique<OneDnnNetwork>(network, form));
  return fastest(std::move(made), pool.threads() > 1 ? kgen::wallSeconds : kgen::threadSeconds);
}

} // namespace bench
