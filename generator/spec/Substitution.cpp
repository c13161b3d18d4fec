// Fills values into a YAML tree.
#include "spec/Substitution.h"

#include <llvm/ADT/StringExtras.h>

namespace kgen {
namespace {

bool startsName(char c) { return llvm::isAlpha(c) || c == '_'; }
bool continuesName(char c) { return llvm::isAlnum(c) || c == '_'; }

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

/// The reason why values cannot be filled into a text.
struct Problem {
  std::string message, hint;
};

/// Recursive descent: sum = product {(+|-) product}, product = factor {(*|/) factor}, factor =
/// integer | name | -factor | (sum). Evaluation stops at the first problem.
class Expression {
public:
  Expression(llvm::StringRef text, const Substitutions &values) : rest(text), values(values) {}

  /// The value of the parenthesis that `text` begins with; `length` becomes the number of its
  /// characters.
  std::optional<int64_t> parenthesis(size_t &length) {
    size_t before = rest.size();
    std::optional<int64_t> value = factor();
    length = before - rest.size();
    return problem ? std::nullopt : value;
  }

  std::optional<Problem> problem;

private:
  std::optional<int64_t> fail(std::string message, std::string hint = "") {
    if (!problem)
      problem = Problem{std::move(message), std::move(hint)};
    return std::nullopt;
  }

  bool take(char c) {
    rest = rest.ltrim(' ');
    return rest.consume_front(llvm::StringRef(&c, 1));
  }

  std::optional<int64_t> combine(char sign, std::optional<int64_t> a, std::optional<int64_t> b) {
    if (!a || !b)
      return std::nullopt;
    int64_t result = 0;
    if (sign == '/') {
      if (*b == 0 || *b == -1 || *a % *b != 0)
        return fail(std::to_string(*a) + " / " + std::to_string(*b) + " is not a whole number");
      return *a / *b;
    }
    bool overflows = sign == '+'   ? __builtin_add_overflow(*a, *b, &result)
                     : sign == '-' ? __builtin_sub_overflow(*a, *b, &result)
                                   : __builtin_mul_overflow(*a, *b, &result);
    return overflows ? fail("the result does not fit into 64 bits") : result;
  }

  std::optional<int64_t> sum() {
    std::optional<int64_t> value = product();
    while (value) {
      char sign = take('+') ? '+' : take('-') ? '-' : 0;
      if (!sign)
        break;
      value = combine(sign, value, product());
    }
    return value;
  }

  std::optional<int64_t> product() {
    std::optional<int64_t> value = factor();
    while (value) {
      char sign = take('*') ? '*' : take('/') ? '/' : 0;
      if (!sign)
        break;
      value = combine(sign, value, factor());
    }
    return value;
  }

  std::optional<int64_t> factor() {
    if (++depth > 32)
      return fail("the expression is nested too deeply");
    std::optional<int64_t> value;
    if (take('(')) {
      value = sum();
      if (value && !take(')'))
        value = fail("expected ')' or one of + - * /" +
                     (rest.empty() ? std::string() : " before " + quoteText(rest)));
    } else if (take('-')) {
      value = combine('-', 0, factor());
    } else {
      value = operand();
    }
    --depth;
    return value;
  }

  std::optional<int64_t> operand() {
    if (!rest.empty() && startsName(rest.front())) {
      std::string name = rest.take_while(continuesName).str();
      rest = rest.drop_front(name.size());
      auto found = values.find(name);
      if (found == values.end())
        return fail("unknown value '" + name + "'" + didYouMean(name, namesOf(values)),
                    listOf(values));
      std::optional<int64_t> value = parseInteger(found->second);
      return value ? value
                   : fail("'" + name + "' is not an integer but " + quoteText(found->second));
    }
    llvm::StringRef digits = rest.take_while([](char c) { return llvm::isDigit(c); });
    std::optional<int64_t> value = parseInteger(digits);
    if (!value)
      return fail("expected an integer, a name or '('" +
                  (rest.empty() ? std::string() : " before " + quoteText(rest)));
    rest = rest.drop_front(digits.size());
    return value;
  }

  llvm::StringRef rest;
  const Substitutions &values;
  unsigned depth = 0;
};

/// The text with its values, or why there is none.
std::optional<std::string> filled(llvm::StringRef text, const Substitutions &values,
                                  Problem &problem) {
  std::string result;
  while (!text.empty()) {
    llvm::StringRef plain = text.take_until([](char c) { return c == '$'; });
    result += plain;
    text = text.drop_front(plain.size());
    if (!text.consume_front("$"))
      break;
    if (text.consume_front("$")) {
      result += '$';
    } else if (text.starts_with("(")) {
      Expression expression(text, values);
      size_t length = 0;
      std::optional<int64_t> value = expression.parenthesis(length);
      if (!value) {
        problem = *expression.problem;
        return std::nullopt;
      }
      result += std::to_string(*value);
      text = text.drop_front(length);
    } else {
      std::string name = startsName(text.empty() ? ' ' : text.front())
                             ? text.take_while(continuesName).str()
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
      result += found->second;
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
      reader.error(node.mark, "in " + quoteText(node.text) + ": " + problem.message, problem.hint);
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
