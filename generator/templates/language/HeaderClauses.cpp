// The clauses between the arguments of a template and its body.
#include "templates/language/HeaderParser.h"

namespace kgen::templates {

using llvm::StringRef;

static bool endsClause(Token t) {
  return t.is("{") || t.is("requires") || t.is("examples") || t.is("reference") ||
         t.is("replaces") || t.is("cost") || t.is("kernel");
}

/// Parses the clauses between the arguments and the body.
bool HeaderParser::clauses() {
  if (lexer.eat("->"))
    result.resultText = lexer.until(endsClause);
  bool isRight = true;
  while (isRight) {
    if (lexer.eat("requires"))
      isRight = requirement();
    else if (lexer.eat("examples"))
      isRight = examples();
    else if (lexer.eat("reference"))
      isRight = otherTemplate(result.reference);
    else if (lexer.eat("replaces"))
      isRight = otherTemplate(result.replaces);
    else if (lexer.eat("kernel"))
      isRight = kernel();
    else if (lexer.eat("cost"))
      isRight = (result.cost = expression()).has_value();
    else
      return true;
  }
  return false;
}

/// The name of one, `@name`.
bool HeaderParser::otherTemplate(StringRef &name) {
  Token token = lexer.next();
  if (!token.hasSigil('@'))
    return fail(token.text.data(), "expected '@' and a template's name, found " + quoted(token));
  name = token.text.drop_front().trim('"');
  return true;
}

/// An expression of parameters.
std::optional<Expression> HeaderParser::expression() {
  ExpressionError error;
  std::optional<Expression> parsed = parseExpression(lexer, error);
  if (!parsed) {
    errors.push_back(std::move(error));
    return std::nullopt;
  }
  BodyScope scope = scopeOfParameters();
  visitNames(*parsed, [&](const Expression &name) {
    if (!scope.names.count(name.text) && !isScalarType(name.text))
      errors.push_back(unknownValue(name.at, name.text, {scope.names.begin(), scope.names.end()}));
  });
  return parsed;
}

bool HeaderParser::requirement() {
  const char *begin = lexer.place();
  std::optional<Expression> condition = expression();
  if (!condition)
    return false;
  Requirement requirement{std::move(*condition), between(begin, lexer.rest.begin()).trim(), ""};
  if (lexer.eat(",")) {
    Token text = lexer.next();
    std::optional<Value> message = text.kind == Token::Kind::string
                                       ? parseValue(text.text, Value::Kind::string)
                                       : std::nullopt;
    if (!message)
      return fail(text.text.data(), "expected a text in quotes, found " + quoted(text));
    requirement.message = message->text;
  }
  result.requirements.push_back(std::move(requirement));
  return true;
}

/// `examples {K = 6, S = 2x3}`.
bool HeaderParser::examples() {
  Environment values;
  if (!expect("{", "behind 'examples'"))
    return false;
  while (!lexer.eat("}")) {
    if (!values.empty() && !expect(",", "or '}' behind an example"))
      return false;
    Token name = lexer.next();
    const Parameter *parameter = result.find(name.text);
    if (!parameter)
      return fail(name.text.data(), "expected a parameter's name, found " + quoted(name));
    if (!expect("=", "and a value"))
      return false;
    StringRef text = lexer.until([](Token t) { return t.is(",") || t.is("}"); });
    std::optional<Value> value = parseValue(text, parameter->kind);
    if (!value || !parameter->allows(*value))
      return fail(text.ltrim().data(), "'" + text.trim().str() + "' is not a value of " +
                                           parameter->name.str() + " : " +
                                           parameter->constraint.str());
    values[name.text.str()] = std::move(*value);
  }
  result.examples.push_back(std::move(values));
  return true;
}

} // namespace kgen::templates
