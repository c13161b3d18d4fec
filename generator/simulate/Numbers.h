// Elements in memory and in registers.
#pragma once

#include <cstdint>
#include <string>

namespace kgen {

/// Storage types of elements; i1 takes a byte of 0 or 1. Signs are the operations' affair.
enum class Number : uint8_t { i1, i8, i16, i32, i64, f16, bf16, f32, f64 };

int64_t bytesOf(Number number);
bool isFloatNumber(Number number);
const char *nameOf(Number number); ///< "i8"

/// A register. Floats of all types are doubles that the type can hold; integers are extended with
/// their sign, but i1 is 0 or 1.
union Lane {
  int64_t i;
  double f;
};

/// The values of lanes as the type can hold them: integers wrap, floats round to nearest, ties to
/// even.
void roundLanes(Number number, Lane *lanes, int count);

/// Elements of `data` from index `first` on, `stride` apart.
void loadLanes(Number number, const char *data, int64_t first, int64_t stride, int count,
               Lane *lanes);
/// Stores lanes to such elements; lanes hold what the type can hold.
void storeLanes(Number number, char *data, int64_t first, int64_t stride, int count,
                const Lane *lanes);

/// An integer without its sign.
uint64_t unsignedOf(Number number, Lane lane);

} // namespace kgen
