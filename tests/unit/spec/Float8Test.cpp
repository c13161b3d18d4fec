// Conversions of floats of 8 bits, against LLVM's, which does not saturate.
#include "support/Float8.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <llvm/ADT/APFloat.h>
#include <random>

namespace kgen {
namespace {

const llvm::fltSemantics &semanticsOf(ElementType type) {
  return type == ElementType::f8e4m3fn ? llvm::APFloat::Float8E4M3FN()
                                       : llvm::APFloat::Float8E5M2();
}

double asDouble(ElementType type, uint8_t bits) {
  return llvm::APFloat(semanticsOf(type), llvm::APInt(8, bits)).convertToDouble();
}

uint8_t asBits(ElementType type, double value) {
  double largest = asDouble(type, float8Format(type).largest);
  if (std::isnan(value))
    return 0x7f;
  llvm::APFloat number(std::abs(value) > largest ? std::copysign(largest, value) : value);
  bool loses;
  number.convert(semanticsOf(type), llvm::APFloat::rmNearestTiesToEven, &loses);
  return static_cast<uint8_t>(number.bitcastToAPInt().getZExtValue());
}

} // namespace

TEST_CASE("numbers of 8 bits become the same doubles and back", "[float8]") {
  const ElementType type = GENERATE(ElementType::f8e4m3fn, ElementType::f8e5m2);
  for (int bits = 0; bits < 256; ++bits) {
    double value = doubleOfFloat8(type, static_cast<uint8_t>(bits)),
           expected = asDouble(type, static_cast<uint8_t>(bits));
    INFO(bits);
    CHECK(std::isnan(value) == std::isnan(expected));
    if (std::isnan(value))
      continue;
    CHECK(value == expected);
    CHECK(std::signbit(value) == std::signbit(expected));
    if (std::isfinite(value))
      CHECK(float8OfDouble(type, value) == bits);
    double next = asDouble(type, static_cast<uint8_t>(bits + 1)),
           middle = value + (next - value) / 2;
    for (double near :
         {middle, std::nextafter(middle, -HUGE_VAL), std::nextafter(middle, HUGE_VAL)})
      CHECK(float8OfDouble(type, near) == asBits(type, near));
  }
}

TEST_CASE("what is beyond the largest number of 8 bits becomes that", "[float8]") {
  const ElementType type = GENERATE(ElementType::f8e4m3fn, ElementType::f8e5m2);
  uint8_t largest = float8Format(type).largest;
  for (double value : {HUGE_VAL, 1e300, 7e4, 61440.0})
    CHECK(float8OfDouble(type, value) == largest);
  CHECK(float8OfDouble(type, -HUGE_VAL) == (0x80 | largest));
  CHECK(float8OfDouble(type, std::nan("")) == 0x7f);
  CHECK(float8OfDouble(type, -0.0) == 0x80);
  CHECK(float8OfDouble(type, 5e-324) == 0);
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    double value =
        std::ldexp(static_cast<double>(random()) - 0x1p63, static_cast<int>(random() % 40) - 85);
    CHECK(float8OfDouble(type, value) == asBits(type, value));
  }
}

} // namespace kgen
