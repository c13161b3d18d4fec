#include "templates/operators/TemplateOperator.h"

#include "dialect/kgen/MlirErrors.h"
#include "dialect/kgen/Size.h"
#include "ops/Lowering.h"
#include "templates/dialect/Template.h"
#include "templates/language/Expand.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MemoryBuffer.h>

namespace kgen {

using llvm::StringRef;
using templates::CallShape;
using templates::Match;

namespace {

/// An operand's type as a header's arguments are unified with it; `sizeText` says what stands for a
/// size that is known at run time only.
std::string typeText(const TensorType &type,
                     llvm::function_ref<std::string(const Dim &)> sizeText) {
  std::string text = "tensor<";
  for (const Dim &size : type.shape.dims())
    text += (size.isNumber() ? std::to_string(*size.number()) : sizeText(size)) + "x";
  return text + std::string(toString(type.element)) + ">";
}

/// Probes templates whose sizes are known at run time only with numbers in their place.
class SizeProbes {
public:
  static constexpr int64_t rounds = 2;

  explicit SizeProbes(const InferenceContext &context) {
    for (size_t i = 0; i < context.inputCount(); ++i)
      for (const Dim &size : context.input(i).shape.dims())
        if (!size.isNumber() && !llvm::is_contained(sizes, size))
          sizes.push_back(size);
  }

  bool empty() const { return sizes.empty(); }

  int64_t numberOf(const Dim &size, int64_t round) const {
    return numberOf(llvm::find(sizes, size) - sizes.begin(), round);
  }

  /// The size that gives these numbers: one that does not depend on those of operands, or one of
  /// these.
  std::optional<Dim> sizeOf(llvm::ArrayRef<int64_t> numbers) const {
    if (llvm::all_equal(numbers))
      return Dim(numbers.front());
    for (const Dim &size : sizes)
      if (numbers[0] == numberOf(size, 0) && numbers[1] == numberOf(size, 1))
        return size;
    return std::nullopt;
  }

  /// A text with the sizes in place of the numbers of the first round.
  std::string shown(std::string text) const {
    for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i) {
      const std::string number = std::to_string(numberOf(i, 0));
      for (size_t at; (at = text.find(number)) != std::string::npos;)
        text.replace(at, number.size(), sizes[i].str());
    }
    return text;
  }

private:
  /// Multiples of many numbers, and larger than those that stand in templates.
  static int64_t numberOf(int64_t index, int64_t round) {
    constexpr int64_t divisible = 5040, first = 1009, apart = 20;
    return (first + apart * index + round * (3 + index)) * divisible;
  }

  std::vector<Dim> sizes;
};

struct ParameterText {
  StringRef quote;
  std::string operator()(int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return templates::realText(v); }
  std::string operator()(const std::string &v) const { return quote.str() + v + quote.str(); }
  std::string operator()(const std::vector<int64_t> &v) const {
    std::string text;
    for (int64_t size : v)
      text += (text.empty() ? "" : "x") + std::to_string(size);
    return text.empty() ? "[]" : text;
  }
  template <typename T> std::string operator()(const std::vector<T> &) const { return ""; }
};

/// The type that a template's result is; nothing if it is no tensor of known sizes.
std::optional<TensorType> tensorTypeOf(const std::string &text) {
  templates::Lexer lexer{text};
  templates::ExpressionError ignored;
  auto term = templates::parseTypeTerm(lexer, {}, ignored);
  if (!term || term->base != "tensor" || !term->element)
    return std::nullopt;
  TensorType type;
  for (StringRef dim : term->dims)
    if (dim.getAsInteger(10, type.shape.emplace_back()))
      return std::nullopt;
  std::optional<ElementType> element = parseElementType(term->element->full.str());
  if (!element)
    return std::nullopt;
  type.element = *element;
  return type;
}

} // namespace

SourceLoc TemplateSource::locationOf(const char *at) const {
  StringRef whole = text;
  if (!at || at < whole.begin() || at > whole.end())
    return {path, 0, 0};
  StringRef before = whole.take_front(at - whole.begin());
  size_t line = before.rfind('\n');
  size_t column = line == StringRef::npos ? before.size() + 1 : before.size() - line;
  return {path, unsigned(before.count('\n')) + 1, unsigned(column)};
}

void TemplateOperator::reportNoFit(const InferenceContext &context, const CallShape &call) const {
  std::string types;
  for (const templates::TypeTerm &operand : call.operands)
    types += (types.empty() ? "" : ", ") + operand.full.str();
  const TemplateOverload &first = *overloads.front();
  Match refusal = templates::matchCall(first.header, withoutOthers(call, first), nullptr);
  context.error(overloads.size() == 1
                    ? name + " cannot be used like this: " + refusal.refusal.message
                    : name + " has no template for (" + types + "): " + refusal.refusal.message,
                "declared at " + first.file->locationOf(refusal.refusal.at).str());
}

const TemplateOverload *TemplateOperator::resolve(const InferenceContext &context,
                                                  Match &match) const {
  NodeCall call = callOf(context);
  std::vector<Fit> fits;
  for (const TemplateOverload *overload : overloads) {
    Match one =
        templates::matchCall(overload->header, withoutOthers(call.shape, *overload), nullptr);
    if (one.fits())
      fits.emplace_back(overload, std::move(one));
  }
  if (fits.empty()) {
    reportNoFit(context, call.shape);
    return nullptr;
  }
  for (Fit &fit : fits) {
    const TemplateOverload *best = fit.first;
    bool isBest = llvm::all_of(fits, [&](const Fit &other) {
      return other.first == best || templates::isMoreSpecial(best->header, other.first->header);
    });
    if (isBest) {
      match = std::move(fit.second);
      return best;
    }
  }
  context.error(name + " is ambiguous: several templates fit, and none is the most special",
                "a template with this header would decide: " +
                    templates::decidingHeader(fits[0].first->header, fits[1].first->header));
  return nullptr;
}

std::optional<std::vector<TensorType>>
TemplateOperator::resultTypes(const InferenceContext &context, const TemplateOverload &overload,
                              const templates::Environment &values, const Match &match) const {
  templates::ExpressionError error;
  auto texts = templates::resultTypesOf(overload.header, values, nullptr, error);
  if (!texts) {
    context.error(name + ": " + error.message + " (" + templates::shown(match.values) + ")",
                  "at " + overload.file->locationOf(error.at).str());
    return std::nullopt;
  }
  std::vector<TensorType> types;
  for (const std::string &text : *texts) {
    std::optional<TensorType> type = tensorTypeOf(text);
    if (!type) {
      context.error(name + " gives " + text + ", which is no tensor of known sizes",
                    "declared at " +
                        overload.file->locationOf(overload.header.resultText.data()).str());
      return std::nullopt;
    }
    types.push_back(std::move(*type));
  }
  return types;
}

/// The values of a match with numbers in the place of sizes that are known at run time only.
static std::optional<templates::Environment> probedValues(const InferenceContext &context,
                                                          const TemplateOverload &overload,
                                                          const Match &match,
                                                          const SizeProbes &probes, int64_t round) {
  templates::Unifier unifier(overload.header);
  std::vector<std::unique_ptr<std::string>> texts;
  for (size_t i = 0; i < context.inputCount(); ++i) {
    auto number = [&](const Dim &size) { return std::to_string(probes.numberOf(size, round)); };
    texts.push_back(std::make_unique<std::string>(typeText(context.input(i), number)));
    templates::Lexer lexer{*texts.back()};
    templates::ExpressionError ignored;
    auto operand = templates::parseTypeTerm(lexer, {}, ignored);
    if (unifier.unify(overload.header.arguments[i].type, *operand, i))
      continue;
    context.error(context.node.op->name + ": " + probes.shown(unifier.error.message),
                  "declared at " + overload.file->locationOf(unifier.error.at).str());
    return std::nullopt;
  }
  templates::Environment values = match.values;
  for (const auto &[parameter, bound] : unifier.bound)
    values[parameter.str()] = bound.value;
  return values;
}

std::vector<TensorType> TemplateOperator::infer(const InferenceContext &context) const {
  Match match;
  const TemplateOverload *overload = resolve(context, match);
  if (!overload)
    return {};
  const SizeProbes probes(context);
  if (probes.empty())
    return resultTypes(context, *overload, match.values, match).value_or(std::vector<TensorType>());
  std::vector<std::vector<TensorType>> rounds;
  for (int64_t round = 0; round < SizeProbes::rounds; ++round) {
    auto values = probedValues(context, *overload, match, probes, round);
    auto types = values ? resultTypes(context, *overload, *values, match) : std::nullopt;
    if (!types)
      return {};
    rounds.push_back(std::move(*types));
  }
  std::vector<TensorType> types = rounds.front();
  for (size_t i = 0; i < types.size(); ++i)
    for (size_t d = 0; d < types[i].shape.size(); ++d) {
      int64_t numbers[SizeProbes::rounds];
      for (int64_t round = 0; round < SizeProbes::rounds; ++round)
        numbers[round] = rounds[round][i].shape.dim(d).number().value_or(0);
      std::optional<Dim> size = probes.sizeOf(numbers);
      if (!size) {
        context.error(name + " gives a size that is computed from one that is known at run time "
                             "only: it can be that of an operand, or a number",
                      "declared at " +
                          overload->file->locationOf(overload->header.resultText.data()).str());
        return {};
      }
      types[i].shape.setDim(d, *size);
    }
  return types;
}

void TemplateOperator::lower(LoweringContext &context) const {
  Match match;
  if (!resolve(context, match))
    return;
  Diagnostics found;
  bool isAdded =
      addTemplates(context.b.getInsertionBlock()->getParentOp()->getParentOfType<mlir::ModuleOp>(),
                   *sources, found);
  for (const Diagnostic &one : found.errors())
    context.error(one.where.str() + ": " + one.message);
  if (!isAdded)
    return;
  llvm::SmallVector<mlir::NamedAttribute> parameters;
  for (const auto &[parameter, value] : match.values)
    parameters.push_back(context.b.getNamedAttr(parameter, context.b.getStringAttr(value.shown())));
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Type> results;
  for (size_t i = 0; i < context.inputCount(); ++i)
    operands.push_back(context.operand(i));
  for (size_t i = 0; i < context.resultCount(); ++i)
    results.push_back(context.resultTensor(i));
  auto call = templates::CallOp::create(context.b, context.loc, results,
                                        mlir::FlatSymbolRefAttr::get(context.b.getContext(), name),
                                        context.b.getDictionaryAttr(parameters), operands);
  llvm::SmallVector<mlir::Attribute> shapes; // of results, until it is replaced
  for (size_t i = 0; i < context.resultCount(); ++i)
    shapes.push_back(mlir::AffineMapAttr::get(
        shapeMap(context.resultShape(i), context.graph.dims, context.b.getContext())));
  if (!context.graph.dims.empty())
    call->setAttr(shapeAttrName, context.b.getArrayAttr(shapes));
  for (size_t i = 0; i < context.resultCount(); ++i)
    context.setResult(call.getResult(i), i);
}

std::optional<Counterpart> TemplateOperator::counterpart(const InferenceContext &context) const {
  Match match;
  const TemplateOverload *overload = resolve(context, match);
  if (!overload || overload->header.reference.empty())
    return std::nullopt;
  return Counterpart{"@" + name + "<" + templates::shown(match.values) + ">",
                     "@" + overload->header.reference.str(),
                     overload->file->locationOf(overload->header.name.data()), overload->reference};
}

TemplateOperator::NodeCall TemplateOperator::callOf(const InferenceContext &context) const {
  NodeCall call;
  for (size_t i = 0; i < context.inputCount(); ++i) {
    auto unknown = [](const Dim &) { return std::string("?"); };
    call.texts.push_back(std::make_unique<std::string>(typeText(context.input(i), unknown)));
    templates::Lexer lexer{*call.texts.back()};
    templates::ExpressionError ignored;
    call.shape.operands.push_back(*templates::parseTypeTerm(lexer, {}, ignored));
  }
  for (const auto &[attribute, value] : context.node.attributes) {
    const templates::Parameter *parameter = findParameter(attribute);
    bool isString = parameter && parameter->kind == templates::Value::Kind::string;
    call.shape.given[attribute] = std::visit(ParameterText{isString ? "\"" : ""}, value);
    if (parameter && parameter->kind == templates::Value::Kind::boolean)
      call.shape.given[attribute] = call.shape.given[attribute] == "0" ? "false" : "true";
  }
  return call;
}

const templates::Parameter *TemplateOperator::findParameter(StringRef wanted) const {
  for (const TemplateOverload *overload : overloads)
    if (const templates::Parameter *parameter = overload->header.find(wanted))
      return parameter;
  return nullptr;
}

/// Defaults of other overloads' parameters are nothing that was given to this one.
CallShape TemplateOperator::withoutOthers(CallShape call, const TemplateOverload &overload) const {
  for (auto given = call.given.begin(); given != call.given.end();)
    given = overload.header.find(given->first) || !isDefault(given->first, given->second)
                ? std::next(given)
                : call.given.erase(given);
  return call;
}

bool TemplateOperator::isDefault(StringRef parameter, StringRef text) const {
  const templates::Parameter *found = findParameter(parameter);
  std::optional<templates::Value> value =
      found ? templates::parseValue(text, found->kind) : std::nullopt;
  return value && found->otherwise && *value == *found->otherwise;
}

bool addTemplates(mlir::ModuleOp module, const TemplateSources &sources, Diagnostics &diagnostics) {
  if (!module.getOps<templates::FuncOp>().empty())
    return true;
  module.getContext()->getOrLoadDialect<templates::TemplateDialect>();
  mlir::Block *body = module.getBody();
  mlir::Block::iterator first = body->begin();
  for (const std::unique_ptr<TemplateSource> &file : sources.files) {
    TemplateFile parsed(llvm::MemoryBuffer::getMemBuffer(file->text, file->path, false));
    mlir::OwningOpRef<mlir::ModuleOp> other;
    {
      MlirErrors errors(module.getContext(), {file->path, 0, 0}, diagnostics);
      other = parsed.parse(*module.getContext());
    }
    if (!other)
      return false;
    for (templates::FuncOp op : llvm::make_early_inc_range(other->getOps<templates::FuncOp>()))
      op->moveBefore(body, first);
  }
  return true;
}

bool actsOnGraphs(const TemplateSources &sources) {
  return llvm::any_of(sources.all, [](const TemplateOverload &overload) {
    return !overload.header.replaces.empty() || overload.header.kernel;
  });
}

bool addActingTemplates(mlir::ModuleOp module, const TemplateSources &sources,
                        Diagnostics &diagnostics) {
  return !actsOnGraphs(sources) || addTemplates(module, sources, diagnostics);
}

std::vector<std::string> pathsOf(const TemplateSources &sources) {
  std::vector<std::string> paths;
  for (const std::unique_ptr<TemplateSource> &file : sources.files)
    paths.push_back(file->path);
  return paths;
}

std::vector<std::string> kernelTemplates(const TemplateSources &sources) {
  std::vector<std::string> names;
  for (const TemplateOverload &overload : sources.all)
    if (overload.header.kernel)
      names.push_back(overload.header.name.str());
  return names;
}

std::string placeOfTemplate(StringRef name, const TemplateSources &sources) {
  for (const TemplateOverload &overload : sources.all)
    if (overload.header.name == name)
      return overload.file->locationOf(overload.header.name.data()).str();
  return "";
}

} // namespace kgen
