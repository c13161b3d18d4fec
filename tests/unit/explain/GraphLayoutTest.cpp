// Drawings that can be read: boxes do not overlap, edges go downwards and attached to their boxes.
#include "explain/GraphLayout.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace kgen;

namespace {

struct Drawing {
  std::vector<LayoutBox> boxes;
  std::vector<LayoutEdge> edges;
  LayoutResult size;
};

/// Each box reads some of those before it.
Drawing randomDrawing(unsigned seed, size_t count) {
  std::mt19937 random(seed);
  Drawing drawing;
  for (size_t box = 0; box < count; ++box) {
    drawing.boxes.push_back({40.0 + random() % 120, 20.0 + random() % 60, 0, 0});
    for (size_t input = 0; box > 0 && input < random() % 3; ++input)
      drawing.edges.push_back({random() % box, box, {}});
  }
  drawing.size = layOut(drawing.boxes, drawing.edges);
  return drawing;
}

TEST_CASE("boxes are apart and inside the drawing") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Drawing d = randomDrawing(seed, 1 + seed * 2);
    for (size_t i = 0; i < d.boxes.size(); ++i) {
      const LayoutBox &a = d.boxes[i];
      CHECK((a.x >= -0.01 && a.y >= -0.01));
      CHECK((a.x + a.width <= d.size.width + 0.01 && a.y + a.height <= d.size.height + 0.01));
      for (size_t j = 0; j < i; ++j) {
        const LayoutBox &b = d.boxes[j];
        bool overlap = a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
                       b.y < a.y + a.height;
        CHECK_FALSE(overlap);
      }
    }
  }
}

TEST_CASE("edges lead down from box to box") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Drawing d = randomDrawing(seed, 1 + seed * 2);
    for (const LayoutEdge &edge : d.edges) {
      REQUIRE(edge.points.size() >= 2);
      for (size_t i = 0; i + 1 < edge.points.size(); ++i)
        CHECK(edge.points[i].second <= edge.points[i + 1].second);
      const LayoutBox &from = d.boxes[edge.from], &to = d.boxes[edge.to];
      CHECK(edge.points.front().second == Approx(from.y + from.height));
      CHECK(edge.points.back().second == Approx(to.y));
      CHECK(edge.points.front().first == Approx(from.x + from.width / 2));
      CHECK(edge.points.back().first == Approx(to.x + to.width / 2));
    }
  }
}

TEST_CASE("a chain is straight") {
  std::vector<LayoutBox> boxes{{50, 20, 0, 0}, {90, 20, 0, 0}, {70, 20, 0, 0}};
  std::vector<LayoutEdge> edges{{0, 1, {}}, {1, 2, {}}};
  LayoutResult size = layOut(boxes, edges);
  CHECK(size.width == Approx(90));
  for (const LayoutBox &box : boxes)
    CHECK(box.x + box.width / 2 == Approx(45));
}

/// A chain of blocks of four boxes: each block has a box from the side, two branches, and a line
/// past it.
TEST_CASE("a deep chain stays on its column, whatever joins it") {
  std::vector<LayoutBox> boxes{{90, 20, 0, 0}};
  std::vector<LayoutEdge> edges;
  std::vector<size_t> chain{0};
  for (size_t block = 0; block < 60; ++block) {
    const size_t last = chain.back(), side = boxes.size();
    for (double width : {160, 80, 80, 120, 70})
      boxes.push_back({width, 20, 0, 0});
    const size_t left = side + 1, right = side + 2, sum = side + 3, end = side + 4;
    for (auto [from, to] :
         {std::pair(last, left), std::pair(last, right), std::pair(left, sum),
          std::pair(right, sum), std::pair(side, sum), std::pair(sum, end), std::pair(last, end)})
      edges.push_back({from, to, {}});
    chain.insert(chain.end(), {sum, end});
  }
  LayoutResult size = layOut(boxes, edges);
  double low = size.width, high = 0;
  for (size_t box : chain) {
    low = std::min(low, boxes[box].x + boxes[box].width / 2);
    high = std::max(high, boxes[box].x + boxes[box].width / 2);
  }
  CHECK(high - low < 60);
  CHECK(size.width < 800);
}

TEST_CASE("an edge to an earlier box, and nothing at all") {
  std::vector<LayoutBox> boxes{{50, 20, 0, 0}, {50, 20, 0, 0}}, none;
  std::vector<LayoutEdge> edges{{0, 1, {}}, {1, 0, {}}}, noEdges;
  layOut(boxes, edges);
  CHECK(boxes[0].y < boxes[1].y);
  CHECK(layOut(none, noEdges).width == 0);
}

TEST_CASE("the same graph gives the same drawing") {
  Drawing a = randomDrawing(7, 50), b = randomDrawing(7, 50);
  for (size_t i = 0; i < a.boxes.size(); ++i)
    CHECK((a.boxes[i].x == b.boxes[i].x && a.boxes[i].y == b.boxes[i].y));
}

} // namespace
