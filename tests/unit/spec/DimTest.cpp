// Sizes with symbols: arithmetic, bounds, divisors.
#include "support/Dim.h"

#include <catch2/catch.hpp>

#include <random>

using namespace kgen;

namespace {

Dim symbol(std::string name, int64_t min, int64_t max, int64_t multiple = 1) {
  return Dim(std::make_shared<DimSymbol>(DimSymbol{std::move(name), min, max, multiple}));
}

const Dim batch = symbol("batch", 1, 64), length = symbol("length", 16, 2048, 16),
          empty = symbol("empty", 0, 8);

std::string boundsText(const Dim &dim) {
  DimBounds bounds = dim.bounds();
  return std::to_string(bounds.min) + ".." + std::to_string(bounds.max);
}

} // namespace

TEST_CASE("dimensions are sorted polynomials with bounds and divisors") {
  struct Row {
    Dim dim;
    const char *text, *bounds;
    int64_t divisor;
  };
  const std::vector<Row> table = {
      {Dim(), "0", "0..0", 0},
      {Dim(-12), "-12", "-12..-12", 12},
      {batch, "batch", "1..64", 1},
      {symbol("one", 3, 3), "3", "3..3", 3},
      {length * batch + 3, "batch*length + 3", "19..131075", 1},
      {batch * length * 3 - length, "3*batch*length - length", "-2000..393200", 16},
      {batch - batch, "0", "0..0", 0},
      {(batch + 1) * (batch - 1), "batch*batch - 1", "0..4095", 1},
      {(length * 2 + 5).floorDiv(2), "length + 2", "18..2050", 2},
      {(batch + 9).floorDiv(4), "floordiv(batch + 1, 4) + 2", "2..18", 1},
      {(batch + 1).ceilDiv(1), "batch + 1", "2..65", 1},
      {batch.ceilDiv(64), "1", "1..1", 1},
      {(Dim(0) - batch).floorDiv(2), "-batch + floordiv(batch, 2)", "-64..31", 1},
      {batch.modulo(2) + batch.floorDiv(2) * 2, "batch", "1..64", 1},
      {empty * length, "empty*length", "0..16384", 16},
      {Dim(17).floorDiv(4), "4", "4..4", 4},
      {Dim(-17).floorDiv(4), "-5", "-5..-5", 5},
  };
  for (const Row &row : table) {
    INFO(row.text);
    CHECK(row.dim.str() == row.text);
    CHECK(boundsText(row.dim) == row.bounds);
    CHECK(row.dim.divisor() == row.divisor);
  }
}

TEST_CASE("only numbers have a number, and equal dimensions are equal") {
  CHECK(Dim(5).number() == 5);
  CHECK_FALSE(batch.number());
  CHECK((batch - batch + 7).number() == 7);
  CHECK(batch * 2 == batch + batch);
  CHECK(batch != length);
  CHECK(length.floorDiv(2) * 2 + length.modulo(2) == length);
}

TEST_CASE("a product divides what has its factors") {
  CHECK((batch * length * 12).exactDiv(batch * 4) == length * 3);
  CHECK((batch * length + batch * 2).exactDiv(batch) == length + 2);
  CHECK((batch * batch).exactDiv(batch) == batch);
  CHECK(batch.exactDiv(batch) == Dim(1));
  CHECK_FALSE((batch + 1).exactDiv(batch));
  CHECK_FALSE(batch.exactDiv(length));
  CHECK_FALSE((batch * 3).exactDiv(batch * 2));
  CHECK_FALSE(batch.exactDiv(batch + length));
}

TEST_CASE("a quotient is exact where the multiples of its symbols say so") {
  CHECK(length.exactDiv(16)->str() == "floordiv(length, 16)");
  CHECK(boundsText(*length.exactDiv(16)) == "1..128");
  CHECK((length * 3).exactDiv(3) == length);
  CHECK_FALSE(length.exactDiv(32));
  CHECK_FALSE((length + 8).exactDiv(16));
  CHECK((length + 8).exactDiv(8));
  CHECK(Dim(0).exactDiv(7) == Dim(0));
}

TEST_CASE("what divides a multiple is multiplied back to it") {
  Dim width = symbol("width", 16, 256, 16);
  Dim half = width.floorDiv(2);
  CHECK(half.str() == "floordiv(width, 2)");
  CHECK(half * 2 == width);
  CHECK((half * 2).str() == "width");
  CHECK((half * 3).str() == "3*floordiv(width, 2)");
  CHECK((width * half).str() == "floordiv(width, 2)*width");
  CHECK(half.floorDiv(8) * 16 == width);
  CHECK(half.divisor() == 8);
  CHECK(half.valueFor({{"width", 48}}) == 24);
  // Windows of three with a stride of two, and padding at the front and at the end.
  CHECK((width + 2 - 3).floorDiv(2) + 1 == half);
  CHECK(half.floorDiv(16) * 32 != width);
}

TEST_CASE("coefficients and bounds saturate") {
  const int64_t most = INT64_MAX;
  CHECK((Dim(most) + 1).number() == most);
  CHECK((Dim(most) * -2).number() == -most);
  Dim huge = symbol("huge", 1, int64_t(1) << 40);
  CHECK((huge * huge).bounds().max == most);
  CHECK((huge * huge).valueFor({{"huge", int64_t(1) << 40}}) == most);
}

TEST_CASE(
    "values of random dimensions are as those of their parts, and within bounds and divisors") {
  std::mt19937 random(7);
  auto pick = [&](int n) { return static_cast<int64_t>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 500; ++round) {
    std::map<std::string, int64_t> sizes{
        {"batch", 1 + pick(64)}, {"length", 16 * (1 + pick(128))}, {"empty", pick(9)}};
    std::vector<std::pair<Dim, int64_t>> made{{batch, sizes["batch"]},
                                              {length, sizes["length"]},
                                              {empty, sizes["empty"]},
                                              {Dim(pick(41) - 20), 0}};
    made.back().second = *made.back().first.number();
    for (int step = 0; step < 6; ++step) {
      auto [a, x] = made[static_cast<size_t>(pick(static_cast<int>(made.size())))];
      auto [b, y] = made[static_cast<size_t>(pick(static_cast<int>(made.size())))];
      int64_t by = 1 + pick(9), down = x / by - (x % by < 0 ? 1 : 0);
      switch (pick(5)) {
      case 0:
        made.push_back({a + b, x + y});
        break;
      case 1:
        made.push_back({a - b, x - y});
        break;
      case 2:
        made.push_back({a.floorDiv(by), down});
        break;
      case 3:
        made.push_back({a.modulo(by), x - down * by});
        break;
      default:
        if (std::abs(x) < 1'000'000 && std::abs(y) < 1'000'000)
          made.push_back({a * b, x * y});
      }
    }
    for (const auto &[dim, value] : made) {
      INFO(dim.str());
      CHECK(dim.valueFor(sizes) == value);
      CHECK(dim.bounds().min <= value);
      CHECK(value <= dim.bounds().max);
      CHECK((dim.divisor() == 0 ? value == 0 : value % dim.divisor() == 0));
      CHECK(dim == dim + 0);
    }
  }
}
