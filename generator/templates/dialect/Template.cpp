#include "templates/dialect/Template.h"

#include "templates/language/Header.h"

#include <mlir/IR/Builders.h>
#include <mlir/IR/DialectImplementation.h>
#include <mlir/Transforms/InliningUtils.h>

#include <llvm/ADT/SmallString.h>

using namespace mlir;

/// A value of `<...>`, as text: `templates` reads it when it knows what the parameter can be.
static ParseResult parseParameterText(OpAsmParser &parser, std::string &text) {
  Type type;
  StringRef word;
  APInt number;
  std::string string;
  if (succeeded(parser.parseOptionalString(&string))) {
    text = kgen::templates::Value::makeString(string).shown();
    return success();
  }
  if (succeeded(parser.parseOptionalLSquare())) {
    text = "[]";
    return parser.parseRSquare();
  }
  if (OptionalParseResult isType = parser.parseOptionalType(type); isType.has_value()) {
    llvm::raw_string_ostream(text) << type;
    return *isType;
  }
  if (succeeded(parser.parseOptionalKeyword(&word))) { // true, u8
    text = word.str();
    return success();
  }
  if (succeeded(parser.parseOptionalQuestion())) {
    text = "?";
  } else if (OptionalParseResult isNumber = parser.parseOptionalInteger(number);
             isNumber.has_value()) {
    llvm::SmallString<24> digits;
    number.toStringSigned(digits);
    text = digits.str().str();
    if (failed(*isNumber))
      return failure();
  } else {
    double real = 0;
    if (parser.parseFloat(real))
      return failure();
    text = kgen::templates::realText(real);
    return success();
  }
  // The rest of a shape: MLIR reads `x64x64` as a word, `?x?` as two.
  while (succeeded(parser.parseOptionalKeyword(&word))) {
    text += word.str();
    if (word.ends_with("x") && succeeded(parser.parseOptionalQuestion()))
      text += "?";
  }
  return success();
}

static ParseResult parseParameters(OpAsmParser &parser, DictionaryAttr &parameters) {
  SmallVector<NamedAttribute> entries;
  Builder builder(parser.getContext());
  auto parseOne = [&]() -> ParseResult {
    std::string name, text;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parseParameterText(parser, text))
      return failure();
    for (NamedAttribute entry : entries)
      if (entry.getName() == name)
        return parser.emitError(place, "parameter ") << name << " is given twice";
    entries.push_back(builder.getNamedAttr(name, builder.getStringAttr(text)));
    return success();
  };
  if (failed(parser.parseOptionalLess()))
    return success();
  if (parser.parseCommaSeparatedList(parseOne) || parser.parseGreater())
    return failure();
  parameters = builder.getDictionaryAttr(entries);
  return success();
}

static void printParameters(OpAsmPrinter &printer, Operation *, DictionaryAttr parameters) {
  if (!parameters)
    return;
  printer << '<';
  llvm::interleaveComma(parameters, printer, [&](NamedAttribute entry) {
    printer << entry.getName().strref() << " = ";
    if (auto text = dyn_cast<StringAttr>(entry.getValue()))
      printer << text.getValue();
    else
      printer << entry.getValue();
  });
  printer << '>';
}

#include "templates/dialect/TemplateDialect.cpp.inc"
#define GET_OP_CLASSES
#include "templates/dialect/TemplateOps.cpp.inc"

namespace kgen::templates {

/// Functions that call templates can be inlined.
struct TemplateInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *op, Region *, bool, IRMapping &) const override {
    return isa<CallOp>(op);
  }
};

void TemplateDialect::initialize() {
  addInterfaces<TemplateInliner>();
  addOperations<
#define GET_OP_LIST
#include "templates/dialect/TemplateOps.cpp.inc"
      >();
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  std::string text;
  Builder &builder = parser.getBuilder();
  if (succeeded(parser.parseOptionalKeyword("aliases"))) {
    if (parser.parseString(&text))
      return failure();
    result.addAttribute("aliases", builder.getStringAttr(text));
  }
  if (parser.parseString(&text))
    return failure();
  result.addAttribute("text", builder.getStringAttr(text));
  return success();
}

void FuncOp::print(OpAsmPrinter &printer) {
  StringRef text = getText();
  if (std::optional<StringRef> aliases = getAliases())
    printer.getStream() << " aliases {\n" << *aliases << "\n}";
  bool hasBlank = text.ltrim().size() < text.size();
  printer.getStream() << (hasBlank ? "" : " ") << text;
}

Location FuncOp::locationOf(const char *at) {
  auto start = dyn_cast<FileLineColLoc>(getLoc());
  StringRef text = getText();
  if (!start || !at || at < text.begin() || at > text.end())
    return getLoc();
  StringRef before(text.data(), at - text.data());
  size_t line = before.count('\n');
  constexpr size_t nameLength = StringLiteral("template.func").size();
  size_t column =
      line ? before.size() - before.rfind('\n') : start.getColumn() + nameLength + before.size();
  return FileLineColLoc::get(start.getFilename(), start.getLine() + line, column);
}

bool FuncOp::isKernel() {
  std::vector<ExpressionError> errors;
  std::optional<Template> header = parseTemplate(getText(), errors);
  return header && header->kernel;
}

/// Everything that is wrong with a template, each at its place.
LogicalResult FuncOp::verify() {
  std::vector<ExpressionError> errors;
  if (parseTemplate(getText(), errors))
    return success();
  for (const ExpressionError &error : errors) {
    InFlightDiagnostic diagnostic = mlir::emitError(locationOf(error.at)) << error.message;
    if (!error.hint.empty())
      diagnostic << "; " << error.hint;
  }
  return failure();
}

} // namespace kgen::templates
