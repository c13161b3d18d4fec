// Parameters of templates.
#include "templates/language/HeaderParser.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>

namespace kgen::templates {

using llvm::StringRef;

bool Parameter::allows(const Value &value) const {
  return set.empty() ||
         llvm::any_of(set, [&](const Value &member) { return member.covers(value); });
}

std::optional<Value> Parameter::converted(const Value &value) const {
  if (value.kind == kind && kind == Value::Kind::type && !set.empty() && !allows(value)) {
    for (const Value &member : set)
      if (member.str() == value.text)
        return member;
  }
  if (value.kind == kind)
    return value;
  if (kind == Value::Kind::real && value.asReal())
    return Value::makeReal(*value.asReal());
  if (kind == Value::Kind::shape && value.kind == Value::Kind::number)
    return Value::makeShape({value.number});
  return std::nullopt;
}

std::string Parameter::setText() const {
  constexpr size_t most = 12;
  std::string text;
  for (size_t i = 0; i < std::min(set.size(), most); ++i)
    text += (i ? ", " : "") + set[i].shown();
  return set.size() > most ? text + ", ... (" + std::to_string(set.size()) + ")" : text;
}

/// `{T : any_type, N : index = 4}`, which may be absent.
bool HeaderParser::parameters() {
  if (!lexer.eat("{") || lexer.eat("}"))
    return true;
  do {
    if (result.parameters.size() == maxParameters)
      return fail(lexer.place(), "a template has at most 32 parameters");
    if (!parameter())
      return false;
  } while (lexer.eat(","));
  return expect("}", "or ',' behind a parameter");
}

bool HeaderParser::parameter() {
  Token name = lexer.next();
  // MLIR's own words, names of operations and of attributes begin with small letters.
  if (!isParameterName(name.text) || result.find(name.text))
    return fail(name.text.data(),
                "expected a new name that begins with a capital letter, found " + quoted(name));
  Parameter parameter;
  parameter.name = name.text;
  if (!expect(":", "and what " + name.text.str() + " can be") || !constraint(parameter) ||
      (lexer.eat("=") && !defaultValue(parameter)))
    return false;
  result.parameters.push_back(std::move(parameter));
  return true;
}

/// `any_type_of<f32, bf16>`, `index`, `template.any_shape`.
bool HeaderParser::constraint(Parameter &parameter) {
  Token word = lexer.next();
  StringRef base = word.text;
  base.consume_front("!");
  base.consume_front("template.");
  bool hasSet = base.consume_back("_of");
  auto kind = llvm::StringSwitch<std::optional<Value::Kind>>(base)
                  .Case("any_type", Value::Kind::type)
                  .Case("any_shape", Value::Kind::shape)
                  .Cases({"index", "any_dim"}, Value::Kind::number)
                  .Case("bool", Value::Kind::boolean)
                  .Case("string", Value::Kind::string)
                  .Case("real", Value::Kind::real)
                  .Default(std::nullopt);
  if (!kind)
    return fail(word.text.data(),
                "expected any_type, any_shape, index, any_dim, bool, string or real, found " +
                    quoted(word),
                "each may end in _of<...>");
  parameter.kind = *kind;
  parameter.takesDynamic = base == "any_dim" || (base == "any_shape" && !hasSet);
  if (hasSet) {
    if (!expect("<", "and the set of " + parameter.name.str()))
      return false;
    const char *begin = lexer.rest.data();
    std::optional<StringRef> members = lexer.angles();
    if (!members)
      return fail(begin, "the set of " + parameter.name.str() + " is not closed");
    if (!set(parameter, *members))
      return false;
  }
  parameter.constraint = between(word.text.begin(), lexer.rest.begin()).rtrim();
  return true;
}

bool HeaderParser::set(Parameter &parameter, StringRef text) {
  Lexer members{text};
  do {
    StringRef member = members.until([](Token t) { return t.is(","); });
    if (member.trim().empty())
      return fail(member.data(), "expected a value of the set of " + parameter.name.str());
    bool isRange = parameter.kind == Value::Kind::number && member.contains("to");
    std::optional<Value> value = parseValue(member, parameter.kind);
    if (isRange ? !range(parameter, member) : !value)
      return isRange ? false
                     : fail(member.ltrim().data(), "'" + member.trim().str() +
                                                       "' cannot be in the set of " +
                                                       parameter.name.str());
    if (!isRange && !llvm::is_contained(parameter.set, *value))
      parameter.set.push_back(std::move(*value));
    if (parameter.set.size() > maxSetMembers)
      return fail(member.ltrim().data(), "a set has at most 256 members");
  } while (members.eat(","));
  return true;
}

/// `1 to 64 step 8`: the end is not in the set, as in loops.
bool HeaderParser::range(Parameter &parameter, StringRef text) {
  Lexer inner{text};
  auto number = [&](StringRef word, int64_t &value) {
    return (word.empty() || inner.eat(word)) && !inner.next().text.getAsInteger(10, value);
  };
  int64_t from = 0, to = 0, step = 1;
  if (!number("", from) || !number("to", to) || (inner.peek() && !number("step", step)) ||
      inner.peek() || step <= 0 || from < 0 || to <= from)
    return fail(text.ltrim().data(),
                "expected 'FROM to END [step STEP]', found '" + text.trim().str() + "'");
  if ((to - from - 1) / step >= int64_t(maxSetMembers))
    return fail(text.ltrim().data(), "a set has at most 256 members");
  for (int64_t k = 0; k <= (to - from - 1) / step; ++k)
    if (Value member = Value::makeNumber(from + k * step);
        !llvm::is_contained(parameter.set, member))
      parameter.set.push_back(std::move(member));
  return true;
}

bool HeaderParser::defaultValue(Parameter &parameter) {
  StringRef text = lexer.until([](Token t) { return t.is(",") || t.is("}"); });
  parameter.otherwise = parseValue(text, parameter.kind);
  if (!parameter.otherwise || !parameter.allows(*parameter.otherwise))
    return fail(text.ltrim().data(), "'" + text.trim().str() + "', the default of " +
                                         parameter.name.str() + ", is not a value of " +
                                         parameter.constraint.str());
  return true;
}

} // namespace kgen::templates
