// Parts of buffers: what views have in common, against sets of elements.
#include "simulate/Regions.h"
#include "simulate/Memory.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>

using namespace kgen;

namespace {

std::set<int64_t> elementsOf(const BufferView &view) {
  std::set<int64_t> elements;
  forEachRow(view, [&](int64_t first, int64_t count, int64_t stride) {
    for (int64_t i = 0; i < count; ++i)
      elements.insert(first + i * stride);
  });
  return elements;
}

int64_t sizeOf(const Regions &regions, llvm::ArrayRef<Regions::Region> list) {
  int64_t count = 0;
  for (Regions::Region region : list)
    count += regions.elements(region);
  return count;
}

} // namespace

TEST_CASE("views that were not looked at yet split regions, known ones do not") {
  MachineBuffer buffer;
  buffer.elements = 24;
  Regions regions;
  BufferView all = wholeView(&buffer, {4, 6}), column = all, row = all;
  column.sizes[1] = 1;
  column.offset = 2;
  row.sizes[0] = 1;
  row.offset = 6;
  CHECK(regions.regionsOf(all).size() == 1);
  CHECK(regions.regionsOf(column).size() == 1);
  CHECK(regions.regionsOf(all).size() == 2);
  CHECK(regions.regionsOf(row).size() == 2); // with an element of the column
  CHECK(regions.regionsOf(column).size() == 2);
  size_t count = regions.count();
  CHECK(regions.regionsOf(all).size() == 4);
  CHECK(sizeOf(regions, regions.regionsOf(all)) == 24);
  CHECK(sizeOf(regions, regions.regionsOf(row)) == 6);
  CHECK(regions.first(regions.regionsOf(row).front()) == 6);
  CHECK(regions.count() == count);
  BufferView empty = all;
  empty.sizes[0] = 0;
  CHECK(regions.regionsOf(empty).empty());
}

TEST_CASE("positions of a view that are one element are one") {
  MachineBuffer buffer;
  buffer.elements = 10;
  Regions regions;
  BufferView windows = wholeView(&buffer, {3, 4});
  windows.strides[0] = 2; // 0 to 3, 2 to 5, 4 to 7
  CHECK(sizeOf(regions, regions.regionsOf(windows)) == 8);
  BufferView repeated = wholeView(&buffer, {5, 2});
  repeated.strides[0] = 0;
  repeated.offset = 7;
  CHECK(sizeOf(regions, regions.regionsOf(repeated)) == 2);
}

TEST_CASE("a larger buffer has elements of which nothing is known") {
  MachineBuffer small, large;
  small.elements = 4;
  large.elements = 9;
  Regions regions;
  std::vector<int> states;
  CHECK(regions.regionsOf(wholeView(&small, 4)).size() == 1);
  followRegions(states, regions);
  states[0] = 7;
  BufferView end = wholeView(&large, 6);
  end.offset = 3;
  llvm::ArrayRef<Regions::Region> list = regions.regionsOf(end);
  followRegions(states, regions);
  REQUIRE(list.size() == 2);
  CHECK(states[list[0]] == 7);
  CHECK(states[list[1]] == 0);
  CHECK(sizeOf(regions, regions.regionsOf(wholeView(&small, 4))) == 4);
}

TEST_CASE("random views: what is noted for their regions is what is noted for their elements") {
  std::mt19937 random(11);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    int64_t sizes[3] = {1 + below(5), 1 + below(7), 1 + below(6)};
    MachineBuffer buffer;
    buffer.elements = sizes[0] * sizes[1] * sizes[2];
    Regions regions;
    std::vector<int> states, expected(buffer.elements, 0);
    for (int access = 1; access <= 40; ++access) {
      BufferView view = wholeView(&buffer, sizes);
      for (int d = 0; d < 3; ++d) {
        int64_t first = below(sizes[d]), by = 1 + below(2);
        view.offset += first * view.strides[d];
        view.sizes[d] = 1 + below((sizes[d] - first + by - 1) / by);
        view.strides[d] *= by;
      }
      llvm::ArrayRef<Regions::Region> list = regions.regionsOf(view);
      followRegions(states, regions);
      std::set<int64_t> elements = elementsOf(view);
      REQUIRE(sizeOf(regions, list) == static_cast<int64_t>(elements.size()));
      std::multiset<int> found, wanted;
      for (Regions::Region region : list) {
        REQUIRE(elements.count(regions.first(region)) == 1);
        REQUIRE(states[region] == expected[regions.first(region)]);
        found.insert(states[region]);
        for (int64_t i = 1; i < regions.elements(region); ++i)
          found.insert(states[region]);
        states[region] = access;
      }
      for (int64_t element : elements) {
        wanted.insert(expected[element]);
        expected[element] = access;
      }
      REQUIRE(found == wanted);
    }
  }
}
