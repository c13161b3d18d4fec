// Expands bodies: text, branches, loops.
#include "templates/language/Expand.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace kgen::templates {

using llvm::StringRef;

void Expander::emit(StringRef plain, const char *source) {
  origins.push_back({text.size(), source, false});
  text += plain;
}

void Expander::verbatim(StringRef part) {
  origins.push_back({text.size(), part.data(), true});
  text += part;
}

bool Expander::fail(const char *at, std::string message, bool isLimit) {
  if (error.message.empty()) {
    error = {at, std::move(message)};
    error.isLimit = isLimit;
  }
  return false;
}

void Expander::append(const Expander &other) {
  for (Origin origin : other.origins) {
    origin.begin += text.size();
    origins.push_back(origin);
  }
  text += other.text;
}

const char *Expander::sourceOf(size_t line, size_t column) const {
  if (lineStarts.empty()) {
    lineStarts.push_back(0);
    for (size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n')
        lineStarts.push_back(i + 1);
  }
  if (line == 0 || line > lineStarts.size())
    return nullptr;
  size_t at = lineStarts[line - 1] + column - 1;
  auto behind =
      llvm::upper_bound(origins, at, [](size_t place, const Origin &o) { return place < o.begin; });
  if (behind == origins.begin())
    return nullptr;
  const Origin &origin = *std::prev(behind);
  return origin.source && origin.isVerbatim ? origin.source + (at - origin.begin) : origin.source;
}

bool Expander::expand(const Block &block) {
  for (const Piece &part : block.pieces) {
    if (!piece(part))
      return false;
    if (text.size() > limits.bytes)
      return fail(part.text.data(),
                  "the instance's text is longer than " + std::to_string(limits.bytes) +
                      " bytes (the limit is the option max-text)",
                  /*isLimit=*/true);
  }
  return true;
}

bool Expander::piece(const Piece &piece) {
  switch (piece.kind) {
  case Piece::Kind::verbatim:
    if (piece.text == "template.yield")
      return emit("scf.yield", piece.text.data()), true;
    return verbatim(piece.text), true;
  case Piece::Kind::name:
    if (auto found = names.find(piece.text); found != names.end())
      return emit(textOf(found->second), piece.text.data()), true;
    return verbatim(piece.text), true;
  case Piece::Kind::id:
    if (auto found = renamed.find(piece.text); found != renamed.end())
      return emit(found->second, piece.text.data()), true;
    return verbatim(piece.text), true;
  case Piece::Kind::size:
    return size(piece);
  case Piece::Kind::expression:
  case Piece::Kind::argument: {
    std::optional<Value> result = value(*piece.expression);
    if (!result)
      return false;
    bool isArgument = piece.kind == Piece::Kind::argument;
    emit(isArgument ? result->shown() : textOf(*result), piece.text.data());
    return true;
  }
  case Piece::Kind::control:
    return control(*piece.control);
  }
  llvm_unreachable("a kind of piece");
}

bool Expander::size(const Piece &piece) {
  std::optional<Value> result;
  if (piece.expression)
    result = value(*piece.expression);
  else if (auto found = names.find(piece.text); found != names.end())
    result = found->second;
  if (!result)
    return fail(piece.text.data(), "'" + piece.text.str() + "' has no value here");
  bool isShape = result->kind == Value::Kind::shape;
  if (!isShape && (result->kind != Value::Kind::number ||
                   (result->number < 0 && result->number != dynamicSize)))
    return fail(piece.text.data(), "expected a size or a shape, found " + result->shown());
  if (!isShape || !result->sizes.empty()) // a shape may have no dimensions
    emit(result->shown() + "x", piece.text.data());
  return true;
}

bool Expander::control(const Control &control) {
  switch (control.kind) {
  case Control::Kind::conditions:
    return conditions(control);
  case Control::Kind::choice:
    return choice(control);
  case Control::Kind::loop:
    return loop(control);
  case Control::Kind::constant:
    return constant(control);
  case Control::Kind::empty:
    return empty(control);
  case Control::Kind::let:
  case Control::Kind::result: {
    std::optional<Value> result = value(*control.subject);
    if (!result)
      return false;
    Environment &where = control.kind == Control::Kind::let ? names : decided;
    where[control.name.str()] = std::move(*result);
    return true;
  }
  case Control::Kind::assertion:
  case Control::Kind::error:
    return assertion(control);
  }
  llvm_unreachable("a kind of operation");
}

bool Expander::conditions(const Control &control) {
  for (const Branch &branch : control.branches) {
    std::optional<bool> holds = true;
    if (!branch.values.empty())
      holds = evaluateCondition(branch.values.front(), {names, target}, error);
    if (!holds)
      return false;
    if (*holds)
      return chosen(control, &branch);
  }
  return chosen(control, nullptr);
}

bool Expander::choice(const Control &control) {
  std::optional<Value> subject = value(*control.subject);
  if (!subject)
    return false;
  for (const Branch &branch : control.branches) {
    bool fits = branch.values.empty();
    for (const Expression &candidate : branch.values) {
      std::optional<Value> member = value(candidate);
      if (!member)
        return false;
      fits |= member->covers(*subject);
    }
    if (fits)
      return chosen(control, &branch);
  }
  return fail(control.at, "no case takes " + subject->shown());
}

bool Expander::chosen(const Control &control, const Branch *branch) {
  if (!branch)
    return control.results.empty() || fail(control.at, "no branch gives the results");
  std::vector<std::string> results;
  for (StringRef result : control.results)
    results.push_back(nameOf(result));
  return this->branch(branch->block, control.types, results, control.at);
}

/// A block that ends in a terminator takes the place of the operation; any other gets a region, so
/// that its names stay its own.
bool Expander::branch(const Block &block, const Block &types,
                      const std::vector<std::string> &results, const char *at) {
  Environment outer = names;
  bool inPlace = results.empty() && block.terminates && !block.yields;
  if (!inPlace) {
    emit(llvm::join(results, ", ") + (results.empty() ? "" : " = ") + "scf.execute_region", at);
    if (!results.empty()) {
      emit(" ->", at);
      if (!expand(types))
        return false;
    }
    emit(" {", at);
  }
  bool done = expand(block);
  if (!inPlace)
    emit(block.yields ? "\n}\n" : "\nscf.yield\n}\n", at);
  names = std::move(outer);
  return done;
}

std::string Expander::nameOf(StringRef id) const {
  auto found = renamed.find(id);
  return found == renamed.end() ? id.str() : found->second;
}

bool Expander::loopBounds(const Control &control, int64_t &from, int64_t &to, int64_t &step) {
  auto number = [&](const std::optional<Expression> &e, int64_t &result) {
    if (!e)
      return true;
    std::optional<Value> known = value(*e);
    if (known && (known->kind != Value::Kind::number || known->isDynamic()))
      return fail(e->at, "expected a whole number, found " + known->shown());
    result = known ? known->number : 0;
    return known.has_value();
  };
  if (!number(control.from, from) || !number(control.to, to) || !number(control.step, step))
    return false;
  return step > 0 ||
         fail(control.step->at, "a step must be positive, found " + std::to_string(step));
}

bool Expander::loop(const Control &control) {
  int64_t from = 0, to = 0, step = 1;
  if (!loopBounds(control, from, to, step))
    return false;
  std::vector<std::string> carried;
  for (StringRef initial : control.initial)
    carried.push_back(nameOf(initial));
  Environment outer = names;
  std::map<StringRef, std::string> outerNames = renamed;
  for (int64_t i = from; i < to;) {
    if (++copies > limits.copies)
      return fail(control.at,
                  "unrolled into more than " + std::to_string(limits.copies) +
                      " copies (the limit is the option max-unroll)",
                  /*isLimit=*/true);
    names[control.name.str()] = Value::makeNumber(i);
    for (auto [argument, now] : llvm::zip(control.arguments, carried))
      renamed[argument] = now;
    std::vector<std::string> results;
    for (StringRef result : control.results)
      results.push_back(result.str() + ".$" + std::to_string(copies));
    if (!branch(control.branches.front().block, control.types, results, control.at))
      return false;
    carried = std::move(results);
    if (__builtin_add_overflow(i, step, &i))
      break;
  }
  names = std::move(outer);
  renamed = std::move(outerNames);
  for (auto [result, last] : llvm::zip(control.results, carried))
    renamed[result] = last;
  return true;
}

/// As arith.constant, whose number is written in the way of its type.
bool Expander::constant(const Control &control) {
  std::optional<Value> constant = value(*control.subject);
  if (!constant)
    return false;
  auto found = names.find(control.element);
  StringRef type = found == names.end() ? control.element : StringRef(found->second.text);
  std::string number = constant->str();
  if (constant->isDynamic())
    return fail(control.at, "expected a number, found '?'");
  if (isFloatType(type) && constant->asReal())
    number = realText(*constant->asReal());
  else if (constant->kind == Value::Kind::boolean)
    number = constant->number ? "1" : "0";
  emit("arith.constant " + (control.isDense ? "dense<" + number + ">" : number), control.at);
  return true;
}

/// Returns which sizes of "tensor<4x?xf32>" are known at run time only.
static std::vector<size_t> dynamicSizesOf(StringRef type) {
  std::vector<size_t> dynamic;
  StringRef rest = type.split('<').second;
  for (size_t i = 0; !rest.empty() && (rest.front() == '?' || llvm::isDigit(rest.front())); ++i) {
    if (rest.front() == '?')
      dynamic.push_back(i);
    rest = rest.split('x').second;
  }
  return dynamic;
}

/// A tensor.empty that has those sizes of the operand which are not numbers.
bool Expander::empty(const Control &control) {
  Expander operand(names, target, limits, specTypes), result(names, target, limits, specTypes);
  for (auto [of, block] : {std::pair(&operand, &control.operandType), {&result, &control.types}})
    if (!of->expand(*block)) {
      error = of->error;
      return false;
    }
  const std::string name = nameOf(control.results.front()), like = nameOf(control.like);
  std::vector<std::string> sizes;
  for (size_t i : dynamicSizesOf(result.text)) {
    const std::string axis = std::to_string(i), size = name + ".$" + axis;
    emit(size + "c = arith.constant " + axis + " : index\n" + size + " = tensor.dim " + like +
             ", " + size + "c : " + operand.text + "\n",
         control.at);
    sizes.push_back(size);
  }
  emit(name + " = tensor.empty(" + llvm::join(sizes, ", ") + ") : " + result.text, control.at);
  return true;
}

bool Expander::assertion(const Control &control) {
  std::string condition;
  if (control.subject) {
    std::optional<bool> holds = evaluateCondition(*control.subject, {names, target}, error);
    if (!holds)
      return false;
    if (*holds)
      return true;
    condition = " (" + control.condition.str() + ")";
  }
  fail(control.at, control.message + condition);
  error.fromAuthor = true;
  return false;
}

/// The parameters and what template.result decided.
static Environment withDecided(const Environment &values, const Expander &body) {
  Environment all = values;
  all.insert(body.decided.begin(), body.decided.end());
  return all;
}

Expander expandInstance(const Template &of, const Environment &values, const TargetFacts *target,
                        ExpansionLimits limits) {
  Expander body(values, target, limits);
  if (!body.expand(of.body))
    return body;
  Expander whole(withDecided(values, body), target, limits);
  whole.append("func.func private @instance");
  if (!whole.expand(of.signatureBlock))
    return whole;
  if (!of.resultText.empty())
    whole.append(" -> ");
  if (!whole.expand(of.results))
    return whole;
  whole.append(" {");
  whole.append(body);
  whole.append("\n}\n");
  return whole;
}

std::optional<std::vector<std::string>> resultTypesOf(const Template &of, const Environment &values,
                                                      const TargetFacts *target,
                                                      ExpressionError &error) {
  Expander body(values, target, {}, /*specTypes=*/true);
  // Decisions and assertions of a body. Before a target is known, the rest may fail.
  if (!body.expand(of.body) && (body.error.fromAuthor || !of.decided.empty() || target)) {
    error = body.error;
    return std::nullopt;
  }
  Expander results(withDecided(values, body), target, {}, /*specTypes=*/true);
  if (!results.expand(of.results)) {
    error = results.error;
    return std::nullopt;
  }
  std::vector<std::string> types;
  Lexer lexer{results.text};
  bool inParentheses = lexer.eat("(");
  while (lexer.peek() && !(inParentheses && lexer.peek().is(")"))) {
    std::optional<TypeTerm> type = parseTypeTerm(lexer, {}, error);
    if (!type)
      return std::nullopt;
    types.push_back(type->full.str());
    if (!lexer.eat(","))
      break;
  }
  return types;
}

} // namespace kgen::templates
