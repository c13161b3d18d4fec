// The language of templates from hostile text, without MLIR: definitions, calls, instances.
#include "templates/language/Expand.h"
#include "templates/language/Quote.h"
#include "templates/language/Unify.h"

#include <cstdio>
#include <cstdlib>

using namespace kgen::templates;

namespace {

/// Of one template, which are tried.
constexpr size_t maxTuples = 8;

void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "expected that %s\n", what);
  std::abort();
}

/// An error says something, at a place of the text.
void require(const ExpressionError &error, llvm::StringRef text) {
  require(!error.message.empty(), "an error says something");
  require(error.at >= text.begin() && error.at <= text.end(), "an error has a place");
}

std::vector<Value> valuesOf(const Parameter &parameter) {
  if (!parameter.set.empty())
    return parameter.set;
  switch (parameter.kind) {
  case Value::Kind::type:
    return {Value::makeType("f32"), Value::makeType("u8")};
  case Value::Kind::shape:
    return {Value::makeShape({}), Value::makeShape({4, dynamicSize})};
  case Value::Kind::number:
    return {Value::makeNumber(8), Value::makeNumber(parameter.takesDynamic ? dynamicSize : 0)};
  case Value::Kind::boolean:
    return {Value::makeBoolean(false), Value::makeBoolean(true)};
  case Value::Kind::string:
    return {Value::makeString("a"), Value::makeString("\"\\")};
  default:
    return {Value::makeReal(0.5), Value::makeReal(1e300)};
  }
}

std::vector<Environment> tuplesOf(const Template &of) {
  std::vector<Environment> tuples{{}};
  for (const Parameter &parameter : of.parameters) {
    std::vector<Environment> longer;
    for (const Environment &tuple : tuples)
      for (const Value &value : valuesOf(parameter))
        if (longer.size() < maxTuples)
          longer.emplace_back(tuple)[parameter.name.str()] = value;
    tuples = std::move(longer);
  }
  return tuples;
}

void instantiate(const Template &of, const TargetFacts &target) {
  for (const Environment &values : tuplesOf(of)) {
    ExpressionError error;
    if (!holdRequirements(of, values, &target, error))
      require(error, of.text);
    Expander text = expandInstance(of, values, &target, {256, 1 << 16});
    if (!text.error.message.empty())
      require(text.error, of.text);
    ExpressionError inferred;
    require(resultTypesOf(of, values, nullptr, inferred) || !inferred.message.empty(),
            "types are inferred, or it is said why not");
  }
}

/// Each template is called with the types of each one's arguments, and with its own parameters.
void call(const Template &of, const Template &with, const TargetFacts &target) {
  CallShape shape;
  for (const Argument &argument : with.arguments)
    shape.operands.push_back(argument.type);
  for (const Parameter &parameter : with.parameters)
    if (parameter.otherwise)
      shape.given[parameter.name.str()] = parameter.otherwise->shown();
  Match match = matchCall(of, shape, &target);
  if (!match.fits())
    require(match.refusal, of.text);
  require(!isMoreSpecial(of, with) || !isMoreSpecial(with, of), "the order is one");
  if (of.arguments.size() == with.arguments.size())
    require(!decidingHeader(of, with).empty(), "a header is shown");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  llvm::StringRef file(reinterpret_cast<const char *>(data), size);
  const TargetFacts target{{"avx2"}, {{"vector_bits", 256}, {"l1d", 32768}}};
  std::string quoted = quoteTemplates(file);
  require(quoteTemplates(quoted) == quoted, "what is quoted stays as it is");
  std::vector<Template> templates;
  for (llvm::StringRef text : templateTexts(file)) {
    std::vector<ExpressionError> errors;
    std::optional<Template> made = parseTemplate(text, errors);
    require(made.has_value() == errors.empty(), "there is a template or an error");
    for (const ExpressionError &error : errors)
      require(error, text);
    if (made)
      templates.push_back(std::move(*made));
  }
  for (const Template &of : templates) {
    instantiate(of, target);
    for (const Template &with : templates)
      call(of, with, target);
  }
  return 0;
}
