// A weight's `value:`: one number for all elements, a list nested like the shape, or a flat list in
// row-major order.
#include "spec/SpecParts.h"

#include <llvm/ADT/STLExtras.h>

#include <cmath>
#include <limits>

namespace kgen {
namespace {

class ValueReader {
public:
  ValueReader(const SpecReader &reader, const Dims &dims, const TensorType &type)
      : reader(reader), dims(dims), type(type) {}

  std::optional<WeightFromValue> read(const YamlNode &node) {
    result.where = reader.at(node.mark);
    if (node.kind != YamlNode::Kind::sequence) {
      readNumber(node);
    } else if (isFlat(node)) {
      for (const YamlNode &item : node.items)
        readNumber(item);
    } else {
      readLevel(node, 0);
    }
    if (failed)
      return std::nullopt;
    if (llvm::all_of(result.sizes, [](const Dim &size) { return size.isNumber(); }))
      result.sizes.clear();
    return std::move(result);
  }

private:
  /// All elements in one list although the shape has more dimensions.
  bool isFlat(const YamlNode &node) const {
    for (const YamlNode &item : node.items)
      if (item.kind != YamlNode::Kind::scalar)
        return false;
    return type.shape.size() > 1 && !node.items.empty() &&
           static_cast<int64_t>(node.items.size()) == type.elementCount();
  }

  void fail(const YamlNode &node, const std::string &message) {
    failed = true;
    if (node.kind != YamlNode::Kind::invalid)
      reader.error(node.mark, message);
  }

  void readLevel(const YamlNode &node, size_t depth) {
    if (depth == type.shape.size())
      return readNumber(node);
    if (node.kind != YamlNode::Kind::sequence)
      return fail(node, "expected a list of " + std::to_string(type.shape[depth]) +
                            " for dimension " + std::to_string(depth) + " of " + type.str() +
                            ", found " + node.describe());
    if (static_cast<int64_t>(node.items.size()) != type.shape[depth])
      return fail(node, "expected " + std::to_string(type.shape[depth]) +
                            " elements in dimension " + std::to_string(depth) + " of " +
                            type.str() + ", found " + std::to_string(node.items.size()));
    for (const YamlNode &item : node.items)
      readLevel(item, depth + 1);
  }

  void readNumber(const YamlNode &node) {
    bool plain = node.kind == YamlNode::Kind::scalar && (!node.quoted || isExpression(node));
    if (plain && (isFloat(type.element) ? readFloat(node) : readInteger(node)))
      return;
    fail(node, "expected " + expectation() + ", found " + node.describe());
  }

  std::string expectation() const {
    if (isFloat(type.element))
      return "a number that fits " + std::string(toString(type.element));
    if (type.element == ElementType::boolean)
      return "true, false, 0 or 1";
    return "an integer from " + std::to_string(smallest()) + " to " + std::to_string(largest());
  }

  /// Refuses finite values that rounding would make infinite. Infinity is written as .inf.
  bool readFloat(const YamlNode &node) {
    std::optional<double> value = parseReal(node.text);
    if (!value || (std::isfinite(*value) && std::abs(*value) >= overflow()))
      return false;
    if (type.element == ElementType::f8e4m3fn && std::isinf(*value))
      return false; // it has none
    result.numbers.push_back(*value);
    return true;
  }

  /// The smallest magnitude that rounds to infinity.
  double overflow() const {
    switch (type.element) {
    case ElementType::f16:
      return 65520.0;
    case ElementType::bf16:
      return std::ldexp(511.0, 119); // (2^8 - 1/2) * 2^120
    case ElementType::f32:
      return std::ldexp(33554431.0, 103); // (2^24 - 1/2) * 2^104
    case ElementType::f8e4m3fn:
      return std::nextafter(464.0, 465.0); // a tie, which becomes 448
    case ElementType::f8e5m2:
      return 61440.0;
    default:
      return std::numeric_limits<double>::infinity();
    }
  }

  unsigned bits() const { return bitWidth(type.element); }

  int64_t smallest() const {
    return isUnsigned(type.element) ? 0 : std::numeric_limits<int64_t>::min() >> (64 - bits());
  }

  uint64_t largest() const {
    if (type.element == ElementType::boolean)
      return 1;
    return std::numeric_limits<uint64_t>::max() >> (64 - bits() + !isUnsigned(type.element));
  }

  /// With dimensions, what is no number is an expression of them.
  bool isExpression(const YamlNode &node) const {
    return !dims.empty() && !isFloat(type.element) && type.element != ElementType::boolean &&
           Dims::isExpression(node.text);
  }

  bool readInteger(const YamlNode &node) {
    std::optional<int64_t> value = parseInteger(node.text);
    if (isExpression(node)) {
      std::optional<Dim> size = dims.evaluate(reader, node, node.text);
      failed |= !size;
      if (!size)
        return true; // was reported
      value = size->number();
      if (!value)
        return readSize(*size);
    }
    if (type.element == ElementType::boolean && node.text == "true")
      value = 1;
    if (type.element == ElementType::boolean && node.text == "false")
      value = 0;
    std::optional<uint64_t> natural = parseUnsigned(node.text);
    if (!value && natural && *natural <= largest()) { // beyond int64_t
      result.integers.push_back(static_cast<int64_t>(*natural));
      result.numbers.push_back(static_cast<double>(*natural));
      return true;
    }
    bool fits =
        value && *value >= smallest() && (*value < 0 || static_cast<uint64_t>(*value) <= largest());
    if (!fits)
      return false;
    result.integers.push_back(*value);
    result.numbers.push_back(static_cast<double>(*value));
    result.sizes.push_back(Dim(*value));
    return true;
  }

  /// An element that is known at run time only, in whose place there is a 0.
  bool readSize(const Dim &size) {
    const DimBounds bounds = size.bounds();
    const bool fits = bounds.min >= smallest() &&
                      (bounds.max < 0 || static_cast<uint64_t>(bounds.max) <= largest());
    result.integers.push_back(0);
    result.numbers.push_back(0);
    result.sizes.push_back(size);
    return fits;
  }

  const SpecReader &reader;
  const Dims &dims;
  const TensorType &type;
  WeightFromValue result;
  bool failed = false;
};
} // namespace

std::optional<WeightFromValue> readWeightValue(const SpecReader &reader, const YamlNode &node,
                                               const Dims &dims, const TensorType &type) {
  return ValueReader(reader, dims, type).read(node);
}

} // namespace kgen
