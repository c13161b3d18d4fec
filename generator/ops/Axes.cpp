#include "ops/Axes.h"

#include "ops/TypeRules.h"

namespace kgen {

std::optional<std::vector<int64_t>> requiredIntegers(const InferenceContext &context, size_t i,
                                                     const std::string &what) {
  const TensorType &type = context.input(i);
  auto constant = context.constantIntegers(i);
  bool isList = (type.element == ElementType::i64 || type.element == ElementType::i32) &&
                type.shape.size() <= 1;
  if (isList && constant)
    return constant;
  context.error(context.node.op->name + "'s " + what + " (input " + std::to_string(i + 1) +
                ") must be a weight of type i64[n], so that shapes are known when code is "
                "generated; it is " +
                type.str() + (constant ? "" : " and no weight"));
  return std::nullopt;
}

std::optional<std::vector<bool>> listedAxes(const InferenceContext &context, bool &good) {
  good = false;
  std::vector<int64_t> axes;
  if (context.hasInput(1)) {
    if (context.hasAttribute("axes")) {
      context.error("axes are given twice: as an attribute and as input 2");
      return std::nullopt;
    }
    auto listed = requiredIntegers(context, 1, "axes");
    if (!listed)
      return std::nullopt;
    axes = *listed;
  } else if (context.hasAttribute("axes")) {
    axes = context.integers("axes");
  } else {
    good = true;
    return std::nullopt;
  }
  const size_t rank = context.input(0).shape.size();
  std::vector<bool> flags(rank);
  for (int64_t axis : axes) {
    auto normal = normalizeAxis(context, axis, rank);
    if (!normal)
      return std::nullopt;
    if (flags[*normal]) {
      context.error("axis " + std::to_string(axis) + " is listed twice");
      return std::nullopt;
    }
    flags[*normal] = true;
  }
  good = true;
  return flags;
}

} // namespace kgen
