// Matches a call with a template, and finds its parameters for the call.
#include "templates/language/Unify.h"

#include "support/Diagnostics.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>

namespace kgen::templates {

using llvm::StringRef;

/// True if the value of an expression depends on the target.
static bool asksTarget(const Expression &expression) {
  return (expression.kind == Expression::Kind::call && expression.text == "target") ||
         llvm::any_of(expression.operands, asksTarget);
}

namespace {

class CallMatcher {
public:
  CallMatcher(const Template &candidate, const CallShape &call, const TargetFacts *target)
      : candidate(candidate), call(call), target(target), unifier(candidate) {}

  Match run() {
    if (call.operands.size() != candidate.arguments.size()) {
      refuse(candidate.signature, "it takes " + std::to_string(candidate.arguments.size()) +
                                      " operands, not " + std::to_string(call.operands.size()));
      return std::move(match);
    }
    if (!unifyAll())
      return std::move(match);
    for (const Parameter &parameter : candidate.parameters)
      if (!decide(parameter))
        return std::move(match);
    if (match.atRunTime.empty() && checkSizes())
      holdRequirements(candidate, match.values, target, match.refusal);
    return std::move(match);
  }

private:
  bool refuse(StringRef at, std::string message, std::string hint = "") {
    match.refusal = {at.data(), std::move(message), std::move(hint)};
    return false;
  }

  bool unifyAll() {
    for (const auto &[name, text] : call.given) {
      const Parameter *parameter = candidate.find(name);
      std::vector<std::string> names;
      for (const Parameter &p : candidate.parameters)
        names.push_back(p.name.str());
      if (!parameter)
        return refuse(candidate.signature, "it has no parameter " + name + didYouMean(name, names));
      if (!unifier.give(*parameter, text))
        return takeRefusal();
    }
    for (size_t i = 0; i < call.operands.size(); ++i)
      if (!unifier.unify(candidate.arguments[i].type, call.operands[i], i))
        return takeRefusal();
    return true;
  }

  bool takeRefusal() {
    match.refusal = unifier.error;
    match.otherAt = unifier.otherAt;
    return false;
  }

  bool decide(const Parameter &parameter) {
    auto found = unifier.bound.find(parameter.name);
    std::string name = parameter.name.str();
    if (found == unifier.bound.end()) {
      if (!parameter.otherwise)
        return refuse(parameter.name, name + " does not follow from the operands: say @" +
                                          candidate.name.str() + "<" + name + " = ...>");
      match.values[name] = *parameter.otherwise;
      return true;
    }
    const Unifier::Bound &bound = found->second;
    bool inSet = parameter.allows(bound.value);
    if (bound.value.isDynamic() && !parameter.takesDynamic && !(inSet && !parameter.set.empty()))
      return decideAtRunTime(parameter, bound);
    if (!inSet)
      return refuse(parameter.name,
                    name + " = " + bound.value.shown() + " is not one of " + parameter.setText());
    match.values[name] = bound.value;
    return true;
  }

  bool decideAtRunTime(const Parameter &parameter, const Unifier::Bound &bound) {
    RunTimeParameter atRunTime{&parameter, bound.places, {}};
    for (const Value &member : parameter.set)
      if (parameter.kind == Value::Kind::number || bound.value.covers(member))
        atRunTime.choices.push_back(member);
    if (atRunTime.choices.empty() || bound.isGiven)
      return refuse(parameter.name,
                    parameter.name.str() + " = " + bound.value.shown() +
                        (parameter.set.empty() ? " is known at run time only, and " +
                                                     parameter.name.str() + " has no finite set"
                                               : " is known at run time only, and none of " +
                                                     parameter.setText() + " fits it"));
    match.atRunTime.push_back(std::move(atRunTime));
    return true;
  }

  /// `$(...)` in the types of arguments, where the operand's size is known.
  bool checkSizes() {
    for (size_t i = 0; i < call.operands.size(); ++i) {
      const TypeTerm &formal = candidate.arguments[i].type;
      for (size_t k = 0; k < formal.dims.size(); ++k)
        if (formal.dims[k].starts_with("$(") && !checkSize(i, k))
          return false;
    }
    return true;
  }

  bool checkSize(size_t operand, size_t k) {
    const TypeTerm &formal = candidate.arguments[operand].type, &actual = call.operands[operand];
    // After a shape, sizes are counted from the end.
    bool behindShape = llvm::any_of(llvm::ArrayRef(formal.dims).take_front(k), [&](StringRef d) {
      const Parameter *p = candidate.find(d);
      return d == "*" || (p && p->kind == Value::Kind::shape);
    });
    size_t at = behindShape ? k + actual.dims.size() - formal.dims.size() : k;
    int64_t size = 0;
    if (actual.dims[at].getAsInteger(10, size))
      return true;
    Lexer lexer{formal.dims[k]};
    lexer.next();
    ExpressionError error;
    std::optional<Expression> e = parseExpression(lexer, error);
    if (e && !target && asksTarget(*e))
      return true;
    std::optional<Value> wanted =
        e ? evaluate(*e, {match.values, target}, error) : std::optional<Value>();
    if (!wanted)
      return refuse(formal.dims[k], error.message);
    if (*wanted == Value::makeNumber(size))
      return true;
    return refuse(formal.dims[k], "size " + std::to_string(at) + " of operand #" +
                                      std::to_string(operand) + " is " + std::to_string(size) +
                                      ", not " + formal.dims[k].str() + " = " + wanted->shown());
  }

  const Template &candidate;
  const CallShape &call;
  const TargetFacts *target;
  Unifier unifier;
  Match match;
};

} // namespace

bool followsFromOperands(const Template &candidate, StringRef parameter) {
  std::function<bool(const TypeTerm &)> occurs = [&](const TypeTerm &term) {
    return llvm::is_contained(term.dims, parameter) || (!term.element && term.base == parameter) ||
           (term.element && occurs(*term.element));
  };
  return llvm::any_of(candidate.arguments,
                      [&](const Argument &argument) { return occurs(argument.type); });
}

std::optional<double> costOf(const Template &candidate, const Environment &values,
                             const TargetFacts *target, ExpressionError &error) {
  std::optional<Value> cost =
      candidate.cost ? evaluate(*candidate.cost, {values, target}, error) : std::optional<Value>();
  if (cost && !cost->asReal())
    error = {candidate.cost->at, "expected a number of cycles, found " + cost->shown()};
  return cost ? cost->asReal() : std::nullopt;
}

bool holdRequirements(const Template &candidate, const Environment &values,
                      const TargetFacts *target, ExpressionError &error) {
  for (const Requirement &requirement : candidate.requirements) {
    if (!target && asksTarget(requirement.condition))
      continue;
    ExpressionError problem;
    std::optional<bool> holds = evaluateCondition(requirement.condition, {values, target}, problem);
    if (holds && *holds)
      continue;
    std::string why = requirement.message.empty() ? "" : requirement.message + ": ";
    error = {requirement.text.data(),
             holds ? why + "it requires " + requirement.text.str() + " (" + shown(values) + ")"
                   : problem.message + " (" + shown(values) + ")"};
    return false;
  }
  return true;
}

Match matchCall(const Template &candidate, const CallShape &call, const TargetFacts *target) {
  return CallMatcher(candidate, call, target).run();
}

} // namespace kgen::templates
