#include "ops/TypeRules.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

std::vector<ElementType> byteTypes() { return {ElementType::i8, ElementType::u8}; }

std::vector<ElementType> quantizedTypes() {
  return {ElementType::i8, ElementType::u8, ElementType::i16,      ElementType::u16,
          ElementType::i4, ElementType::u4, ElementType::f8e4m3fn, ElementType::f8e5m2};
}

std::vector<ElementType> computedTypes() {
  std::vector<ElementType> types = allElementTypes();
  llvm::erase_if(types, isStoredOnly);
  return types;
}

std::vector<ElementType> floatTypes() {
  return {ElementType::f32, ElementType::f64, ElementType::bf16, ElementType::f16};
}

std::vector<ElementType> integerTypes() {
  return {ElementType::i8,  ElementType::u8,  ElementType::i16, ElementType::u16,
          ElementType::i32, ElementType::u32, ElementType::i64, ElementType::u64};
}

static std::vector<ElementType>
floatTypesAnd(llvm::function_ref<bool(ElementType)> isIntegerAllowed) {
  std::vector<ElementType> types = floatTypes();
  llvm::copy_if(integerTypes(), std::back_inserter(types), isIntegerAllowed);
  return types;
}

std::vector<ElementType> floatAndSignedTypes() {
  return floatTypesAnd([](ElementType type) { return !isUnsigned(type); });
}

std::vector<ElementType> floatAndIntegerTypes() {
  return floatTypesAnd([](ElementType) { return true; });
}

std::vector<ElementType> floatAndLongTypes() {
  return floatTypesAnd([](ElementType type) { return byteWidth(type) >= 4; });
}

bool checkElementTypes(const InferenceContext &context) {
  std::optional<size_t> first;
  for (size_t i = 0; i < context.inputCount(); ++i) {
    if (!context.hasInput(i))
      continue;
    if (!first)
      first = i;
    if (context.input(i).element == context.input(*first).element)
      continue;
    context.error("inputs of " + context.node.op->name +
                  " must have the same element type: input " + std::to_string(*first + 1) + " is " +
                  context.input(*first).str() + ", input " + std::to_string(i + 1) + " is " +
                  context.input(i).str());
    return false;
  }
  return true;
}

std::vector<TensorType> inferUnary(InferenceContext &context) {
  if (!checkElementTypes(context))
    return {};
  return {context.input(0)};
}

Operator elementwiseOperator(std::string name, std::string summary) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.types = floatTypes();
  op.infer = inferUnary;
  op.elementwise = true;
  op.symbolicDims = SymbolicDims::any();
  return op;
}

SymbolicDims anyButChannels() {
  return {"any but the channels", [](const InferenceContext &, size_t input, size_t d) {
            const bool isChannel = input != 0 || d == 1;
            return std::string(isChannel ? "the number of channels is known" : "");
          }};
}

std::vector<TensorType> inferBroadcast(InferenceContext &context) {
  if (!checkElementTypes(context))
    return {};
  TensorType result = context.input(0);
  for (size_t i = 1; i < context.inputCount(); ++i) {
    if (!context.hasInput(i)) {
      context.error(context.node.op->name + " has no optional inputs: input " +
                    std::to_string(i + 1) + " cannot be skipped");
      return {};
    }
    auto shape = broadcastShapes(result.shape, context.input(i).shape);
    if (!shape) {
      context.error("the shapes of " + context.node.op->name + "'s inputs do not broadcast: " +
                        result.str() + " and " + context.input(i).str(),
                    "aligned at the right, two dimensions must be equal, or one of them 1");
      return {};
    }
    result.shape = *shape;
  }
  return {result};
}

static std::string listOf(const std::vector<ElementType> &types) {
  std::string text;
  for (ElementType type : types)
    text += (text.empty() ? "" : ", ") + std::string(toString(type));
  return text;
}

std::optional<ElementType> requestedType(const InferenceContext &context,
                                         const std::string &attribute,
                                         const std::vector<ElementType> &allowed) {
  const std::string &name = context.string(attribute);
  auto type = parseElementType(name);
  if (type && llvm::is_contained(allowed, *type))
    return type;
  context.error("'" + name + "' is no element type for attribute '" + attribute + "'",
                "expected one of " + listOf(allowed));
  return std::nullopt;
}

bool checkInputType(const InferenceContext &context, size_t i, const std::string &what,
                    const std::vector<ElementType> &allowed) {
  if (llvm::is_contained(allowed, context.input(i).element))
    return true;
  context.error(what + " (input " + std::to_string(i + 1) + ") must have an element type of " +
                listOf(allowed) + ", it is " + context.input(i).str());
  return false;
}

std::optional<int64_t> normalizeAxis(const InferenceContext &context, int64_t axis, size_t rank) {
  int64_t limit = static_cast<int64_t>(rank);
  if (axis >= -limit && axis < limit)
    return axis < 0 ? axis + limit : axis;
  context.error(
      "axis " + std::to_string(axis) + " is outside of a tensor of rank " + std::to_string(rank) +
      (rank ? " (expected " + std::to_string(-limit) + " to " + std::to_string(limit - 1) + ")"
            : ""));
  return std::nullopt;
}

} // namespace kgen
