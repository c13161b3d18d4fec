// A graph that becomes a network of oneDNN's primitives: what its files have in common.
#pragma once

#include "Fusion.h"
#include "OneDnnCode.h"

#include "graph/Operator.h"

#include <map>

namespace bench {

constexpr auto inference = dnnl::prop_kind::forward_inference;

/// Choices of which the fastest is taken.
struct OneDnnForm {
  std::string name;
  /// Of images between primitives: `any` is what oneDNN prefers.
  dnnl::memory::format_tag images = dnnl::memory::format_tag::any;
  bool gaps = false; ///< between rows that only products read, see OneDnn.cpp
  bool views = true; ///< transposed tensors are read and written where they are
};

/// f32, one row after the other.
dnnl::memory::desc rowMajor(const dnnl::memory::dims &dims);

class OneDnnBuilder {
public:
  OneDnnBuilder(const kgen::Graph &graph, const OneDnnForm &form, OneDnnCode &code,
                const std::vector<Tensor> &inputs);
  /// Throws std::runtime_error on nodes that oneDNN or this program has nothing for.
  void build();
  /// Of the graph's only result, row-major.
  const Buffer &result() const { return buffers.at(graph.outputs.front()); }

  const kgen::Graph &graph;
  const OneDnnForm &form;
  OneDnnCode &code;

  // For the functions that make the primitives of one node:
  const kgen::TensorType &type(kgen::ValueId id) const { return graph.values[id].type; }
  const std::vector<int64_t> &shape(kgen::ValueId id) const { return type(id).shape; }
  bool isWeight(kgen::ValueId id) const { return graph.values[id].kind == kgen::ValueKind::weight; }
  kgen::InferenceContext context(const kgen::Node &node) {
    return kgen::InferenceContext(graph, node, diagnostics);
  }
  /// Row-major.
  dnnl::memory::desc plain(kgen::ValueId id) const;
  /// A value's buffer, in its layout; weights are row-major.
  Buffer read(kgen::ValueId id);
  /// A value's buffer in a layout of strides, without blocks.
  Buffer readStrided(kgen::ValueId id);
  /// A weight whose layout is `plain`, in the layout `wanted`.
  Buffer weight(kgen::ValueId id, const dnnl::memory::desc &plain,
                const dnnl::memory::desc &wanted);
  /// True if what computes this node may write over the value: nobody else reads it from now on.
  bool isOverwritable(kgen::ValueId id) const;
  /// Memory for a result with the layout of `buffer`, where `id` was read: its own, if it may be
  /// written over.
  Buffer inPlace(kgen::ValueId id, const Buffer &buffer);
  void set(kgen::ValueId id, Buffer buffer) { buffers.insert_or_assign(id, std::move(buffer)); }

  /// The value that is added, or null.
  static const Residual *residualOf(const FusedNode &fused);
  /// The layout of that value, which no longer is a part of another one.
  dnnl::memory::desc layoutOf(const Residual &residual);
  dnnl::primitive_attr attributesOf(const FusedNode &fused) const;
  /// Returns where the sums go: on what is added to them, or into memory of that layout.
  Buffer destination(const FusedNode &fused, const dnnl::memory::desc &layout);
  /// True if only products by weights read it.
  bool isForProducts(kgen::ValueId id) const;
  [[noreturn]] void refuse(const kgen::Node &node, const std::string &why) const;

private:
  std::map<kgen::ValueId, Buffer> buffers; ///< of what is still needed
  std::vector<size_t> readers;             ///< of each value: how many are to come
  kgen::Diagnostics diagnostics;
};

/// Makes the primitives of a node and sets its result.
using OneDnnMaker = void (*)(OneDnnBuilder &builder, const FusedNode &fused);
using OneDnnMakers = std::map<std::string, OneDnnMaker>;
/// By operator.
const OneDnnMakers &oneDnnWindows();
const OneDnnMakers &oneDnnProducts();
const OneDnnMakers &oneDnnLayers();
const OneDnnMakers &oneDnnRecurrent();

} // namespace bench
