// Takes bodies apart: operations of templates.
#include "templates/language/BodyParser.h"

#include "support/Diagnostics.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen::templates {

using llvm::StringRef;

namespace {

/// Blocks in blocks.
constexpr unsigned maxBlockDepth = 100;
/// Parameters and other names that are known at one place.
constexpr size_t maxNames = 1024;

const std::vector<std::string> controlNames = {
    "template.assert",       "template.call",     "template.const_for",    "template.const_if",
    "template.const_switch", "template.constant", "template.empty",        "template.error",
    "template.let",          "template.result",   "template.shape_switch", "template.type_switch",
    "template.value_switch", "template.yield"};

bool hasResults(Control::Kind kind) {
  return kind == Control::Kind::choice || kind == Control::Kind::conditions ||
         kind == Control::Kind::loop || kind == Control::Kind::empty;
}

std::optional<Control::Kind> kindOf(StringRef name) {
  name.consume_front("template.");
  if (name == "const_if")
    return Control::Kind::conditions;
  if (name == "const_for")
    return Control::Kind::loop;
  if (name == "const_switch" || name == "type_switch" || name == "shape_switch" ||
      name == "value_switch")
    return Control::Kind::choice;
  if (name == "let")
    return Control::Kind::let;
  if (name == "result")
    return Control::Kind::result;
  if (name == "constant")
    return Control::Kind::constant;
  if (name == "empty")
    return Control::Kind::empty;
  if (name == "assert")
    return Control::Kind::assertion;
  return name == "error" ? std::optional(Control::Kind::error) : std::nullopt;
}

} // namespace

void BodyParser::control(Lexer &lexer, Token op, std::vector<StringRef> results, Block &block,
                         bool isTopLevel) {
  if (op.is("template.yield")) {
    block.pieces.push_back({Piece::Kind::verbatim, op.text});
    return;
  }
  auto control = std::make_shared<Control>();
  control->at = op.text.data();
  control->results = std::move(results);
  if (++depth > maxBlockDepth) {
    fail(control->at, "blocks are nested too deeply: 100 levels are the limit");
  } else if (readControl(lexer, op, *control)) {
    bool ends = hasResults(control->kind) && control->kind != Control::Kind::loop &&
                control->results.empty() &&
                llvm::any_of(control->branches, [](const Branch &b) { return b.block.terminates; });
    block.terminates |= isTopLevel && ends;
    block.pieces.push_back({Piece::Kind::control, op.text, std::nullopt, std::move(control)});
  }
  --depth;
}

bool BodyParser::readControl(Lexer &lexer, Token op, Control &control) {
  std::optional<Control::Kind> kind = kindOf(op.text);
  if (!kind) {
    fail(op.text.data(),
         "there is no operation '" + op.text.str() + "'" + didYouMean(op.text.str(), controlNames));
    return false;
  }
  control.kind = *kind;
  if (!control.results.empty() && !hasResults(*kind)) {
    fail(op.text.data(), op.text.str() + " has no results");
    return false;
  }
  switch (*kind) {
  case Control::Kind::conditions:
    return conditions(lexer, control);
  case Control::Kind::choice:
    return choice(lexer, control);
  case Control::Kind::loop:
    return loop(lexer, control);
  case Control::Kind::let:
  case Control::Kind::result:
    return definition(lexer, control);
  case Control::Kind::constant:
    return constant(lexer, control);
  case Control::Kind::empty:
    return empty(lexer, control);
  case Control::Kind::assertion:
  case Control::Kind::error:
    return message(lexer, control);
  }
  llvm_unreachable("a kind of operation");
}

/// `-> (types)` of an operation with results.
void BodyParser::resultTypes(Lexer &lexer, Control &control) {
  if (!lexer.eat("->")) {
    if (!control.results.empty())
      fail(lexer.place(),
           "expected '->' and the types of the results, found " + quoted(lexer.peek()));
    return;
  }
  control.types = parse(lexer.until([](Token t) { return t.is("{") || t.is("case"); }));
}

/// `const_if C { } else template.const_if D { } else { }`.
bool BodyParser::conditions(Lexer &lexer, Control &control) {
  bool valid = true;
  while (true) {
    std::optional<Expression> condition = expression(lexer);
    if (!condition)
      return false;
    if (control.branches.empty() || lexer.peek().is("->"))
      resultTypes(lexer, control);
    Branch &branch = control.branches.emplace_back();
    branch.values.push_back(std::move(*condition));
    branch.block = braces(lexer, valid);
    if (!valid)
      return false;
    if (!lexer.eat("else"))
      break;
    if (!lexer.eat("template.const_if")) {
      Branch &otherwise = control.branches.emplace_back();
      otherwise.block = braces(lexer, valid);
      return valid;
    }
  }
  if (!control.results.empty())
    fail(control.at, "a template.const_if with results needs an 'else'");
  return true;
}

bool BodyParser::choice(Lexer &lexer, Control &control) {
  control.subject = expression(lexer);
  if (!control.subject)
    return false;
  resultTypes(lexer, control);
  while (lexer.peek().is("case") || lexer.peek().is("default"))
    if (!choiceBranch(lexer, control))
      return false;
  if (control.branches.empty()) {
    fail(lexer.place(), "expected 'case' or 'default', found " + quoted(lexer.peek()));
    return false;
  }
  checkCases(control);
  return true;
}

bool BodyParser::choiceBranch(Lexer &lexer, Control &control) {
  bool valid = true;
  Branch branch;
  Token word = lexer.next();
  if (!control.branches.empty() && control.branches.back().values.empty())
    fail(word.text.data(), "'default' is the last of all");
  if (word.is("case")) {
    do {
      std::optional<Expression> value = expression(lexer);
      if (!value)
        return false;
      branch.values.push_back(std::move(*value));
    } while (lexer.eat(","));
  }
  branch.block = braces(lexer, valid);
  control.branches.push_back(std::move(branch));
  return valid;
}

/// A switch over a parameter with a finite set has a case for each member, or `default`.
void BodyParser::checkCases(const Control &control) {
  if (control.subject->kind != Expression::Kind::name || control.branches.back().values.empty())
    return;
  auto set = scope.sets.find(control.subject->text);
  if (set == scope.sets.end())
    return;
  std::string missing;
  Environment none;
  for (const Value &member : set->second) {
    bool found = false;
    for (const Branch &branch : control.branches)
      for (const Expression &value : branch.values) {
        ExpressionError error;
        std::optional<Value> known = evaluate(value, {none}, error);
        found |= !known || known->covers(member);
      }
    if (!found)
      missing += (missing.empty() ? "" : ", ") + member.shown();
  }
  if (!missing.empty())
    fail(control.at, "no case takes " + control.subject->text.str() + " = " + missing,
         "add a case, or 'default'");
}

/// `const_for I = 0 to N step 2 iter_args(%a = %x) -> (type) { }`.
bool BodyParser::loop(Lexer &lexer, Control &control) {
  Token name = lexer.next();
  if (!isParameterName(name.text) || scope.names.count(name.text)) {
    fail(name.text.data(),
         "expected a new name that begins with a capital letter, found " + quoted(name));
    return false;
  }
  control.name = name.text;
  auto bound = [&](StringRef word, std::optional<Expression> &value) {
    if (!lexer.eat(word)) {
      fail(lexer.place(), "expected '" + word.str() + "', found " + quoted(lexer.peek()));
      return false;
    }
    return (value = expression(lexer)).has_value();
  };
  if (!bound("=", control.from) || !bound("to", control.to))
    return false;
  if (lexer.peek().is("step") && !bound("step", control.step))
    return false;
  if (!loopArguments(lexer, control))
    return false;
  resultTypes(lexer, control);
  BodyScope outer = scope;
  scope.names.insert(name.text.str());
  scope.sizes.insert(name.text.str());
  bool valid = true;
  control.branches.emplace_back().block = braces(lexer, valid);
  scope = std::move(outer);
  return valid;
}

bool BodyParser::loopArguments(Lexer &lexer, Control &control) {
  if (lexer.eat("iter_args")) {
    bool valid = lexer.eat("(");
    do {
      Token argument = lexer.next();
      valid = valid && argument.hasSigil('%') && lexer.eat("=");
      Token initial = valid ? lexer.next() : Token();
      valid = valid && initial.hasSigil('%');
      control.arguments.push_back(argument.text);
      control.initial.push_back(initial.text);
    } while (valid && lexer.eat(","));
    if (!valid || !lexer.eat(")")) {
      fail(lexer.place(), "expected 'iter_args(%name = %value, ...)'");
      return false;
    }
  }
  if (control.arguments.size() != control.results.size()) {
    fail(control.at, "the loop has " + std::to_string(control.results.size()) + " results and " +
                         std::to_string(control.arguments.size()) + " iter_args");
    return false;
  }
  return true;
}

/// `let NAME = EXPRESSION`, `result NAME = EXPRESSION`.
bool BodyParser::definition(Lexer &lexer, Control &control) {
  Token name = lexer.next();
  bool isLet = control.kind == Control::Kind::let;
  if (isLet && scope.names.size() >= maxNames) {
    fail(name.text.data(), "a template has at most " + std::to_string(maxNames) + " names");
    return false;
  }
  if (!isParameterName(name.text) || (isLet && scope.names.count(name.text))) {
    fail(name.text.data(),
         "expected a new name that begins with a capital letter, found " + quoted(name));
    return false;
  }
  if (!lexer.eat("=")) {
    fail(lexer.place(), "expected '=', found " + quoted(lexer.peek()));
    return false;
  }
  control.name = name.text;
  control.subject = expression(lexer);
  if (isLet) {
    scope.names.insert(name.text.str());
    scope.sizes.insert(name.text.str());
  }
  return control.subject.has_value();
}

/// `constant EXPRESSION : TYPE`, whose type stays text.
bool BodyParser::constant(Lexer &lexer, Control &control) {
  control.subject = expression(lexer);
  if (!control.subject)
    return false;
  Lexer ahead = lexer;
  ExpressionError error;
  if (!ahead.eat(":")) {
    fail(lexer.place(), "expected ':' and a type, found " + quoted(lexer.peek()));
    return false;
  }
  auto isSize = [&](StringRef word) { return scope.sizes.count(word) != 0; };
  std::optional<TypeTerm> type = parseTypeTerm(ahead, isSize, error);
  if (!type) {
    errors.push_back(std::move(error));
    return false;
  }
  control.isDense = type->element != nullptr;
  control.element = control.isDense ? type->element->full : type->full;
  return true;
}

/// A type, which stays text.
bool BodyParser::type(Lexer &lexer, Block &block) {
  ExpressionError error;
  auto isSize = [&](StringRef word) { return scope.sizes.count(word) != 0; };
  std::optional<TypeTerm> type = parseTypeTerm(lexer, isSize, error);
  if (type)
    block = parse(type->full);
  else
    errors.push_back(std::move(error));
  return type.has_value();
}

/// `%r = empty %x : TYPE`, or `: TYPE to TYPE`.
bool BodyParser::empty(Lexer &lexer, Control &control) {
  Token operand = lexer.next();
  if (control.results.size() != 1 || !operand.hasSigil('%')) {
    fail(control.at, "expected '%result = template.empty %operand : TYPE'");
    return false;
  }
  control.like = operand.text;
  if (!lexer.eat(":")) {
    fail(lexer.place(),
         "expected ':' and the type of " + operand.text.str() + ", found " + quoted(lexer.peek()));
    return false;
  }
  if (!type(lexer, control.operandType))
    return false;
  if (lexer.eat("to"))
    return type(lexer, control.types);
  control.types = control.operandType;
  return true;
}

/// `assert EXPRESSION, "text"`, `error "text"`.
bool BodyParser::message(Lexer &lexer, Control &control) {
  if (control.kind == Control::Kind::assertion) {
    const char *begin = lexer.place();
    control.subject = expression(lexer);
    if (!control.subject)
      return false;
    control.condition = between(begin, lexer.rest.begin()).trim();
    if (!lexer.eat(",")) {
      fail(lexer.place(), "expected ',' and a text, found " + quoted(lexer.peek()));
      return false;
    }
  }
  Token text = lexer.next();
  std::optional<Value> value =
      text.kind == Token::Kind::string ? parseValue(text.text, Value::Kind::string) : std::nullopt;
  bool saysNothing = control.kind == Control::Kind::error && value && value->text.empty();
  if (!value || saysNothing) {
    fail(text.text.data(), "expected a text in quotes, found " + quoted(text));
    return false;
  }
  control.message = value->text;
  return true;
}

} // namespace kgen::templates
