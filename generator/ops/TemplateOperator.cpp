#include "ops/TemplateOperator.h"

#include "dialect/kgen/MlirErrors.h"
#include "dialect/template/ReadFile.h"
#include "dialect/template/Template.h"
#include "ops/Lowering.h"
#include "templates/Expand.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MemoryBuffer.h>

namespace kgen {

using llvm::StringRef;
using templates::CallShape;
using templates::Match;

namespace {

/// An operand's type as a header's arguments are unified with it.
std::string typeText(const TensorType &type) {
  std::string text = "tensor<";
  for (int64_t size : type.shape)
    text += std::to_string(size) + "x";
  return text + std::string(toString(type.element)) + ">";
}

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
  templates::TemplateError ignored;
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

Location TemplateSource::locationOf(const char *at) const {
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

std::vector<TensorType> TemplateOperator::infer(const InferenceContext &context) const {
  Match match;
  const TemplateOverload *overload = resolve(context, match);
  if (!overload)
    return {};
  templates::TemplateError error;
  auto texts = templates::resultTypesOf(overload->header, match.values, nullptr, error);
  if (!texts) {
    context.error(name + ": " + error.message + " (" + templates::shown(match.values) + ")",
                  "at " + overload->file->locationOf(error.at).str());
    return {};
  }
  std::vector<TensorType> types;
  for (const std::string &text : *texts) {
    std::optional<TensorType> type = tensorTypeOf(text);
    if (!type) {
      context.error(name + " gives " + text + ", which is no tensor of known sizes",
                    "declared at " +
                        overload->file->locationOf(overload->header.resultText.data()).str());
      return {};
    }
    types.push_back(std::move(*type));
  }
  return types;
}

void TemplateOperator::lower(LoweringContext &context) const {
  Match match;
  if (!resolve(context, match))
    return;
  Diagnostics found;
  bool isAdded = addTemplates(
      context.b.getInsertionBlock()->getParentOp()->getParentOfType<mlir::ModuleOp>(), *sources,
      found);
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
    call.texts.push_back(std::make_unique<std::string>(typeText(context.input(i))));
    templates::Lexer lexer{*call.texts.back()};
    templates::TemplateError ignored;
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

bool addTemplates(mlir::ModuleOp module, const TemplateSources &sources,
                  Diagnostics &diagnostics) {
  if (!module.getOps<templates::FuncOp>().empty())
    return true;
  mlir::Block *body = module.getBody();
  mlir::Block::iterator first = body->begin();
  for (const std::unique_ptr<TemplateSource> &file : sources.files) {
    templates::TemplateFile parsed(llvm::MemoryBuffer::getMemBuffer(file->text, file->path, false));
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

} // namespace kgen
