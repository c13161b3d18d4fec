#include "templates/language/Kernel.h"

#include "support/Diagnostics.h"
#include "templates/language/HeaderParser.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen::templates {

using llvm::StringRef;

llvm::ArrayRef<llvm::StringLiteral> kernelAttributes() {
  static constexpr llvm::StringLiteral names[] = {
      "element",       "m",          "n",          "k",        "a_row",
      "a_col",         "b_row",      "c_row",      "b_col",    "b_type",
      "sums",          "accumulate", "vnni",       "batch",    "a_batch",
      "b_batch",       "a_unsigned", "b_unsigned", "b_padded", "strict_order",
      "f16_accumulate"};
  return names;
}

size_t requiredKernelAttributes() {
  return llvm::find(kernelAttributes(), "b_col") - kernelAttributes().begin();
}

/// `ukernel.gemm {element = f32, m = M}`.
bool HeaderParser::kernel() {
  const char *begin = lexer.place();
  if (!expect("ukernel.gemm", "behind 'kernel'") || !expect("{", "and the descriptor's attributes"))
    return false;
  std::vector<std::string> known;
  for (StringRef name : kernelAttributes())
    known.push_back(name.str());
  result.kernel.emplace();
  while (!lexer.eat("}")) {
    if (!result.kernel->empty() && !expect(",", "or '}' behind an attribute"))
      return false;
    Token name = lexer.next();
    if (!llvm::is_contained(known, name.text))
      return fail(name.text.data(), "a kernel does not depend on " + quoted(name) +
                                        didYouMean(name.text.str(), known));
    if (!expect("=", "and what " + name.text.str() + " is"))
      return false;
    std::optional<Expression> value = expression();
    if (!value)
      return false;
    result.kernel->push_back({name.text, std::move(*value)});
  }
  for (StringRef name : kernelAttributes().take_front(requiredKernelAttributes()))
    if (llvm::none_of(*result.kernel, [&](const KernelAttribute &a) { return a.name == name; }))
      return fail(begin, "it does not say what " + name.str() + " is",
                  "a parameter, `" + name.str() + " = N`, takes any");
  return true;
}

namespace {

class KernelMatcher {
public:
  KernelMatcher(const Template &candidate, const KernelFacts &facts, const TargetFacts *target)
      : candidate(candidate), facts(facts), target(target) {}

  Match run() {
    if (bindParameters() && addDefaults() && compareAll() && checkOthers())
      holdRequirements(candidate, match.values, target, match.refusal);
    return std::move(match);
  }

private:
  bool refuse(const char *at, std::string message) {
    match.refusal = {at, std::move(message)};
    return false;
  }

  const Parameter *parameterOf(const KernelAttribute &attribute) const {
    return attribute.value.kind == Expression::Kind::name ? candidate.find(attribute.value.text)
                                                          : nullptr;
  }

  bool bindParameters() {
    for (const KernelAttribute &attribute : *candidate.kernel) {
      const Parameter *parameter = parameterOf(attribute);
      if (!parameter || match.values.count(attribute.value.text))
        continue;
      const Value &value = facts.find(attribute.name)->second.value;
      std::optional<Value> converted = parameter->converted(value);
      if (!converted || !parameter->allows(*converted))
        return refuse(attribute.name.data(), attribute.name.str() + " = " + value.shown() +
                                                 " is no value of " + parameter->name.str() +
                                                 " : " + parameter->constraint.str());
      match.values[parameter->name.str()] = *converted;
    }
    return true;
  }

  bool addDefaults() {
    for (const Parameter &parameter : candidate.parameters) {
      if (match.values.count(parameter.name))
        continue;
      if (!parameter.otherwise)
        return refuse(parameter.name.data(),
                      parameter.name.str() + " does not follow from the descriptor");
      match.values[parameter.name.str()] = *parameter.otherwise;
    }
    return true;
  }

  bool compareAll() {
    for (const KernelAttribute &attribute : *candidate.kernel) {
      ExpressionError error;
      std::optional<Value> wanted = evaluate(attribute.value, {match.values, target}, error);
      const Value &value = facts.find(attribute.name)->second.value;
      if (!wanted)
        return refuse(error.at, error.message);
      if (!(*wanted == value))
        return refuse(attribute.name.data(),
                      attribute.name.str() + " is " + value.shown() + ", not " + wanted->shown());
    }
    return true;
  }

  /// Checks the attributes that the header does not list.
  bool checkOthers() {
    for (StringRef name : kernelAttributes()) {
      bool isListed =
          llvm::any_of(*candidate.kernel, [&](const KernelAttribute &a) { return a.name == name; });
      const KernelFact &fact = facts.find(name)->second;
      if (!isListed && !fact.isDefault)
        return refuse(candidate.name.data(), name.str() + " is " + fact.value.shown() +
                                                 ", which its header does not list");
    }
    return true;
  }

  const Template &candidate;
  const KernelFacts &facts;
  const TargetFacts *target;
  Match match;
};

} // namespace

Match matchKernel(const Template &candidate, const KernelFacts &facts, const TargetFacts *target) {
  return KernelMatcher(candidate, facts, target).run();
}

} // namespace kgen::templates
