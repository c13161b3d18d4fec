// The method of Sugiyama, Tagawa and Toda: layers by longest path, long edges as chains of points,
// order by barycentres, positions by isotonic regression. A box follows the neighbours on the
// longest paths through it: what joins a chain from the side stands beside it and does not bend it.
#include "explain/GraphLayout.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace kgen {
namespace {

constexpr double boxGap = 28, pointGap = 16, layerGap = 46;
constexpr double besides = 1e-6; ///< the weight of boxes that no other one follows
constexpr int orderingSweeps = 24, placingSweeps = 24;

/// A box, or a point where a long edge crosses a layer.
struct Vertex {
  double width = 0, height = 0;
  size_t layer = 0;
  double center = 0;
  double weight = 1;                ///< how much it resists being moved
  std::vector<size_t> above, below; ///< neighbours in the layers next to it
  size_t depth = 0, rest = 0;       ///< edges of the longest paths from a source and to a sink
  std::vector<size_t> leadersAbove, leadersBelow; ///< the neighbours that it follows
};

class Layout {
public:
  Layout(std::vector<LayoutBox> &boxes, std::vector<LayoutEdge> &edges)
      : boxes(boxes), edges(edges) {}
  LayoutResult run();

private:
  void assignLayers();
  void makeChains();
  void chooseLeaders();
  void order();
  void positionLayers();
  LayoutResult finish();

  double separation(size_t left, size_t right) const {
    bool bothBoxes = left < boxes.size() && right < boxes.size();
    return (vertices[left].width + vertices[right].width) / 2 + (bothBoxes ? boxGap : pointGap);
  }
  void positionLayer(const std::vector<size_t> &layer, bool fromAbove, bool fromBelow);

  std::vector<LayoutBox> &boxes;
  std::vector<LayoutEdge> &edges;
  std::vector<Vertex> vertices;            ///< the boxes first
  std::vector<std::vector<size_t>> chains; ///< of each edge, its ends included
  std::vector<std::vector<size_t>> layers;
};

/// Longest path from the top; what nothing leads to goes just above its first consumer.
void Layout::assignLayers() {
  vertices.resize(boxes.size());
  for (size_t box = 0; box < boxes.size(); ++box) {
    vertices[box].width = boxes[box].width;
    vertices[box].height = boxes[box].height;
  }
  auto upper = [](const LayoutEdge &edge) { return std::min(edge.from, edge.to); };
  auto lower = [](const LayoutEdge &edge) { return std::max(edge.from, edge.to); };
  std::vector<size_t> byLower(edges.size());
  std::iota(byLower.begin(), byLower.end(), 0);
  std::stable_sort(byLower.begin(), byLower.end(),
                   [&](size_t a, size_t b) { return lower(edges[a]) < lower(edges[b]); });
  std::vector<bool> isSource(boxes.size(), true);
  for (size_t edge : byLower) {
    Vertex &below = vertices[lower(edges[edge])];
    below.layer = std::max(below.layer, vertices[upper(edges[edge])].layer + 1);
    below.depth = below.layer;
    isSource[lower(edges[edge])] = false;
  }
  std::stable_sort(byLower.begin(), byLower.end(),
                   [&](size_t a, size_t b) { return upper(edges[a]) > upper(edges[b]); });
  for (size_t edge : byLower) {
    Vertex &above = vertices[upper(edges[edge])];
    above.rest = std::max(above.rest, vertices[lower(edges[edge])].rest + 1);
  }
  for (size_t box = 0; box < boxes.size(); ++box) {
    if (!isSource[box])
      continue;
    size_t first = SIZE_MAX;
    for (const LayoutEdge &edge : edges)
      if (upper(edge) == box)
        first = std::min(first, vertices[lower(edge)].layer);
    if (first != SIZE_MAX && first > 0)
      vertices[box].layer = first - 1;
  }
}

void Layout::makeChains() {
  for (const LayoutEdge &edge : edges) {
    size_t top = std::min(edge.from, edge.to), bottom = std::max(edge.from, edge.to);
    std::vector<size_t> chain{top};
    for (size_t layer = vertices[top].layer + 1; layer < vertices[bottom].layer; ++layer) {
      chain.push_back(vertices.size());
      Vertex point;
      point.layer = layer;
      point.weight = 0.01; // lines give way to boxes
      point.depth = vertices[top].depth;
      point.rest = vertices[bottom].rest;
      vertices.push_back(point);
    }
    chain.push_back(bottom);
    for (size_t i = 0; i + 1 < chain.size(); ++i) {
      vertices[chain[i]].below.push_back(chain[i + 1]);
      vertices[chain[i + 1]].above.push_back(chain[i]);
    }
    chains.push_back(std::move(chain));
  }
  for (size_t v = 0; v < vertices.size(); ++v) {
    layers.resize(std::max(layers.size(), vertices[v].layer + 1));
    layers[vertices[v].layer].push_back(v);
  }
}

/// Of the neighbours on either side, those on the longest paths.
void Layout::chooseLeaders() {
  auto most = [&](const std::vector<size_t> &others, size_t Vertex::*length) {
    size_t longest = 0;
    for (size_t other : others)
      longest = std::max(longest, vertices[other].*length);
    std::vector<size_t> leaders;
    for (size_t other : others)
      if (vertices[other].*length == longest)
        leaders.push_back(other);
    return leaders;
  };
  std::vector<bool> isFollowed(vertices.size(), false);
  for (Vertex &vertex : vertices) {
    vertex.leadersAbove = most(vertex.above, &Vertex::depth);
    vertex.leadersBelow = most(vertex.below, &Vertex::rest);
    for (const auto *leaders : {&vertex.leadersAbove, &vertex.leadersBelow})
      for (size_t leader : *leaders)
        isFollowed[leader] = true;
  }
  for (size_t box = 0; box < boxes.size(); ++box)
    if (!isFollowed[box])
      vertices[box].weight = besides;
}

void Layout::order() {
  std::vector<double> rank(vertices.size());
  auto number = [&](const std::vector<size_t> &layer) {
    for (size_t i = 0; i < layer.size(); ++i)
      rank[layer[i]] = i - layer.size() / 2.0;
  };
  for (const auto &layer : layers)
    number(layer);
  auto sort = [&](std::vector<size_t> &layer, bool fromAbove) {
    std::vector<double> wanted(vertices.size());
    for (size_t v : layer) {
      const std::vector<size_t> &others = fromAbove ? vertices[v].above : vertices[v].below;
      double sum = 0;
      for (size_t other : others)
        sum += rank[other];
      wanted[v] = others.empty() ? rank[v] : sum / others.size();
    }
    std::stable_sort(layer.begin(), layer.end(),
                     [&](size_t a, size_t b) { return wanted[a] < wanted[b]; });
    number(layer);
  };
  for (int sweep = 0; sweep < orderingSweeps; ++sweep) {
    for (size_t l = 1; l < layers.size(); ++l)
      sort(layers[l], /*fromAbove=*/true);
    for (size_t l = layers.size(); l-- > 1 && sweep + 1 < orderingSweeps;)
      sort(layers[l - 1], /*fromAbove=*/false);
  }
}

/// Moves each vertex as near to the mean of those it follows as the order and the gaps allow: least
/// squares with pooled blocks.
void Layout::positionLayer(const std::vector<size_t> &layer, bool fromAbove, bool fromBelow) {
  struct Block {
    double sum, weight;
    size_t count;
    double mean() const { return sum / weight; }
  };
  std::vector<double> shift(layer.size(), 0);
  std::vector<Block> blocks;
  for (size_t i = 0; i < layer.size(); ++i) {
    const Vertex &vertex = vertices[layer[i]];
    double sum = 0, total = 0;
    for (const auto *leaders :
         {fromAbove ? &vertex.leadersAbove : nullptr, fromBelow ? &vertex.leadersBelow : nullptr})
      for (size_t k = 0; leaders && k < leaders->size(); ++k) {
        sum += vertices[(*leaders)[k]].center;
        total += 1;
      }
    double wanted = total > 0 ? sum / total : vertex.center;
    if (i > 0)
      shift[i] = shift[i - 1] + separation(layer[i - 1], layer[i]);
    blocks.push_back({(wanted - shift[i]) * vertex.weight, vertex.weight, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().weight += last.weight;
      blocks.back().count += last.count;
    }
  }
  size_t i = 0;
  for (const Block &block : blocks)
    for (size_t k = 0; k < block.count; ++k, ++i)
      vertices[layer[i]].center = block.mean() + shift[i];
}

void Layout::positionLayers() {
  for (const auto &layer : layers)
    positionLayer(layer, false, false);
  for (int sweep = 0; sweep < placingSweeps; ++sweep) {
    for (size_t l = 0; l < layers.size(); ++l)
      positionLayer(layers[l], true, sweep % 2 == 1);
    for (size_t l = layers.size(); l-- > 0;)
      positionLayer(layers[l], sweep % 2 == 1, true);
  }
  for (const auto &layer : layers)
    positionLayer(layer, true, true);
}

LayoutResult Layout::finish() {
  double left = 0, right = 0, y = 0;
  for (size_t v = 0; v < vertices.size(); ++v) {
    left = std::min(v ? left : vertices[v].center, vertices[v].center - vertices[v].width / 2);
    right = std::max(v ? right : vertices[v].center, vertices[v].center + vertices[v].width / 2);
  }
  std::vector<double> top, bottom;
  for (const auto &layer : layers) {
    double height = 0;
    for (size_t v : layer)
      height = std::max(height, vertices[v].height);
    top.push_back(y);
    bottom.push_back(y + height);
    y += height + layerGap;
  }
  for (size_t box = 0; box < boxes.size(); ++box) {
    boxes[box].x = vertices[box].center - boxes[box].width / 2 - left;
    boxes[box].y = top[vertices[box].layer];
  }
  for (size_t e = 0; e < edges.size(); ++e) {
    const std::vector<size_t> &chain = chains[e];
    edges[e].points.clear();
    for (size_t i = 0; i + 1 < chain.size(); ++i) {
      size_t from = chain[i], to = chain[i + 1];
      double start = i == 0 ? boxes[from].y + boxes[from].height : bottom[vertices[from].layer];
      edges[e].points.emplace_back(vertices[from].center - left, start);
      edges[e].points.emplace_back(vertices[to].center - left, top[vertices[to].layer]);
    }
  }
  return {right - left, y - layerGap};
}

LayoutResult Layout::run() {
  if (boxes.empty())
    return {};
  assignLayers();
  makeChains();
  chooseLeaders();
  order();
  positionLayers();
  return finish();
}

} // namespace

LayoutResult layOut(std::vector<LayoutBox> &boxes, std::vector<LayoutEdge> &edges) {
  return Layout(boxes, edges).run();
}

} // namespace kgen
