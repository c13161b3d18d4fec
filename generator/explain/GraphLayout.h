// Places boxes in layers from top to bottom so that edges are short and cross seldom.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace kgen {

struct LayoutBox {
  double width = 0, height = 0;
  double x = 0, y = 0; ///< upper left corner, set by the layout
};

struct LayoutEdge {
  size_t from = 0, to = 0; ///< boxes; `from` is above `to` if the graph has no cycle
  /// Pairs of points, one pair for each gap between layers: out of one layer, into the next.
  std::vector<std::pair<double, double>> points;
};

struct LayoutResult {
  double width = 0, height = 0;
};

/// The boxes' order is the order of the graph: an edge to an earlier box is drawn upwards. The same
/// input gives the same picture.
LayoutResult layOut(std::vector<LayoutBox> &boxes, std::vector<LayoutEdge> &edges);

} // namespace kgen
