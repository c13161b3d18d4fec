// Conversions of numbers of 16 bits, against LLVM's.
#include "support/HalfBits.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <llvm/ADT/APFloat.h>
#include <random>

namespace kgen {
namespace {

struct Format {
  HalfFormat own;
  const llvm::fltSemantics &semantics;

  double asDouble(uint16_t bits) const {
    return llvm::APFloat(semantics, llvm::APInt(16, bits)).convertToDouble();
  }
  uint16_t asBits(double value) const {
    llvm::APFloat number(value);
    bool loses;
    number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
    return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
  }
};

uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

void checkRounding(const Format &format, double value) {
  if (halfOfDouble(format.own, value) == format.asBits(value))
    return;
  INFO(value);
  CHECK(halfOfDouble(format.own, value) == format.asBits(value));
}

} // namespace

TEST_CASE("numbers of 16 bits become the same doubles and back", "[half]") {
  const Format format = GENERATE(Format{f16Format, llvm::APFloat::IEEEhalf()},
                                 Format{bf16Format, llvm::APFloat::BFloat()});
  double largest = 0;
  for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
    double value = doubleOfHalf(format.own, static_cast<uint16_t>(bits));
    if (bitsOf(value) != bitsOf(format.asDouble(static_cast<uint16_t>(bits))))
      FAIL("of " << bits);
    checkRounding(format, value);
    if (std::isfinite(value))
      largest = std::max(largest, value);
    // The middle between two numbers, and what is beside it.
    double middle = value + (format.asDouble(static_cast<uint16_t>(bits + 1)) - value) / 2;
    for (double near :
         {middle, std::nextafter(middle, -HUGE_VAL), std::nextafter(middle, HUGE_VAL)})
      checkRounding(format, near);
  }
  double end = largest * (1 + std::ldexp(0.5, -format.own.fractionBits - 1));
  for (double value : {end, std::nextafter(end, 0.0), HUGE_VAL, 1e300, 1e-300, 5e-324})
    for (double sign : {1.0, -1.0})
      checkRounding(format, value * sign);
}

TEST_CASE("doubles of all sizes are rounded to 16 bits as elsewhere", "[half]") {
  const Format format = GENERATE(Format{f16Format, llvm::APFloat::IEEEhalf()},
                                 Format{bf16Format, llvm::APFloat::BFloat()});
  std::mt19937_64 random(7);
  for (int i = 0; i < 1 << 18; ++i) {
    uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    checkRounding(format, value);
    checkRounding(format, std::ldexp(1 + double(bits >> 12) * 0x1p-52, int(bits % 80) - 40));
  }
}

} // namespace kgen
