// See Numbers.h.
#include "simulate/Numbers.h"

#include "support/HalfBits.h"

#include <type_traits>

namespace kgen {
namespace {

template <HalfFormat const &format> struct Half { uint16_t bits; };

template <typename T> Lane laneOf(T value) {
  Lane lane;
  if constexpr (std::is_floating_point_v<T>)
    lane.f = value;
  else
    lane.i = value;
  return lane;
}
template <HalfFormat const &format> Lane laneOf(Half<format> value) {
  Lane lane;
  lane.f = doubleOfHalf(format, value.bits);
  return lane;
}

template <typename T> struct ElementOf {
  static T from(Lane lane) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(lane.f);
    else
      return static_cast<T>(lane.i);
  }
};
template <> struct ElementOf<bool> {
  static bool from(Lane lane) { return lane.i & 1; }
};
template <HalfFormat const &format> struct ElementOf<Half<format>> {
  static Half<format> from(Lane lane) { return {halfOfDouble(format, lane.f)}; }
};

/// Calls `work` with an element of the type that stores the numbers.
template <typename F> void withElement(Number number, F work) {
  switch (number) {
  case Number::i1:
    return work(bool());
  case Number::i8:
    return work(int8_t());
  case Number::i16:
    return work(int16_t());
  case Number::i32:
    return work(int32_t());
  case Number::i64:
    return work(int64_t());
  case Number::f16:
    return work(Half<f16Format>());
  case Number::bf16:
    return work(Half<bf16Format>());
  case Number::f32:
    return work(float());
  case Number::f64:
    return work(double());
  }
}

} // namespace

int64_t bytesOf(Number number) {
  int64_t bytes = 0;
  withElement(number, [&](auto element) { bytes = sizeof(element); });
  return bytes;
}

bool isFloatNumber(Number number) { return number >= Number::f16; }

const char *nameOf(Number number) {
  static const char *const names[] = {"i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"};
  return names[static_cast<int>(number)];
}

void roundLanes(Number number, Lane *lanes, int count) {
  if (number == Number::i64 || number == Number::f64)
    return;
  withElement(number, [&](auto element) {
    for (int lane = 0; lane < count; ++lane)
      lanes[lane] = laneOf(ElementOf<decltype(element)>::from(lanes[lane]));
  });
}

void loadLanes(Number number, const char *data, int64_t first, int64_t stride, int count,
               Lane *lanes) {
  withElement(number, [&](auto element) {
    auto *elements = reinterpret_cast<const decltype(element) *>(data) + first;
    for (int lane = 0; lane < count; ++lane)
      lanes[lane] = laneOf(elements[lane * stride]);
  });
}

void storeLanes(Number number, char *data, int64_t first, int64_t stride, int count,
                const Lane *lanes) {
  withElement(number, [&](auto element) {
    auto *elements = reinterpret_cast<decltype(element) *>(data) + first;
    for (int lane = 0; lane < count; ++lane)
      elements[lane * stride] = ElementOf<decltype(element)>::from(lanes[lane]);
  });
}

uint64_t unsignedOf(Number number, Lane lane) {
  int bits = number == Number::i1 ? 1 : 8 * static_cast<int>(bytesOf(number));
  uint64_t value = static_cast<uint64_t>(lane.i);
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

} // namespace kgen
