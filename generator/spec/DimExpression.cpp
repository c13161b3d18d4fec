#include "spec/DimExpression.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

/// Expressions of symbols, which are polynomials and what divisions by numbers make of them.
class SymbolicEvaluator {
public:
  SymbolicEvaluator(llvm::function_ref<Dim(llvm::StringRef)> sizeOf,
                    expressions::ExpressionError &error)
      : sizeOf(sizeOf), error(error) {}

  std::optional<Dim> run(const expressions::Expression &e) {
    using ExpressionKind = expressions::Expression::Kind;
    const bool isNumber = e.kind == ExpressionKind::literal &&
                          e.value.kind == expressions::Value::Kind::number && !e.value.isDynamic();
    if (isNumber)
      return Dim(e.value.number);
    if (e.kind == ExpressionKind::name)
      return sizeOf(e.text);
    if (e.kind == ExpressionKind::unary && e.text == "-") {
      std::optional<Dim> operand = run(e.operands[0]);
      return operand ? std::optional(Dim(0) - *operand) : std::nullopt;
    }
    const bool takesTwo = (e.kind == ExpressionKind::binary || e.kind == ExpressionKind::call) &&
                          e.operands.size() == 2;
    if (!takesTwo)
      return refuse(e.at);
    std::optional<Dim> left = run(e.operands[0]), right = left ? run(e.operands[1]) : left;
    return right ? binary(e, *left, *right) : std::nullopt;
  }

private:
  std::optional<Dim> binary(const expressions::Expression &e, const Dim &left, const Dim &right) {
    if (e.text == "+")
      return left + right;
    if (e.text == "-")
      return left - right;
    if (e.text == "*")
      return left * right;
    const int64_t divisor = right.number().value_or(0);
    if (divisor < 1)
      return refuse(e.at);
    if (e.text == "floordiv")
      return left.floorDiv(divisor);
    if (e.text == "ceildiv")
      return left.ceilDiv(divisor);
    if (e.text != "/")
      return refuse(e.at);
    std::optional<Dim> quotient = left.exactDiv(divisor);
    if (!quotient)
      error = {
          e.at, left.str() + " / " + right.str() + " is not a whole number for every size",
          "floordiv(a, b) and ceildiv(a, b) round; 'multiple' of a dimension makes it divisible"};
    return quotient;
  }

  std::optional<Dim> refuse(const char *at) {
    error = {at, "sizes that are known at run time only take +, -, *, and /, floordiv and "
                 "ceildiv by positive numbers"};
    return std::nullopt;
  }

  llvm::function_ref<Dim(llvm::StringRef)> sizeOf;
  expressions::ExpressionError &error;
};

} // namespace

std::optional<expressions::Expression> parseSizes(llvm::StringRef text,
                                                  expressions::ExpressionError &error) {
  expressions::Lexer lexer{text};
  std::optional<expressions::Expression> expression = expressions::parseExpression(lexer, error);
  if (expression && lexer.peek())
    error = {nullptr, "expected an operator, found " + expressions::quoted(lexer.peek())};
  return error.message.empty() ? expression : std::nullopt;
}

std::vector<std::string> namesOf(const expressions::Expression &expression) {
  std::vector<std::string> names;
  expressions::visitNames(
      expression, [&](const expressions::Expression &name) { names.push_back(name.text.str()); });
  return names;
}

std::vector<std::string> namesOfSizes(llvm::StringRef text) {
  expressions::ExpressionError error;
  std::optional<expressions::Expression> expression = parseSizes(text, error);
  return expression ? namesOf(*expression) : std::vector<std::string>();
}

std::optional<Dim> evaluateSizes(const expressions::Expression &expression,
                                 llvm::function_ref<Dim(llvm::StringRef)> sizeOf,
                                 expressions::ExpressionError &error) {
  const std::vector<std::string> names = namesOf(expression);
  if (llvm::any_of(names, [&](const std::string &name) { return !sizeOf(name).isNumber(); }))
    return SymbolicEvaluator(sizeOf, error).run(expression);
  expressions::Environment sizes;
  for (const std::string &name : names)
    sizes[name] = expressions::Value::makeNumber(*sizeOf(name).number());
  std::optional<expressions::Value> value = expressions::evaluate(expression, {sizes}, error);
  if (value && value->kind == expressions::Value::Kind::number)
    return Dim(value->number);
  if (value)
    error = {nullptr, value->shown() + " is not an integer"};
  return std::nullopt;
}

std::optional<Dim> sizeOfText(llvm::StringRef text, const std::map<std::string, Dim> &sizes,
                              expressions::ExpressionError &error) {
  std::optional<expressions::Expression> expression = parseSizes(text, error);
  if (!expression)
    return std::nullopt;
  auto sizeOf = [&](llvm::StringRef name) { return sizes.at(name.str()); };
  std::optional<Dim> size = evaluateSizes(*expression, sizeOf, error);
  if (!size || size->bounds().min >= 0)
    return size;
  error = {nullptr, "'" + text.str() + "' may be negative"};
  return std::nullopt;
}

} // namespace kgen
