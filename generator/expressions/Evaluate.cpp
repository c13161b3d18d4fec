// Evaluates expressions.
#include "expressions/Expression.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include <cmath>

namespace kgen::expressions {

using llvm::StringRef;

namespace {

using Result = std::optional<Value>;

class Evaluator {
public:
  Evaluator(const Scope &scope, ExpressionError &error) : scope(scope), error(error) {}

  Result run(const Expression &e) {
    switch (e.kind) {
    case Expression::Kind::literal:
      return e.value;
    case Expression::Kind::name:
      return name(e);
    case Expression::Kind::unary:
      return unary(e);
    case Expression::Kind::binary:
      return binary(e);
    default:
      break;
    }
    std::vector<Value> values;
    for (const Expression &operand : e.operands) {
      Result value = run(operand);
      if (!value)
        return value;
      values.push_back(std::move(*value));
    }
    if (e.kind == Expression::Kind::list) {
      Value list = Value::makeList(std::move(values));
      return isTooLarge(list)
                 ? fail(e.at, "a list has at most " + std::to_string(maxListSize) + " items")
                 : Result(std::move(list));
    }
    return e.kind == Expression::Kind::index ? itemOf(values[0], values[1], e.at, error)
                                             : callFunction(e.text, e.at, values, scope, error);
  }

private:
  Result fail(const char *at, std::string message, std::string hint = "") {
    if (error.message.empty())
      error = {at, std::move(message), std::move(hint)};
    return std::nullopt;
  }

  Result name(const Expression &e) {
    if (auto found = scope.names.find(e.text); found != scope.names.end())
      return found->second;
    if (isScalarType(e.text))
      return Value::makeType(e.text.str());
    std::vector<std::string> known;
    for (const auto &[name, value] : scope.names)
      known.push_back(name);
    if (error.message.empty())
      error = unknownValue(e.at, e.text, known);
    return std::nullopt;
  }

  Result unary(const Expression &e) {
    Result value = run(e.operands[0]);
    if (!value)
      return value;
    if (e.text == "!")
      return value->kind == Value::Kind::boolean ? Value::makeBoolean(!value->number)
                                                 : refuse(e, {*value});
    if (value->kind == Value::Kind::real)
      return Value::makeReal(-value->real);
    // The smallest number is a size that is not known, and never gets here as another.
    return value->kind == Value::Kind::number && !value->isDynamic()
               ? Value::makeNumber(-value->number)
               : refuse(e, {*value});
  }

  Result refuse(const Expression &e, const std::vector<Value> &values) {
    std::string operands;
    for (const Value &value : values) {
      if (value.isDynamic() && value.kind == Value::Kind::number)
        return fail(e.at, "'" + e.text.str() + "' needs a size that is known now, found '?'");
      operands += (operands.empty() ? "" : " and ") + value.shown();
    }
    return fail(e.at, "'" + e.text.str() + "' does not take " + operands);
  }

  Result binary(const Expression &e) {
    Result left = run(e.operands[0]);
    bool logic = e.text == "&&" || e.text == "||";
    if (left && logic) { // what does not matter is not evaluated
      if (left->kind != Value::Kind::boolean)
        return refuse(e, {*left});
      if (bool(left->number) == (e.text == "||"))
        return left;
    }
    Result right = left ? run(e.operands[1]) : left;
    if (!right)
      return right;
    if (logic)
      return right->kind == Value::Kind::boolean ? right : refuse(e, {*left, *right});
    if (e.text == "==" || e.text == "!=")
      return Value::makeBoolean(equal(*left, *right) == (e.text == "=="));
    if (!left->asReal() || !right->asReal())
      return refuse(e, {*left, *right});
    bool whole = left->kind == Value::Kind::number && right->kind == Value::Kind::number;
    if (e.text.front() == '<' || e.text.front() == '>')
      return whole ? compare(e.text, left->number, right->number)
                   : compare(e.text, *left->asReal(), *right->asReal());
    return whole ? integers(e, left->number, right->number)
                 : reals(e, *left->asReal(), *right->asReal());
  }

  static bool equal(const Value &a, const Value &b) {
    return a.kind != b.kind && a.asReal() && b.asReal() ? *a.asReal() == *b.asReal() : a == b;
  }

  template <typename T> static Result compare(StringRef op, T a, T b) {
    return Value::makeBoolean(op == "<" ? a < b : op == "<=" ? a <= b : op == ">" ? a > b : a >= b);
  }

  Result integers(const Expression &e, int64_t a, int64_t b) {
    int64_t result = 0;
    auto shownAs = [&] { return std::to_string(a) + " " + e.text.str() + " " + std::to_string(b); };
    switch (e.text.front()) {
    case '/':
      if (b == 0 || b == -1 || a % b != 0)
        return fail(e.at, shownAs() + " is not a whole number",
                    "floordiv(a, b) and ceildiv(a, b) round");
      return Value::makeNumber(a / b);
    case '%':
      if (b <= 0)
        return fail(e.at, shownAs() + " needs a positive divisor");
      return Value::makeNumber(a % b < 0 ? a % b + b : a % b);
    }
    bool overflows = e.text == "+"   ? llvm::AddOverflow(a, b, result)
                     : e.text == "-" ? llvm::SubOverflow(a, b, result)
                                     : llvm::MulOverflow(a, b, result);
    if (overflows || result == dynamicSize)
      return fail(e.at, "the result of " + shownAs() + " does not fit into 64 bits");
    return Value::makeNumber(result);
  }

  Result reals(const Expression &e, double a, double b) {
    if (e.text == "%")
      return fail(e.at, "'%' takes whole numbers");
    double result = e.text == "+" ? a + b : e.text == "-" ? a - b : e.text == "*" ? a * b : a / b;
    if (!std::isfinite(result))
      return fail(e.at, "the result of '" + e.text.str() + "' is not finite");
    return Value::makeReal(result);
  }

  const Scope &scope;
  ExpressionError &error;
};

} // namespace

std::optional<Value> evaluate(const Expression &expression, const Scope &scope,
                              ExpressionError &error) {
  return Evaluator(scope, error).run(expression);
}

std::optional<bool> evaluateCondition(const Expression &expression, const Scope &scope,
                                      ExpressionError &error) {
  std::optional<Value> value = evaluate(expression, scope, error);
  if (value && value->kind != Value::Kind::boolean) {
    if (error.message.empty())
      error = {expression.at, "expected a bool, found " + value->shown()};
    return std::nullopt;
  }
  return value ? std::optional(value->number != 0) : std::nullopt;
}

} // namespace kgen::expressions
