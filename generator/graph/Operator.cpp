// The operator table and ONNX's broadcasting rule.
#include "graph/Operator.h"

#include <algorithm>
#include <cassert>

namespace kgen {

SymbolicDims SymbolicDims::any() {
  return {"any", [](const InferenceContext &, size_t, size_t) { return std::string(); }};
}

static Operator makeExtern(std::function<void(LoweringContext &)> lower) {
  Operator op;
  op.name = "extern";
  op.summary = "a function from outside of the library";
  op.minInputs = 0;
  op.maxInputs = operatorUnlimited;
  op.outputs = operatorUnlimited;
  op.optionalOutputs = operatorUnlimited - 1;
  op.infer = [](InferenceContext &c) { return c.node.external->outputs; };
  op.lower = std::move(lower);
  return op;
}

OperatorTable::OperatorTable(std::vector<Operator> list,
                             std::function<void(LoweringContext &)> lowerExtern)
    : operators(std::move(list)), externOperator(makeExtern(std::move(lowerExtern))) {
  auto byName = [](const Operator &a, const Operator &b) { return a.name < b.name; };
  std::sort(operators.begin(), operators.end(), byName);
  auto same = [](const Operator &a, const Operator &b) { return a.name == b.name; };
  (void)same;
  assert(std::adjacent_find(operators.begin(), operators.end(), same) == operators.end() &&
         "two operators of the same name");
}

const Operator *OperatorTable::find(const std::string &name) const {
  auto it = std::lower_bound(operators.begin(), operators.end(), name,
                             [](const Operator &op, const std::string &n) { return op.name < n; });
  return it != operators.end() && it->name == name ? &*it : nullptr;
}

std::vector<std::string> OperatorTable::names() const {
  std::vector<std::string> result;
  for (const Operator &op : operators)
    result.push_back(op.name);
  return result;
}

std::optional<TensorShape> broadcastShapes(const TensorShape &a, const TensorShape &b) {
  const TensorShape &longer = a.size() >= b.size() ? a : b;
  const TensorShape &shorter = a.size() >= b.size() ? b : a;
  TensorShape result = longer;
  const size_t offset = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    if (longer.isUnit(offset + i))
      result.setDim(offset + i, shorter.dim(i));
    else if (!shorter.isUnit(i) && longer.dim(offset + i) != shorter.dim(i))
      return std::nullopt;
  }
  return result;
}

} // namespace kgen
