// Parses expressions.
#include "expressions/Expression.h"
#include "expressions/TypeTerm.h"

#include "support/Diagnostics.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>

namespace kgen::expressions {

using llvm::StringRef;

namespace {

/// 0: no binary operator.
unsigned precedenceOf(StringRef op) {
  return llvm::StringSwitch<unsigned>(op)
      .Case("||", 1)
      .Case("&&", 2)
      .Cases({"==", "!="}, 3)
      .Cases({"<", "<=", ">", ">="}, 4)
      .Cases({"+", "-"}, 5)
      .Cases({"*", "/", "%"}, 6)
      .Default(0);
}

class ExpressionParser {
public:
  ExpressionParser(Lexer &lexer, ExpressionError &error) : lexer(lexer), error(error) {}

  using Result = std::optional<Expression>;

  /// Operators that bind more strongly than `least`.
  Result binary(unsigned least) {
    if (++depth > maxExpressionDepth)
      return tooDeep(lexer.place());
    Result left = primary();
    while (left) {
      Lexer ahead = lexer;
      Token op = operatorOf(ahead);
      unsigned precedence = precedenceOf(op.text);
      if (op.kind != Token::Kind::punctuation || precedence <= least)
        break;
      lexer = ahead;
      Result right = binary(precedence);
      if (!right)
        return right;
      Expression both{Expression::Kind::binary, op.text.data(), op.text};
      addOperand(both, std::move(*left));
      addOperand(both, std::move(*right));
      left = checked(std::move(both));
    }
    --depth;
    return left;
  }

private:
  Result fail(const char *at, std::string message, std::string hint = "") {
    if (error.message.empty())
      error = {at, std::move(message), std::move(hint)};
    return std::nullopt;
  }

  Result tooDeep(const char *at) {
    return fail(at, "the expression is nested too deeply: " + std::to_string(maxExpressionDepth) +
                        " levels are the limit");
  }

  static void addOperand(Expression &to, Expression operand) {
    to.levels = std::max(to.levels, operand.levels + 1);
    to.operands.push_back(std::move(operand));
  }

  /// `a + b + c` has a level for each operator.
  Result checked(Expression e) {
    return e.levels > maxExpressionDepth ? tooDeep(e.at) : Result(std::move(e));
  }

  /// The next token; `!x`, a word of MLIR, is an operator and its operand here. `%2` is a value, as
  /// the next line may begin with one: the operator is followed by a blank.
  static Token operatorOf(Lexer &lexer) {
    Token token = lexer.next();
    if (token.hasSigil('!')) {
      lexer.rest = between(token.text.data() + 1, lexer.rest.end());
      token = {Token::Kind::punctuation, token.text.take_front()};
    }
    return token;
  }

  Result primary() {
    Result result = operand();
    while (result && lexer.peek().is("[")) {
      const char *at = lexer.next().text.data();
      Result index = binary(0);
      if (!index)
        return index;
      if (!lexer.eat("]"))
        return fail(lexer.place(), "expected ']', found " + quoted(lexer.peek()));
      Expression item{Expression::Kind::index, at};
      addOperand(item, std::move(*result));
      addOperand(item, std::move(*index));
      result = checked(std::move(item));
    }
    return result;
  }

  Result operand() {
    Lexer before = lexer;
    Token token = operatorOf(lexer);
    const char *at = token.text.data();
    if (token.is("("))
      return parenthesis();
    if (token.is("["))
      return list(at);
    if (token.is("!") || token.is("-")) {
      if (++depth > maxExpressionDepth)
        return tooDeep(at);
      Result value = primary();
      --depth;
      if (!value)
        return value;
      Expression negated{Expression::Kind::unary, at, token.text};
      addOperand(negated, std::move(*value));
      return checked(std::move(negated));
    }
    if (token.kind == Token::Kind::number || token.is("?"))
      return number(before, token);
    if (token.kind == Token::Kind::string)
      return literal(at, parseValue(token.text, Value::Kind::string));
    if (token.kind == Token::Kind::word)
      return word(before, token);
    return fail(at ? at : before.rest.data(),
                "expected a value, a name or '(', found " + quoted(token));
  }

  Result parenthesis() {
    Result value = binary(0);
    if (value && !lexer.eat(")"))
      return fail(lexer.place(), "expected ')' or an operator, found " + quoted(lexer.peek()));
    return value;
  }

  Result list(const char *at) {
    Expression list{Expression::Kind::list, at};
    return arguments(list, "]") ? checked(std::move(list)) : std::nullopt;
  }

  bool arguments(Expression &of, StringRef end) {
    while (!lexer.eat(end)) {
      if (!of.operands.empty() && !lexer.eat(","))
        return fail(lexer.place(),
                    "expected ',' or '" + end.str() + "', found " + quoted(lexer.peek()))
            .has_value();
      Result value = binary(0);
      if (!value)
        return false;
      addOperand(of, std::move(*value));
    }
    return true;
  }

  Result literal(const char *at, std::optional<Value> value) {
    if (!value)
      return fail(at, "expected a value");
    return Expression{Expression::Kind::literal, at, {}, std::move(*value)};
  }

  /// A number, or a shape: `32x64`, `?x64`.
  Result number(const Lexer &before, Token token) {
    const char *at = token.text.data();
    StringRef shape = between(at, before.rest.end()).take_while([](char c) {
      return llvm::isDigit(c) || c == 'x' || c == '?';
    });
    if (shape.contains('x')) {
      lexer.rest = between(shape.end(), before.rest.end());
      std::optional<Value> value = parseValue(shape, Value::Kind::shape);
      return value ? literal(at, value) : fail(at, "'" + shape.str() + "' is not a shape");
    }
    if (token.is("?"))
      return literal(at, Value::makeNumber(dynamicSize));
    bool isReal = token.text.find_first_of(".eE") != StringRef::npos;
    std::optional<Value> value =
        parseValue(token.text, isReal ? Value::Kind::real : Value::Kind::number);
    return value ? literal(at, value) : fail(at, token.text.str() + " is not a number of 64 bits");
  }

  Result word(const Lexer &before, Token token) {
    const char *at = token.text.data();
    StringRef name = token.text;
    name.consume_front("template.") || name.consume_front("template::");
    if (lexer.eat("(")) {
      Expression call{Expression::Kind::call, at, name};
      if (!arguments(call, ")"))
        return std::nullopt;
      if (std::optional<std::string> problem = checkFunction(name, call.operands.size()))
        return fail(at, *problem);
      return checked(std::move(call));
    }
    if (name == "true" || name == "false")
      return literal(at, Value::makeBoolean(name == "true"));
    if (lexer.rest.starts_with("<")) { // vector<4xf32>
      Lexer type = before;
      if (std::optional<TypeTerm> term = parseTypeTerm(type, {}, error)) {
        lexer = type;
        return literal(at, Value::makeType(term->full.str()));
      }
      return std::nullopt;
    }
    return Expression{Expression::Kind::name, at, token.text};
  }

  Lexer &lexer;
  ExpressionError &error;
  unsigned depth = 0;
};

} // namespace

std::optional<Expression> parseExpression(Lexer &lexer, ExpressionError &error) {
  return ExpressionParser(lexer, error).binary(0);
}

void visitNames(const Expression &expression, llvm::function_ref<void(const Expression &)> visit) {
  if (expression.kind == Expression::Kind::name)
    visit(expression);
  for (const Expression &operand : expression.operands)
    visitNames(operand, visit);
}

ExpressionError unknownValue(const char *at, StringRef name,
                             const std::vector<std::string> &known) {
  constexpr size_t mostShown = 20;
  std::string hint;
  for (const std::string &candidate : llvm::ArrayRef(known).take_front(mostShown))
    hint += (hint.empty() ? "known here: " : ", ") + candidate;
  if (known.size() > mostShown)
    hint += ", ...";
  return {at, "unknown value '" + name.str() + "'" + didYouMean(name, known), hint};
}

} // namespace kgen::expressions
