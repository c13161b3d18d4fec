#include "templates/transforms/Trials.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen::templates {

namespace {

/// Trial instances of one template.
constexpr size_t maxTrials = 64;

/// Values for a parameter that is open.
std::vector<Value> probesOf(const Parameter &parameter) {
  switch (parameter.kind) {
  case Value::Kind::type:
    return {Value::makeType("f32"), Value::makeType("bf16"), Value::makeType("i8")};
  case Value::Kind::shape:
    return {Value::makeShape({}), Value::makeShape({6}), Value::makeShape({2, 3, 5})};
  case Value::Kind::number:
    return {Value::makeNumber(16)};
  case Value::Kind::boolean:
    return {Value::makeBoolean(false), Value::makeBoolean(true)};
  case Value::Kind::string:
    return {Value::makeString("")};
  case Value::Kind::real:
    return {Value::makeReal(0.5)};
  default:
    return {};
  }
}

std::vector<Value> valuesOf(const Parameter &parameter, const std::vector<Environment> &examples) {
  if (!parameter.set.empty())
    return parameter.set;
  std::vector<Value> values;
  for (const Environment &example : examples)
    if (auto found = example.find(parameter.name); found != example.end())
      if (!llvm::is_contained(values, found->second))
        values.push_back(found->second);
  if (values.empty() && parameter.otherwise)
    values.push_back(*parameter.otherwise);
  return values.empty() ? probesOf(parameter) : values;
}

} // namespace

std::vector<Environment> trialsOf(const Template &of, const TargetFacts &target) {
  std::vector<Environment> tuples{{}};
  for (const Parameter &parameter : of.parameters) {
    std::vector<Environment> longer;
    for (const Environment &tuple : tuples)
      for (const Value &value : valuesOf(parameter, of.examples))
        if (longer.size() < maxTrials)
          longer.emplace_back(tuple)[parameter.name.str()] = value;
    tuples = std::move(longer);
  }
  llvm::erase_if(tuples, [&](const Environment &tuple) {
    ExpressionError ignored;
    return !holdRequirements(of, tuple, &target, ignored);
  });
  return tuples;
}

} // namespace kgen::templates
