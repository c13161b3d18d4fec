// Element types and tensor types, as written in a spec: "f32[256, 1024]", "f32[batch, 1024]".
#pragma once

#include "support/TensorShape.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

/// New types come last: their numbers are those of the type enumeration in generated headers.
enum class ElementType {
  f32,
  f16,
  bf16,
  f64,
  i8,
  u8,
  i32,
  i64,
  boolean,
  i16,
  u16,
  u32,
  u64,
  f8e4m3fn, ///< 1 sign, 4 exponent and 3 fraction bits; no infinities
  f8e5m2,   ///< 1 sign, 5 exponent and 2 fraction bits
  i4,       ///< one a byte: -8 to 7
  u4        ///< one a byte: 0 to 15
};

/// All element types in the order of the enumeration.
const std::vector<ElementType> &allElementTypes();

/// The spelling in a spec: "f32", ..., "bool".
std::string_view toString(ElementType type);
std::optional<ElementType> parseElementType(std::string_view text);

/// The C type in a generated header: float, double, uint16_t (f16, bf16, u16), int8_t, uint8_t (u8,
/// bool, f8e4m3fn, f8e5m2, u4), ...
std::string_view cTypeName(ElementType type);
size_t byteWidth(ElementType type);
unsigned bitWidth(ElementType type); ///< of the numbers: 4 of i4 and u4
bool isFloat(ElementType type);
bool isUnsigned(ElementType type); ///< u4 to u64, and bool, which is 0 or 1
bool isFloat8(ElementType type);
/// True if nothing is computed in the type: f8e4m3fn, f8e5m2, i4 and u4 are stored, moved and
/// converted only.
bool isStoredOnly(ElementType type);

struct TensorType {
  ElementType element = ElementType::f32;
  TensorShape shape; ///< empty: a scalar

  /// Of a static shape: 1 for a scalar, 0 if any dimension is 0; saturates at the maximum of
  /// int64_t.
  int64_t elementCount() const;
  int64_t byteCount() const; ///< of a static shape
  bool isStatic() const { return shape.isStatic(); }
  std::string str() const; ///< "f32[256, 1024]", "f32[batch, 1024]", "f32[]"
  /// "f32[batch=256, 1024]" for the names {"batch", ""}; all may be missing.
  std::string str(const std::vector<std::string> &dimNames) const;
  bool operator==(const TensorType &o) const { return element == o.element && shape == o.shape; }
  bool operator!=(const TensorType &o) const { return !(*this == o); }
};

} // namespace kgen
