// See FakeOperators.h. Inference is as simple as the tests of buildGraph allow.
#include "FakeOperators.h"

#include <set>

namespace kgen::test {
namespace {

using Types = std::vector<TensorType>;
const std::vector<ElementType> floats = {ElementType::f32, ElementType::f64, ElementType::bf16};

Types same(InferenceContext &context) { return {context.input(0)}; }

Types broadcast(InferenceContext &context) {
  if (context.input(0).element != context.input(1).element) {
    context.error("element types differ");
    return {};
  }
  auto shape = broadcastShapes(context.input(0).shape, context.input(1).shape);
  if (!shape) {
    context.error("shapes " + context.input(0).str() + " and " + context.input(1).str() +
                  " do not broadcast");
    return {};
  }
  return {{context.input(0).element, *shape}};
}

Types matMul(InferenceContext &context) {
  const auto &a = context.input(0).shape, &b = context.input(1).shape;
  if (a.size() != 2 || b.size() != 2 || a[1] != b[0]) {
    context.error("cannot multiply " + context.input(0).str() + " by " + context.input(1).str());
    return {};
  }
  return {{context.input(0).element, {a[0], b[1]}}};
}

Types gemm(InferenceContext &context) {
  auto a = context.input(0).shape, b = context.input(1).shape;
  if (a.size() != 2 || b.size() != 2) {
    context.error("operands are not matrices");
    return {};
  }
  if (context.integer("transA"))
    std::swap(a[0], a[1]);
  if (context.integer("transB"))
    std::swap(b[0], b[1]);
  if (a[1] != b[0]) {
    context.error("cannot multiply");
    return {};
  }
  return {{context.input(0).element, {a[0], b[1]}}};
}

Types reshape(InferenceContext &context) {
  auto shape = context.constantIntegers(1);
  TensorType result{context.input(0).element, shape.value_or(std::vector<int64_t>())};
  if (!shape || result.elementCount() != context.input(0).elementCount()) {
    context.error(shape ? "element counts differ" : "the shape is not a constant");
    return {};
  }
  return {result};
}

Types transpose(InferenceContext &context) {
  const auto &in = context.input(0);
  const auto &perm = context.integers("perm");
  TensorType result{in.element, {}};
  std::set<int64_t> seen;
  for (int64_t i : perm)
    if (i >= 0 && i < int64_t(in.shape.size()) && seen.insert(i).second)
      result.shape.push_back(in.shape[i]);
  if (result.shape.size() != in.shape.size() || perm.size() != in.shape.size()) {
    context.error("perm is not a permutation of its dimensions");
    return {};
  }
  return {result};
}

Types softmax(InferenceContext &context) {
  int64_t rank = int64_t(context.input(0).shape.size()), axis = context.integer("axis");
  if (axis < -rank || axis >= rank) {
    context.error("axis is out of range");
    return {};
  }
  return {context.input(0)};
}

Operator make(std::string name, size_t min, size_t max, decltype(Operator::infer) infer) {
  Operator op;
  op.name = std::move(name);
  op.minInputs = min;
  op.maxInputs = max;
  op.types = floats;
  op.infer = std::move(infer);
  return op;
}

std::vector<Operator> table() {
  std::vector<Operator> ops = {
      make("Relu", 1, 1, same),     make("Add", 2, 2, broadcast),
      make("MatMul", 2, 2, matMul), make("Max", 1, operatorUnlimited, same),
      make("Clip", 1, 3, same),     make("Identity", 1, 1, same)};
  ops.back().types = allElementTypes();
  ops[2].quantizableInput = 1;
  ops.push_back(make("Gemm", 2, 3, gemm));
  ops.back().quantizableInput = 1;
  ops.back().attributes = {
      {"alpha", AttributeKind::real, AttributeValue(1.0), false, ""},
      {"beta", AttributeKind::real, AttributeValue(1.0), false, ""},
      {"transA", AttributeKind::integer, AttributeValue(int64_t(0)), false, ""},
      {"transB", AttributeKind::integer, AttributeValue(int64_t(0)), false, ""}};
  ops.push_back(make("Softmax", 1, 1, softmax));
  ops.back().attributes = {
      {"axis", AttributeKind::integer, AttributeValue(int64_t(-1)), false, ""}};
  ops.push_back(make("Transpose", 1, 1, transpose));
  ops.back().attributes = {{"perm", AttributeKind::integers, std::nullopt, false, "the new order"}};
  ops.push_back(make("Reshape", 2, 2, reshape));
  ops.back().types = allElementTypes();
  // Not ONNX's: one attribute of each kind, and two results.
  ops.push_back(make("TestSplit", 1, 1, [](InferenceContext &context) {
    return Types{context.input(0), context.input(0)};
  }));
  ops.back().outputs = 2;
  ops.back().attributes = {{"text", AttributeKind::string, std::nullopt, true, ""},
                           {"scales", AttributeKind::reals, std::nullopt, true, ""}};
  return ops;
}
} // namespace

const OperatorTable &fakeOperators() {
  static const OperatorTable operators(table());
  return operators;
}

} // namespace kgen::test
