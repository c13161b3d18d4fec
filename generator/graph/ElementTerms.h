// Elements of integer tensors as terms of the graph's inputs.
#pragma once

#include "graph/Graph.h"
#include "graph/MakeTerms.h"

namespace kgen {

/// Elements that a slice takes along an axis.
struct SliceStep {
  Dim start; ///< not negative
  int64_t step;
};

/// The integer operators that positions are made with: sums, differences, products, extremes,
/// limits, conversions between i32 and i64, movements, Range, and reductions.
class ElementTerms {
public:
  explicit ElementTerms(const Graph &graph);

  /// A counter for each dimension but those of 1, whose loop is added to `loops`.
  Subscripts everyElement(const TensorShape &shape, std::vector<ElementLoop> &loops);
  /// The element at `at`; null if it is not known.
  ElementTermPtr elementAt(ValueId value, const Subscripts &at);
  /// Forwards; nothing for others, and where it is not known.
  std::optional<SliceStep> sliceAlong(const Node &node, size_t axis) const;

private:
  ElementTermPtr weightElement(const GraphValue &value, const Subscripts &at) const;
  ElementTermPtr resultElement(const Node &node, const GraphValue &value, const Subscripts &at);
  ElementTermPtr combined(ElementTerm::Kind kind, const Node &node, const Subscripts &at);
  ElementTermPtr clipped(const Node &node, const Subscripts &at);
  ElementTermPtr moved(const Node &node, const GraphValue &value, const Subscripts &at);
  ElementTermPtr gathered(const Node &node, const Subscripts &at);
  ElementTermPtr sliced(const Node &node, const Subscripts &at);
  ElementTermPtr reduced(ElementTerm::Kind kind, const Node &node, const Subscripts &at);
  ElementTermPtr rangeElement(const Node &node, const Subscripts &at);
  ElementTermPtr broadcastAt(ValueId value, const Subscripts &at);
  /// The only element of an input.
  ElementTermPtr onlyElement(ValueId value);
  std::optional<std::vector<Dim>> sizesOf(ValueId value) const;
  std::optional<std::vector<int64_t>> numbersOf(ValueId value) const;
  std::optional<std::vector<int64_t>> axesOf(const Node &node, size_t input, size_t rank) const;
  const TensorShape &shapeOf(ValueId value) const { return graph.values[value].type.shape; }

  const Graph &graph;
  std::vector<const Node *> producers;
  size_t counters = 0, steps = 0;
};

} // namespace kgen
