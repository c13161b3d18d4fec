// Fills values into a YAML tree.
#include "spec/Substitution.h"

#include "expressions/Expression.h"

#include <llvm/ADT/StringExtras.h>

namespace kgen {
namespace {

/// Characters of a text with its values: values that contain values grow by powers.
constexpr size_t maxTextLength = 64 * 1024;

bool startsParameter(char c) { return llvm::isAlpha(c) || c == '_'; }
bool continuesParameter(char c) { return llvm::isAlnum(c) || c == '_'; }

std::vector<std::string> namesOf(const Substitutions &values) {
  std::vector<std::string> names;
  for (const auto &[name, text] : values)
    names.push_back(name);
  return names;
}

std::string listOf(const Substitutions &values) {
  std::string list = "known here: ";
  for (const auto &[name, text] : values)
    list += (list.back() == ' ' ? "" : ", ") + name;
  return list;
}

/// The reason why values cannot be filled into a text; without a message, it was reported.
struct Problem {
  std::string message, hint;
};

/// True if a value of the expression has no text.
bool refersToNone(const expressions::Expression &expression, const Substitutions &values) {
  bool refers = false;
  expressions::visitNames(expression, [&](const expressions::Expression &name) {
    auto found = values.find(name.text.str());
    refers |= found != values.end() && !found->second;
  });
  return refers;
}

/// Returns what the values are in expressions: integers, or texts.
expressions::Environment environmentOf(const Substitutions &values) {
  expressions::Environment names;
  for (const auto &[name, text] : values) {
    if (!text)
      continue;
    std::optional<int64_t> number = parseInteger(*text);
    names[name] =
        number ? expressions::Value::makeNumber(*number) : expressions::Value::makeString(*text);
  }
  return names;
}

/// The value of the parenthesis that `text` begins with, which is taken off; an integer or a text.
std::optional<std::string> parenthesis(llvm::StringRef &text, const Substitutions &values,
                                       Problem &problem) {
  expressions::Lexer lexer{text.drop_front()};
  expressions::ExpressionError error;
  std::optional<expressions::Expression> expression = expressions::parseExpression(lexer, error);
  if (expression && refersToNone(*expression, values))
    return std::nullopt;
  std::optional<expressions::Value> value;
  if (expression && !lexer.eat(")"))
    error = {nullptr, "expected ')' or an operator, found " + expressions::quoted(lexer.peek())};
  else if (expression)
    value = expressions::evaluate(*expression, {environmentOf(values)}, error);
  if (value && value->kind != expressions::Value::Kind::number &&
      value->kind != expressions::Value::Kind::string)
    error = {nullptr, value->shown() + " is not an integer"};
  if (!error.message.empty()) {
    problem = {error.message, error.hint};
    return std::nullopt;
  }
  text = lexer.rest;
  return value->kind == expressions::Value::Kind::number ? std::to_string(value->number)
                                                         : value->text;
}

/// The text with its values, or why there is none.
std::optional<std::string> filled(llvm::StringRef text, const Substitutions &values,
                                  Problem &problem) {
  std::string result;
  while (!text.empty()) {
    if (result.size() > maxTextLength) {
      problem = {"with its values, the text has more than " + std::to_string(maxTextLength) +
                     " characters",
                 "use shorter values"};
      return std::nullopt;
    }
    llvm::StringRef plain = text.take_until([](char c) { return c == '$'; });
    result += plain;
    text = text.drop_front(plain.size());
    if (!text.consume_front("$"))
      break;
    if (text.consume_front("$")) {
      result += '$';
    } else if (text.starts_with("(")) {
      std::optional<std::string> value = parenthesis(text, values, problem);
      if (!value)
        return std::nullopt;
      result += *value;
    } else {
      std::string name = startsParameter(text.empty() ? ' ' : text.front())
                             ? text.take_while(continuesParameter).str()
                             : std::string();
      auto found = values.find(name);
      if (found == values.end()) {
        problem =
            name.empty()
                ? Problem{"expected a name or '(' after '$'", "a dollar sign itself is written $$"}
                : Problem{"unknown value '" + name + "'" + didYouMean(name, namesOf(values)),
                          listOf(values)};
        return std::nullopt;
      }
      if (!found->second)
        return std::nullopt;
      result += *found->second;
      text = text.drop_front(name.size());
    }
  }
  return result;
}

} // namespace

YamlNode substitute(const SpecReader &reader, const YamlNode &node, const Substitutions &values) {
  YamlNode result;
  result.kind = node.kind;
  result.quoted = node.quoted;
  result.mark = node.mark;
  if (node.kind == YamlNode::Kind::scalar) {
    Problem problem;
    if (std::optional<std::string> text = filled(node.text, values, problem)) {
      result.text = std::move(*text);
    } else {
      if (!problem.message.empty())
        reader.error(node.mark, "in " + quoteText(node.text) + ": " + problem.message,
                     problem.hint);
      result.kind = YamlNode::Kind::invalid;
    }
  }
  for (const YamlNode &item : node.items)
    result.items.push_back(substitute(reader, item, values));
  for (const YamlEntry &entry : node.entries)
    result.entries.push_back({entry.key, entry.keyMark, substitute(reader, entry.value, values)});
  return result;
}

} // namespace kgen
