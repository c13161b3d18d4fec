#include "ops/Registry.h"
#include "support/InputFile.h"
#include "templates/language/Quote.h"
#include "templates/operators/TemplateOperator.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MemoryBuffer.h>

#include <map>

namespace kgen {

using llvm::StringRef;
using templates::Template;

namespace {

/// The attribute that a parameter is.
AttributeKind attributeKindOf(const templates::Parameter &parameter) {
  switch (parameter.kind) {
  case templates::Value::Kind::number:
  case templates::Value::Kind::boolean: // 0 or 1, as ONNX has it
    return AttributeKind::integer;
  case templates::Value::Kind::real:
    return AttributeKind::real;
  case templates::Value::Kind::shape:
    return AttributeKind::integers;
  default:
    return AttributeKind::string;
  }
}

AttributeValue attributeValueOf(const templates::Value &value) {
  switch (value.kind) {
  case templates::Value::Kind::number:
  case templates::Value::Kind::boolean:
    return value.number;
  case templates::Value::Kind::real:
    return value.real;
  case templates::Value::Kind::shape:
    return value.sizes;
  default:
    return value.text;
  }
}

/// `parameter = ...` of operators: those that operands do not say.
std::vector<AttributeSchema> attributesOf(const TemplateOperator &op) {
  std::vector<AttributeSchema> attributes;
  for (const TemplateOverload *overload : op.overloads)
    for (const templates::Parameter &parameter : overload->header.parameters) {
      std::string name = parameter.name.str();
      bool isKnown =
          llvm::any_of(attributes, [&](const AttributeSchema &a) { return a.name == name; });
      if (isKnown || templates::followsFromOperands(overload->header, parameter.name))
        continue;
      std::optional<AttributeValue> otherwise;
      if (parameter.otherwise)
        otherwise = attributeValueOf(*parameter.otherwise);
      bool isOptional = !otherwise && op.overloads.size() > 1;
      attributes.push_back(
          {name, attributeKindOf(parameter), otherwise, isOptional, parameter.constraint.str()});
    }
  return attributes;
}

/// Element types that the first argument may have.
std::vector<ElementType> typesOf(const TemplateOperator &op) {
  std::vector<ElementType> types;
  for (ElementType type : allElementTypes())
    for (const TemplateOverload *overload : op.overloads) {
      const Template &header = overload->header;
      if (header.arguments.empty())
        continue;
      const templates::TypeTerm &term = header.arguments.front().type;
      StringRef element = term.element ? term.element->full : term.full;
      const templates::Parameter *parameter = header.find(element);
      std::string word(toString(type));
      bool takes =
          parameter ? parameter->allows(templates::Value::makeType(word)) : element == word;
      if (takes && !llvm::is_contained(types, type))
        types.push_back(type);
    }
  return types;
}

size_t resultCountOf(const Template &header) {
  StringRef text = header.resultText.trim();
  if (text.empty())
    return 0;
  if (text.consume_front("("))
    text.consume_back(")");
  templates::Lexer lexer{text};
  size_t count = 1;
  while (lexer.until([](templates::Token t) { return t.is(","); }), lexer.eat(","))
    ++count;
  return count;
}

/// Returns the text of the comment, `///` or `//`, right before the template, or names its file.
std::string summaryOf(const TemplateOverload &overload) {
  StringRef before(overload.file->text.data(),
                   overload.header.text.data() - overload.file->text.data());
  before = before.rtrim();
  before.consume_back("template.func");
  StringRef line = before.rtrim().rsplit('\n').second.trim();
  if (line.empty())
    line = before.trim();
  if (line.consume_front("//"))
    return line.ltrim("/ ").str();
  return "a template of " + overload.file->path;
}

Operator makeOperator(std::shared_ptr<TemplateOperator> op) {
  Operator result;
  result.name = op->name;
  result.summary = summaryOf(*op->overloads.front());
  result.minInputs = operatorUnlimited;
  result.maxInputs = 0;
  for (const TemplateOverload *overload : op->overloads) {
    result.minInputs = std::min(result.minInputs, overload->header.arguments.size());
    result.maxInputs = std::max(result.maxInputs, overload->header.arguments.size());
  }
  result.outputs = resultCountOf(op->overloads.front()->header);
  result.attributes = attributesOf(*op);
  for (ElementType type : typesOf(*op))
    result.types.push_back(type);
  result.symbolicDims = {"what any_dim, any_shape and sets of sizes take",
                         [](const InferenceContext &, size_t, size_t) { return std::string(); }};
  result.infer = [op](InferenceContext &context) { return op->infer(context); };
  result.lower = [op](LoweringContext &context) { op->lower(context); };
  result.counterpart = [op](const InferenceContext &context) { return op->counterpart(context); };
  return result;
}

/// Templates of a file, and everything that is wrong with them.
void readFile(const TemplateSource &file, std::vector<TemplateOverload> &all,
              Diagnostics &diagnostics) {
  for (StringRef text : templates::templateTexts(file.text)) {
    std::vector<templates::ExpressionError> errors;
    std::optional<Template> header = templates::parseTemplate(text, errors);
    for (const templates::ExpressionError &error : errors)
      diagnostics.error(file.locationOf(error.at), error.message, error.hint);
    if (header)
      all.push_back({&file, std::move(*header)});
  }
}

/// Returns where the template of a name is that a header names; it must be there.
SourceLoc findNamed(const std::vector<TemplateOverload> &all, const TemplateOverload &by,
                    StringRef name, Diagnostics &diagnostics) {
  std::vector<std::string> names;
  for (const TemplateOverload &overload : all) {
    if (overload.header.name == name)
      return overload.file->locationOf(overload.header.name.data());
    names.push_back(overload.header.name.str());
  }
  diagnostics.error(by.file->locationOf(name.data()),
                    "there is no template @" + name.str() + didYouMean(name.str(), names));
  return {};
}

void findNamedTemplates(std::vector<TemplateOverload> &all, Diagnostics &diagnostics) {
  for (TemplateOverload &overload : all) {
    if (!overload.header.reference.empty())
      overload.reference = findNamed(all, overload, overload.header.reference, diagnostics);
    if (!overload.header.replaces.empty())
      findNamed(all, overload, overload.header.replaces, diagnostics);
  }
}

} // namespace

std::shared_ptr<const TemplateSources> readTemplates(const std::vector<Located<std::string>> &paths,
                                                     Diagnostics &diagnostics) {
  if (paths.empty())
    return nullptr;
  auto sources = std::make_shared<TemplateSources>();
  for (const Located<std::string> &path : paths) {
    auto buffer = readInputFile(path.value, maxTextBytes);
    if (!buffer) {
      diagnostics.error(path.where,
                        "templates '" + path.value + "': " + llvm::toString(buffer.takeError()));
      continue;
    }
    sources->files.push_back(
        std::make_unique<TemplateSource>(TemplateSource{path.value, (*buffer)->getBuffer().str()}));
    size_t before = sources->all.size(), errors = diagnostics.errors().size();
    readFile(*sources->files.back(), sources->all, diagnostics);
    if (sources->all.size() == before && diagnostics.errors().size() == errors)
      diagnostics.error(path.where, "'" + path.value + "' has no template",
                        "`template.func {...} @my.name(...) -> ... { ... }` is one");
  }
  findNamedTemplates(sources->all, diagnostics);
  return sources;
}

/// Those of the names that `isWanted`.
static std::vector<Operator> operatorsOf(const std::shared_ptr<const TemplateSources> &files,
                                         llvm::function_ref<bool(StringRef)> isWanted) {
  std::map<std::string, std::shared_ptr<TemplateOperator>> byName;
  for (const TemplateOverload &overload : files->all) {
    std::string name = overload.header.name.str();
    if (!isWanted(name))
      continue;
    std::shared_ptr<TemplateOperator> &op = byName[name];
    if (!op)
      op = std::make_shared<TemplateOperator>(name, files);
    op->overloads.push_back(&overload);
  }
  std::vector<Operator> operators;
  for (auto &[name, op] : byName)
    operators.push_back(makeOperator(op));
  return operators;
}

std::vector<Operator> templateOperators(const std::shared_ptr<const TemplateSources> &files) {
  return operatorsOf(files, [](StringRef name) { return name.contains('.'); });
}

std::shared_ptr<const OperatorTable>
callableTemplates(const std::shared_ptr<const TemplateSources> &files) {
  return std::make_shared<OperatorTable>(operatorsOf(files, [](StringRef) { return true; }));
}

std::shared_ptr<const OperatorTable>
operatorsWith(const std::shared_ptr<const TemplateSources> &files) {
  if (!files)
    return {std::shared_ptr<const OperatorTable>(), &builtInOperators()};
  std::vector<Operator> operators = builtInOperators().all();
  for (Operator &op : templateOperators(files))
    operators.push_back(std::move(op));
  return std::make_shared<OperatorTable>(std::move(operators), builtInOperators().external().lower);
}

} // namespace kgen
