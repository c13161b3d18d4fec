// Elements in memory and in registers.
#include "simulate/Memory.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace kgen;

namespace {

double rounded(Number number, double value) {
  Lane lane;
  lane.f = value;
  roundLanes(number, &lane, 1);
  return lane.f;
}
int64_t wrapped(Number number, int64_t value) {
  Lane lane;
  lane.i = value;
  roundLanes(number, &lane, 1);
  return lane.i;
}

} // namespace

TEST_CASE("integers wrap") {
  CHECK(wrapped(Number::i8, 127) == 127);
  CHECK(wrapped(Number::i8, 128) == -128);
  CHECK(wrapped(Number::i8, -129) == 127);
  CHECK(wrapped(Number::i16, 65535) == -1);
  CHECK(wrapped(Number::i32, int64_t(1) << 31) == INT32_MIN);
  CHECK(wrapped(Number::i64, INT64_MIN) == INT64_MIN);
  CHECK(wrapped(Number::i1, 2) == 0);
  CHECK(wrapped(Number::i1, -1) == 1);
}

TEST_CASE("floats round to nearest, ties to even") {
  CHECK(rounded(Number::f32, 1 + 0x1p-24) == 1);
  CHECK(rounded(Number::f32, 1 + 0x1.8p-23) == 1 + 0x1p-22);
  CHECK(rounded(Number::f16, 1 + 0x1p-11) == 1);
  CHECK(rounded(Number::f16, 1 + 0x1.8p-10) == 1 + 0x1p-9);
  CHECK(rounded(Number::f16, 65519.99) == 65504);
  CHECK(rounded(Number::f16, 65520) == std::numeric_limits<double>::infinity());
  CHECK(rounded(Number::f16, 0x1p-25) == 0);
  CHECK(rounded(Number::f16, 0x1.8p-25) == 0x1p-24);
  CHECK(rounded(Number::bf16, 1 + 0x1p-8) == 1);
  CHECK(rounded(Number::bf16, 3.39e38) == 0x1.fep127);
  CHECK(rounded(Number::bf16, 3.4e38) == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(rounded(Number::bf16, std::nan(""))));
  CHECK(std::signbit(rounded(Number::f16, -0.0)));
  CHECK(rounded(Number::f64, 0.1) == 0.1);
}

TEST_CASE("lanes are stored and loaded with a stride") {
  for (Number number : {Number::i1, Number::i8, Number::i16, Number::i32, Number::i64, Number::f16,
                        Number::bf16, Number::f32, Number::f64}) {
    std::vector<char> data(40 * bytesOf(number), 0);
    Lane lanes[4], back[4];
    for (int i = 0; i < 4; ++i)
      if (isFloatNumber(number))
        lanes[i].f = i % 2 ? -i : i;
      else
        lanes[i].i = number == Number::i1 ? i % 2 : -i;
    storeLanes(number, data.data(), 3, 5, 4, lanes);
    loadLanes(number, data.data(), 3, 5, 4, back);
    for (int i = 0; i < 4; ++i)
      CHECK(back[i].i == lanes[i].i);
    loadLanes(number, data.data(), 4, 5, 1, back);
    CHECK(back[0].i == 0);
  }
}

TEST_CASE("integers without their sign") {
  Lane lane;
  lane.i = -1;
  CHECK(unsignedOf(Number::i8, lane) == 255);
  CHECK(unsignedOf(Number::i32, lane) == 0xffffffff);
  CHECK(unsignedOf(Number::i64, lane) == ~uint64_t(0));
  lane.i = 1;
  CHECK(unsignedOf(Number::i1, lane) == 1);
}

TEST_CASE("views are walked in rows as long as possible") {
  MachineBuffer buffer;
  buffer.elements = 1000;
  BufferView view = wholeView(&buffer, {4, 1, 6, 8});
  CHECK(view.elements() == 192);
  CHECK(mergedView(view).sizes == llvm::SmallVector<int64_t, 6>{192});
  view.sizes[2] = 5; // rows of 40, 48 apart
  CHECK(mergedView(view).sizes == llvm::SmallVector<int64_t, 6>{4, 40});
  std::vector<std::array<int64_t, 3>> rows;
  forEachRow(view, [&](int64_t first, int64_t count, int64_t stride) {
    rows.push_back({first, count, stride});
  });
  CHECK(rows ==
        std::vector<std::array<int64_t, 3>>{{0, 40, 1}, {48, 40, 1}, {96, 40, 1}, {144, 40, 1}});
  view.sizes[0] = 0;
  forEachRow(view, [&](int64_t, int64_t, int64_t) { FAIL("there is no row"); });
  int scalars = 0;
  forEachRow(wholeView(&buffer, {}), [&](int64_t, int64_t count, int64_t) { scalars += count; });
  CHECK(scalars == 1);
}
