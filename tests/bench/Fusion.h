// One primitive of oneDNN for a part of a graph: a convolution or product with what follows it.
#pragma once

#include "graph/Graph.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <optional>
#include <variant>
#include <vector>

namespace bench {

/// An elementwise function as oneDNN has it.
struct Activation {
  dnnl::algorithm algorithm;
  float alpha = 0, beta = 0;
};
/// Of a node's first input, or nothing: it is no such function.
std::optional<Activation> activationOf(const kgen::Graph &graph, const kgen::Node &node);

/// A value that is added to the sums, of their type.
struct Residual {
  kgen::ValueId value;
};

/// One node, or a convolution or product times `factor`, plus a bias, then through activations and
/// a sum; a product's result may be transposed in the end.
struct FusedNode {
  const kgen::Node *node;
  kgen::ValueId bias = kgen::noValue; ///< [columns]: a weight
  float factor = 1;
  std::vector<std::variant<Activation, Residual>> after;
  const kgen::Node *transpose = nullptr;
  kgen::ValueId result;             ///< of the last node
  std::vector<kgen::ValueId> reads; ///< all values, once for each time
};

/// All of the graph, in an order in which it can run. Without `transposes` those are nodes of their
/// own.
std::vector<FusedNode> fuse(const kgen::Graph &graph, bool transposes);

} // namespace bench
