#include "OneDnnBuilder.h"

#include <algorithm>
#include <stdexcept>

namespace bench {
using dnnl::memory;
using kgen::ValueId;

OneDnnBuilder::OneDnnBuilder(const kgen::Graph &graph, const OneDnnForm &form, OneDnnCode &code,
                             const std::vector<Tensor> &inputs)
    : graph(graph), form(form), code(code), readers(graph.values.size()) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    // Shares the network's memory, which outlives this: what is read there may not be changed.
    auto &bytes = const_cast<Aligned<char> &>(inputs[i].bytes);
    set(graph.inputs[i], {plain(graph.inputs[i]), {&bytes, [](Aligned<char> *) {}}});
  }
}

void OneDnnBuilder::build() {
  std::vector<FusedNode> nodes = fuse(graph, form.views);
  for (const FusedNode &fused : nodes)
    for (ValueId id : fused.reads)
      ++readers[id];
  for (ValueId id : graph.outputs)
    ++readers[id];
  for (const FusedNode &fused : nodes) {
    OneDnnMaker make = nullptr;
    for (const OneDnnMakers *makers :
         {&oneDnnWindows(), &oneDnnProducts(), &oneDnnLayers(), &oneDnnRecurrent()})
      if (auto found = makers->find(fused.node->op->name); found != makers->end())
        make = found->second;
    if (!make)
      refuse(*fused.node, "there is no such operator");
    make(*this, fused);
    for (ValueId id : fused.reads)
      if (--readers[id] == 0)
        buffers.erase(id);
  }
  ValueId last = graph.outputs.front();
  set(last, code.reordered(read(last), plain(last)));
}

memory::desc rowMajor(const memory::dims &dims) {
  if (dims.empty())
    return memory::desc({1}, memory::data_type::f32, memory::format_tag::a);
  memory::dims strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i-- > 0;)
    strides[i] = strides[i + 1] * dims[i + 1];
  return memory::desc(dims, memory::data_type::f32, strides);
}

memory::desc OneDnnBuilder::plain(ValueId id) const { return rowMajor(shape(id)); }

Buffer OneDnnBuilder::read(ValueId id) {
  return isWeight(id) ? weight(id, plain(id), plain(id)) : buffers.at(id);
}

Buffer OneDnnBuilder::readStrided(ValueId id) {
  Buffer buffer = read(id);
  const dnnl_memory_desc_t &layout = buffer.layout.data;
  bool isBlocked = layout.format_kind != dnnl_blocked || layout.format_desc.blocking.inner_nblks;
  return isBlocked ? code.reordered(buffer, plain(id)) : buffer;
}

Buffer OneDnnBuilder::weight(ValueId id, const memory::desc &plain, const memory::desc &wanted) {
  return code.constant(plain, graph.values[id].data->data(), wanted);
}

bool OneDnnBuilder::isOverwritable(ValueId id) const {
  if (isWeight(id) || readers[id] != 1 || !code.owns(buffers.at(id)))
    return false;
  return std::count_if(buffers.begin(), buffers.end(), [&](const auto &other) {
           return other.second.bytes == buffers.at(id).bytes;
         }) == 1;
}

Buffer OneDnnBuilder::inPlace(ValueId id, const Buffer &buffer) {
  return isOverwritable(id) && buffer.bytes == buffers.at(id).bytes ? buffer
                                                                    : code.allocate(buffer.layout);
}

const Residual *OneDnnBuilder::residualOf(const FusedNode &fused) {
  for (const auto &each : fused.after)
    if (const auto *residual = std::get_if<Residual>(&each))
      return residual;
  return nullptr;
}

memory::desc OneDnnBuilder::layoutOf(const Residual &residual) {
  Buffer buffer = read(residual.value);
  if (buffer.layout.data.offset0 != 0) {
    memory::desc whole = buffer.layout;
    whole.data.offset0 = 0;
    set(residual.value, code.copied(buffer, whole));
  }
  return read(residual.value).layout;
}

dnnl::primitive_attr OneDnnBuilder::attributesOf(const FusedNode &fused) const {
  dnnl::post_ops operations;
  for (const auto &each : fused.after)
    if (const auto *activation = std::get_if<Activation>(&each))
      operations.append_eltwise(1, activation->algorithm, activation->alpha, activation->beta);
    else
      operations.append_sum();
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(operations);
  if (fused.factor != 1)
    attributes.set_output_scales(0, {fused.factor});
  return attributes;
}

Buffer OneDnnBuilder::destination(const FusedNode &fused, const memory::desc &layout) {
  const Residual *residual = residualOf(fused);
  if (!residual)
    return code.allocate(layout);
  if (isOverwritable(residual->value))
    return buffers.at(residual->value);
  return code.copied(buffers.at(residual->value), buffers.at(residual->value).layout);
}

bool OneDnnBuilder::isForProducts(ValueId id) const {
  size_t products = 0;
  for (const kgen::Node &node : graph.nodes)
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] == id && node.op->name == "MatMul" && i == 0 && isWeight(node.inputs[1]))
        ++products;
  return products == readers[id];
}

void OneDnnBuilder::refuse(const kgen::Node &node, const std::string &why) const {
  throw std::runtime_error("oneDNN's network: " + node.op->name + " '" + node.name + "': " + why);
}

} // namespace bench
