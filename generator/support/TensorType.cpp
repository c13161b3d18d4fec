// Names and sizes of element types; one table, everything else looks things up in it.
#include "support/TensorLimits.h"

#include <algorithm>
#include <limits>

namespace kgen {
namespace {
struct Row {
  ElementType type;
  std::string_view name, cName;
  size_t bytes;
  enum Kind { real, signedInteger, unsignedInteger } kind;
};
constexpr Row table[] = {
    {ElementType::f32, "f32", "float", 4, Row::real},
    {ElementType::f16, "f16", "uint16_t", 2, Row::real},
    {ElementType::bf16, "bf16", "uint16_t", 2, Row::real},
    {ElementType::f64, "f64", "double", 8, Row::real},
    {ElementType::i8, "i8", "int8_t", 1, Row::signedInteger},
    {ElementType::u8, "u8", "uint8_t", 1, Row::unsignedInteger},
    {ElementType::i32, "i32", "int32_t", 4, Row::signedInteger},
    {ElementType::i64, "i64", "int64_t", 8, Row::signedInteger},
    {ElementType::boolean, "bool", "uint8_t", 1, Row::unsignedInteger},
    {ElementType::i16, "i16", "int16_t", 2, Row::signedInteger},
    {ElementType::u16, "u16", "uint16_t", 2, Row::unsignedInteger},
    {ElementType::u32, "u32", "uint32_t", 4, Row::unsignedInteger},
    {ElementType::u64, "u64", "uint64_t", 8, Row::unsignedInteger},
    {ElementType::f8e4m3fn, "f8e4m3fn", "uint8_t", 1, Row::real},
    {ElementType::f8e5m2, "f8e5m2", "uint8_t", 1, Row::real},
    {ElementType::i4, "i4", "int8_t", 1, Row::signedInteger},
    {ElementType::u4, "u4", "uint8_t", 1, Row::unsignedInteger},
};
const Row &row(ElementType type) { return table[static_cast<size_t>(type)]; }
} // namespace

const std::vector<ElementType> &allElementTypes() {
  static const std::vector<ElementType> types = [] {
    std::vector<ElementType> result;
    for (const Row &r : table)
      result.push_back(r.type);
    return result;
  }();
  return types;
}

std::string_view toString(ElementType type) { return row(type).name; }
std::string_view cTypeName(ElementType type) { return row(type).cName; }
size_t byteWidth(ElementType type) { return row(type).bytes; }
bool isFloat(ElementType type) { return row(type).kind == Row::real; }
bool isUnsigned(ElementType type) { return row(type).kind == Row::unsignedInteger; }
bool isFloat8(ElementType type) {
  return type == ElementType::f8e4m3fn || type == ElementType::f8e5m2;
}
static bool isNibble(ElementType type) {
  return type == ElementType::i4 || type == ElementType::u4;
}
bool isStoredOnly(ElementType type) { return isFloat8(type) || isNibble(type); }
unsigned bitWidth(ElementType type) {
  return isNibble(type) ? 4 : 8 * static_cast<unsigned>(byteWidth(type));
}

std::optional<ElementType> parseElementType(std::string_view text) {
  for (const Row &r : table)
    if (r.name == text)
      return r.type;
  return std::nullopt;
}

/// Types are checked for size only after they were inferred, so products must not overflow before.
static int64_t saturatingProduct(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

int64_t TensorType::elementCount() const {
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (dim == 0)
      return 0;
    count = saturatingProduct(count, dim);
  }
  return count;
}

int64_t TensorType::byteCount() const {
  return saturatingProduct(elementCount(), static_cast<int64_t>(byteWidth(element)));
}

std::string TensorType::str() const { return str({}); }

std::string TensorType::str(const std::vector<std::string> &dimNames) const {
  std::string text(toString(element));
  text += '[';
  for (size_t i = 0; i < shape.size(); ++i) {
    bool hasName = i < dimNames.size() && !dimNames[i].empty() && !shape.isSymbolic(i);
    text += (i ? ", " : "") + (hasName ? dimNames[i] + "=" : "") + shape.dim(i).str();
  }
  return text + "]";
}

std::optional<int64_t> boundedByteCount(const TensorType &type, int64_t limit) {
  int64_t bytes = static_cast<int64_t>(byteWidth(type.element));
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const DimBounds size = type.shape.dim(i).bounds();
    if (size.min < 0 || size.max > limit / bytes)
      return std::nullopt;
    bytes *= size.max ? size.max : 1;
  }
  return type.shape.isEmptyTensor() ? 0 : bytes;
}

} // namespace kgen
