// Numbers to bytes, independent of the build machine's byte order.
#include "spec/WeightFiles.h"

#include "support/Float8.h"
#include "support/HalfBits.h"

#include <array>
#include <cstring>

namespace kgen {

void appendInteger(std::vector<char> &bytes, ElementType type, int64_t value) {
  uint64_t bits = static_cast<uint64_t>(value);
  const size_t width = byteWidth(type);
  std::array<char, 8> little{};
  for (size_t i = 0; i < width; ++i)
    little[i] = static_cast<char>(bits >> (8 * i));
  bytes.insert(bytes.end(), little.data(), little.data() + width); // networks have 10^8 of them
}

template <typename Integer, typename Float> static int64_t bitsOf(Float value) {
  Integer bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<int64_t>(bits);
}

void appendFloat(std::vector<char> &bytes, ElementType type, double value) {
  if (type == ElementType::f64)
    appendInteger(bytes, type, bitsOf<uint64_t>(value));
  else if (type == ElementType::f32)
    appendInteger(bytes, type, bitsOf<uint32_t>(static_cast<float>(value)));
  else if (isFloat8(type))
    appendInteger(bytes, type, float8OfDouble(type, value, /*keepsInfinity=*/true));
  else
    appendInteger(bytes, type,
                  halfOfDouble(type == ElementType::f16 ? f16Format : bf16Format, value));
}

std::vector<char> unpackedNibbles(llvm::StringRef bytes, const TensorType &type) {
  std::vector<char> elements;
  for (int64_t i = 0, count = type.elementCount(); i < count; ++i) {
    int bits = static_cast<unsigned char>(bytes[static_cast<size_t>(i) / 2]) >> (i % 2 * 4) & 15;
    elements.push_back(static_cast<char>(isUnsigned(type.element) ? bits : (bits ^ 8) - 8));
  }
  return elements;
}

std::vector<char> packedNibbles(llvm::ArrayRef<char> elements) {
  std::vector<char> bytes((elements.size() + 1) / 2);
  for (size_t i = 0; i < elements.size(); ++i)
    bytes[i / 2] |= static_cast<char>((elements[i] & 15) << (i % 2 * 4));
  return bytes;
}

} // namespace kgen
