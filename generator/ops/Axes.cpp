#include "ops/Axes.h"

#include "ops/TypeRules.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

namespace kgen {

std::string found(const InferenceContext &context, size_t i) {
  bool isWeight = context.graph.values[context.node.inputs[i]].kind == ValueKind::weight;
  return context.input(i).str() + (context.isSizes(i) ? " of sizes that are known at run time only"
                                   : isWeight         ? ""
                                                      : " and no weight");
}

std::optional<std::vector<Dim>> requiredSizes(const InferenceContext &context, size_t i,
                                              const std::string &what) {
  const TensorType &type = context.input(i);
  auto constant = context.sizes(i);
  bool isList = (type.element == ElementType::i64 || type.element == ElementType::i32) &&
                type.shape.size() <= 1;
  if (isList && constant)
    return constant;
  context.error(context.node.op->name + "'s " + what + " (input " + std::to_string(i + 1) +
                ") must be a weight of type i64[n], so that shapes are known when code is "
                "generated; it is " +
                found(context, i));
  return std::nullopt;
}

std::optional<std::vector<int64_t>> requiredIntegers(const InferenceContext &context, size_t i,
                                                     const std::string &what) {
  auto sizes = context.isSizes(i) ? std::nullopt : requiredSizes(context, i, what);
  if (context.isSizes(i))
    context.error(context.node.op->name + "'s " + what + " (input " + std::to_string(i + 1) +
                  ") must be numbers when code is generated; it is " + found(context, i));
  std::vector<int64_t> numbers;
  for (const Dim &size : sizes.value_or(std::vector<Dim>()))
    numbers.push_back(*size.number());
  return sizes ? std::optional(numbers) : std::nullopt;
}

bool readSizes(const InferenceContext &context, size_t i, const std::string &name,
               std::optional<std::vector<Dim>> &list) {
  bool isAttribute = context.hasAttribute(name);
  if (isAttribute && context.hasInput(i)) {
    context.error(name + " are given twice: as an attribute and as input " + std::to_string(i + 1));
    return false;
  }
  if (context.hasInput(i)) {
    list = requiredSizes(context, i, name);
    return list.has_value();
  }
  if (isAttribute) {
    const std::vector<int64_t> &numbers = context.integers(name);
    list.emplace(numbers.begin(), numbers.end());
  }
  return true;
}

bool readIntegers(const InferenceContext &context, size_t i, const std::string &name,
                  std::optional<std::vector<int64_t>> &list) {
  std::optional<std::vector<Dim>> sizes;
  if (context.isSizes(i))
    return requiredIntegers(context, i, name).has_value();
  if (!readSizes(context, i, name, sizes))
    return false;
  if (sizes)
    list.emplace();
  for (const Dim &size : sizes.value_or(std::vector<Dim>()))
    list->push_back(*size.number());
  return true;
}

std::optional<std::vector<bool>> listedAxes(const InferenceContext &context, bool &good) {
  return listedAxes(context, good, context.input(0).shape.size());
}

std::optional<std::vector<bool>> listedAxes(const InferenceContext &context, bool &good,
                                            size_t rank) {
  std::optional<std::vector<int64_t>> axes;
  good = readIntegers(context, 1, "axes", axes);
  if (!good || !axes)
    return std::nullopt;
  good = false;
  std::vector<bool> flags(rank);
  for (int64_t axis : *axes) {
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

int64_t elementsInside(llvm::ArrayRef<int64_t> shape, int64_t axis) {
  return llvm::product_of(shape.drop_front(axis + 1));
}

int64_t boundedSum(int64_t a, int64_t b) {
  int64_t sum;
  bool isLarge = llvm::AddOverflow(a, b, sum);
  return !isLarge ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

int64_t boundedProduct(int64_t a, int64_t b) {
  int64_t product;
  bool isLarge = llvm::MulOverflow(a, b, product);
  return !isLarge ? product : (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

} // namespace kgen
