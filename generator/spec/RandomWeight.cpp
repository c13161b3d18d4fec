// Numbers for benchmarks that are the same everywhere and for ever: element i comes from the i-th
// output of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014)
// started at the seed.
//   floats:  k / 2^p - 0.5 with k the upper p bits, p the type's precision (53, 24, 11, 8, 4, 3):
//   uniform in [-0.5, 0.5), exact; i8 to i64: -8 to 7; u8 to u64: 0 to 15; bool: 0 or 1: from the
//   upper bits
#include "spec/WeightFiles.h"

#include "support/LargePages.h"

#include <cmath>
#include <cstring>

namespace kgen {
namespace {

class SplitMix64 {
public:
  explicit SplitMix64(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

private:
  uint64_t state;
};

int precision(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return 11;
  case ElementType::bf16:
    return 8;
  case ElementType::f32:
    return 24;
  case ElementType::f8e4m3fn:
    return 4;
  case ElementType::f8e5m2:
    return 3;
  default:
    return 53;
  }
}

int64_t smallInteger(ElementType type, uint64_t bits) {
  if (type == ElementType::boolean)
    return static_cast<int64_t>(bits >> 63);
  return static_cast<int64_t>(bits >> 60) - (isUnsigned(type) ? 0 : 8);
}
} // namespace

std::vector<char> randomBytes(const TensorType &type, uint64_t seed) {
  std::vector<char> bytes;
  bytes.reserve(static_cast<size_t>(type.byteCount()));
  useLargePages(bytes.data(), bytes.capacity());
  SplitMix64 generator(seed);
  const int p = precision(type.element);
  const double unit = std::ldexp(1.0, -p); // products with it are exact
  if (type.element == ElementType::f32) {  // nearly all large ones
    bytes.resize(static_cast<size_t>(type.byteCount()));
    for (size_t at = 0; at < bytes.size(); at += sizeof(float)) {
      auto value =
          static_cast<float>(static_cast<double>(generator.next() >> (64 - p)) * unit - 0.5);
      std::memcpy(&bytes[at], &value, sizeof value);
    }
    return bytes;
  }
  for (int64_t i = 0, n = type.elementCount(); i < n; ++i) {
    uint64_t bits = generator.next();
    if (isFloat(type.element))
      appendFloat(bytes, type.element, static_cast<double>(bits >> (64 - p)) * unit - 0.5);
    else
      appendInteger(bytes, type.element, smallInteger(type.element, bits));
  }
  return bytes;
}

} // namespace kgen
