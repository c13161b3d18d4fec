#include "driver/run/TensorBytes.h"

#include "support/Float8.h"
#include "support/HalfBits.h"
#include "support/LargePages.h"

#include <llvm/ADT/StringRef.h>

#include <fmt/format.h>

#include <cstring>

namespace kgen {
namespace {

constexpr int64_t printedElements = 256;

uint64_t nextRandom(uint64_t &state) { // SplitMix64
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

template <typename T> void store(unsigned char *destination, T value) {
  std::memcpy(destination, &value, sizeof value);
}

template <typename T> T loadAt(const void *tensor, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(tensor) + index * sizeof value, sizeof value);
  return value;
}

/// Prints dimensions from `dim` on; `index` is the next element.
void printNested(const TensorType &type, const void *tensor, size_t dim, int64_t &index,
                 std::string &text) {
  if (dim == type.shape.size()) {
    text += elementText(type, tensor, index++);
    return;
  }
  text += "[";
  for (int64_t i = 0; i < type.shape[dim]; ++i) {
    text += i ? ", " : "";
    if (index >= printedElements) {
      text += "...";
      break;
    }
    printNested(type, tensor, dim + 1, index, text);
  }
  text += "]";
}

} // namespace

Buffer::Buffer(int64_t bytes) : alignment(largePageAlignment(static_cast<size_t>(bytes))) {
  storage.reserve(static_cast<size_t>(bytes) + alignment);
  useLargePages(storage.data(), storage.capacity());
  storage.resize(static_cast<size_t>(bytes) + alignment, 0xA5);
}

unsigned char *Buffer::data() {
  auto address = reinterpret_cast<uintptr_t>(storage.data());
  return storage.data() + (alignment - address % alignment) % alignment;
}

void fillRandom(const TensorType &type, uint64_t &state, double low, double span,
                unsigned char *destination) {
  int64_t width = byteWidth(type.element);
  for (int64_t i = 0; i < type.elementCount(); ++i, destination += width) {
    uint64_t bits = nextRandom(state);
    int64_t integer = static_cast<int64_t>(bits >> 60);
    double real = low + span * static_cast<double>(bits >> 11) * 0x1p-53;
    if (type.element == ElementType::f32)
      store(destination, static_cast<float>(real));
    else if (type.element == ElementType::f64)
      store(destination, real);
    else if (!isFloat(type.element)) {
      if (type.element == ElementType::boolean)
        integer &= 1;
      else if (!isUnsigned(type.element))
        integer -= 8;
      std::memcpy(destination, &integer, width); // little endian
    } else if (isFloat8(type.element))
      store(destination, float8OfDouble(type.element, real));
    else
      store(destination,
            halfOfDouble(type.element == ElementType::f16 ? f16Format : bf16Format, real));
  }
}

/// Bits of a float's fraction.
static int fractionBits(ElementType type) {
  switch (type) {
  case ElementType::f64:
    return 52;
  case ElementType::f32:
    return 23;
  case ElementType::f16:
    return 10;
  case ElementType::f8e4m3fn:
    return 3;
  case ElementType::f8e5m2:
    return 2;
  default:
    return 7;
  }
}

void perturb(const TensorType &type, ElementType precision, uint64_t &state,
             unsigned char *destination) {
  if (!isFloat(type.element) || !isFloat(precision))
    return;
  int bit = std::max(0, fractionBits(type.element) - fractionBits(precision));
  for (int64_t i = 0; i < type.elementCount(); ++i, destination += byteWidth(type.element))
    destination[bit / 8] ^= (nextRandom(state) & 1) << bit % 8;
}

int64_t integerAt(const TensorType &type, const void *tensor, int64_t index) {
  if (isFloat(type.element))
    return static_cast<int64_t>(elementAt(type, tensor, index));
  const int64_t width = byteWidth(type.element), unused = 64 - 8 * width;
  int64_t bits = 0; // little endian
  std::memcpy(&bits, static_cast<const char *>(tensor) + index * width, width);
  if (type.element == ElementType::boolean)
    return bits & 1;
  return isUnsigned(type.element) ? bits : static_cast<int64_t>(uint64_t(bits) << unused) >> unused;
}

double elementAt(const TensorType &type, const void *tensor, int64_t index) {
  switch (type.element) {
  case ElementType::f64:
    return loadAt<double>(tensor, index);
  case ElementType::f32:
    return loadAt<float>(tensor, index);
  case ElementType::f16:
    return doubleOfHalf(f16Format, loadAt<uint16_t>(tensor, index));
  case ElementType::bf16:
    return doubleOfHalf(bf16Format, loadAt<uint16_t>(tensor, index));
  case ElementType::f8e4m3fn:
  case ElementType::f8e5m2:
    return doubleOfFloat8(type.element, loadAt<uint8_t>(tensor, index));
  case ElementType::u64:
    return static_cast<double>(static_cast<uint64_t>(integerAt(type, tensor, index)));
  default:
    return static_cast<double>(integerAt(type, tensor, index));
  }
}

std::string elementText(const TensorType &type, const void *tensor, int64_t index) {
  if (type.element == ElementType::u64)
    return std::to_string(static_cast<uint64_t>(integerAt(type, tensor, index)));
  if (!isFloat(type.element))
    return std::to_string(integerAt(type, tensor, index));
  double value = elementAt(type, tensor, index);
  if (type.element == ElementType::f64)
    return fmt::format("{}", value);
  return fmt::format("{}", static_cast<float>(value));
}

std::string tensorText(const TensorType &type, const void *tensor) {
  std::string text = type.str() + " ";
  int64_t index = 0;
  printNested(type, tensor, 0, index, text);
  return text;
}

TensorType parseTensorType(const std::string &text) {
  auto [element, rest] = llvm::StringRef(text).split('[');
  TensorType type;
  type.element = parseElementType(element.str()).value_or(ElementType::f32);
  while (!rest.trim("], ").empty()) {
    llvm::StringRef dimension;
    std::tie(dimension, rest) = rest.split(',');
    int64_t size = 0;
    dimension.trim("] ").getAsInteger(10, size);
    type.shape.push_back(size);
  }
  return type;
}

} // namespace kgen
