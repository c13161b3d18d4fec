#include "ingress/mlir/ImportParts.h"

#include "dialect/kgen/MlirErrors.h"
#include "dialect/tpp/Tpp.h"
#include "support/InputFile.h"
#include "support/MlirText.h"
#include "templates/Templates.h"

#include <mlir/AsmParser/AsmParser.h>
#include <mlir/AsmParser/AsmParserState.h>
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/Extensions/InlinerExtension.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MLProgram/IR/MLProgram.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Tosa/IR/TosaOps.h>
#include <mlir/InitAllDialects.h>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>

using namespace mlir;

namespace kgen {

void registerMlirInput(DialectRegistry &registry) {
  registerAllDialects(registry);
  registry.insert<tpp::TppDialect>();
  insertTemplateDialect(registry);
  func::registerInlinerExtension(registry);
}

void loadMlirInput(MLIRContext &context) {
  context.loadDialect<affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                      linalg::LinalgDialect, math::MathDialect, ml_program::MLProgramDialect,
                      scf::SCFDialect, tensor::TensorDialect, tosa::TosaDialect, tpp::TppDialect>();
  context.allowUnregisteredDialects();
}

/// "%relu:2" and "%relu" are called relu; "%3" has no name.
static StringRef nameAt(SMRange range) {
  StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  text = text.ltrim('%').take_while([](char c) { return c != ':'; });
  return text.empty() || llvm::isDigit(text.front()) ? StringRef() : text;
}

/// Returns where text stands, for what says that it is from nowhere.
static Location placeIn(llvm::SourceMgr &source, const std::string &path, SMRange range,
                        Location said) {
  if (said->findInstanceOf<FileLineColLoc>() || !range.isValid())
    return said;
  auto [line, column] = source.getLineAndColumn(range.Start);
  return FileLineColLoc::get(said.getContext(), path, line, column);
}

static void placeOperations(llvm::SourceMgr &source, const std::string &path,
                            const AsmParserState &state) {
  for (const AsmParserState::BlockDefinition &block : state.getBlockDefs())
    for (auto [argument, definition] : llvm::zip(block.block->getArguments(), block.arguments)) {
      argument.setLoc(placeIn(source, path, definition.loc, argument.getLoc()));
      StringRef name = nameAt(definition.loc);
      if (isa_and_nonnull<func::FuncOp>(block.block->getParentOp()) && !name.empty())
        argument.setLoc(
            NameLoc::get(StringAttr::get(argument.getContext(), name), argument.getLoc()));
    }
  for (const AsmParserState::OperationDefinition &definition : state.getOpDefs()) {
    Operation *op = definition.op;
    op->setLoc(placeIn(source, path, definition.loc, op->getLoc()));
    if (definition.resultGroups.empty())
      continue;
    StringRef name = nameAt(definition.resultGroups.front().definition.loc);
    if (!name.empty() && !isa<NameLoc>(op->getLoc()))
      op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), name), op->getLoc()));
  }
}

/// A module around what stands in the file, or the one that does.
/// `last` is where the last operation is that was read.
static OwningOpRef<ModuleOp> parseModule(llvm::SourceMgr &source, const std::string &path,
                                         MLIRContext &context, SourceLoc &last) {
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(FileLineColLoc::get(&context, path, /*line=*/1, /*column=*/1));
  AsmParserState state;
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  bool isRead = succeeded(parseAsmSourceFile(source, module->getBody(), config, &state));
  for (const AsmParserState::OperationDefinition &definition : state.getOpDefs()) {
    auto [line, column] = source.getLineAndColumn(definition.loc.Start);
    if (std::make_pair(int(line), int(column)) > std::make_pair(int(last.line), int(last.column)))
      last = {path, line, column};
  }
  if (!isRead)
    return {};
  placeOperations(source, path, state);
  if (llvm::hasSingleElement(*module->getBody()))
    if (auto only = dyn_cast<ModuleOp>(module->getBody()->front())) {
      only->remove();
      module = only;
    }
  return module;
}

/// Returns what stands for an operation that upstream renamed or removed; "" if it did not.
static StringRef adviceFor(StringRef operation) {
  static const llvm::StringMap<StringRef> advice{
#define KGEN_RENAMED_OPERATION(name, text) {name, text},
#include "ingress/mlir/RenamedOperations.def"
#undef KGEN_RENAMED_OPERATION
  };
  return advice.lookup(operation);
}

/// Returns the advice for an error that names the operation.
static StringRef adviceIn(StringRef message) {
  while (message.contains('\'')) {
    auto [name, rest] = message.split('\'').second.split('\'');
    if (StringRef advice = adviceFor(name); !advice.empty())
      return advice;
    message = rest;
  }
  return "";
}

/// True if MLIR says that it does not know a dialect or an operation.
static bool isUnknown(StringRef message) {
  return (message.starts_with("custom op ") && message.contains(" is unknown")) ||
         message.starts_with("dialect ") || message.starts_with("Dialect `");
}

void reportMlirErrors(const Diagnostics &found, Diagnostics &diagnostics) {
  for (Diagnostic one : found.errors()) {
    StringRef advice = adviceIn(one.message);
    if (isUnknown(one.message)) { // its end names options of upstream's tools
      one.message =
          StringRef(one.message).take_until([](char c) { return c == '('; }).rtrim().str();
      one.hint =
          "operations of dialects that upstream does not have are read in their generic form, "
          "\"dialect.operation\"(...), outside of the function that is taken";
    }
    if (!advice.empty())
      one.hint = advice.str();
    diagnostics.error(one.where, one.message, one.hint);
  }
  for (const Diagnostic &one : found.warnings())
    diagnostics.warning(one.where, one.message, one.hint);
}

std::unique_ptr<llvm::MemoryBuffer> readMlirBytes(const std::string &path,
                                                  Diagnostics &diagnostics) {
  auto file = readInputFile(path, maxTextBytes, Terminator::zero);
  if (file)
    return std::move(*file);
  diagnostics.error({path, 0, 0}, "cannot be read: " + llvm::toString(file.takeError()));
  return nullptr;
}

OwningOpRef<ModuleOp> readMlir(std::unique_ptr<llvm::MemoryBuffer> file, const std::string &path,
                               MLIRContext &context, Diagnostics &diagnostics) {
  llvm::SourceMgr source;
  StringRef text = file->getBuffer();
  source.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  std::optional<MlirTextProblem> problem = problemOfMlirText(text);
  const bool isQuoted = !problem && hasTemplates(text);
  const QuotedText withStrings = isQuoted ? quoteTemplates(text) : QuotedText();
  if (withStrings.problem)
    problem = withStrings.problem;
  if (problem) {
    auto place = llvm::SMLoc::getFromPointer(text.data() + problem->at);
    auto [line, column] = source.getLineAndColumn(place);
    diagnostics.error({path, line, column}, problem->message);
    return {};
  }
  llvm::SourceMgr quoted;
  if (isQuoted)
    quoted.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(withStrings.text, path), {});
  Diagnostics found;
  OwningOpRef<ModuleOp> module;
  SourceLoc last{path, 1, 1};
  {
    MlirErrors errors(&context, {path, 0, 0}, found);
    module = parseModule(isQuoted ? quoted : source, path, context, last);
  }
  reportMlirErrors(found, diagnostics);
  if (!module && !found.hasErrors())
    diagnostics.error(last, "upstream's parser stops behind this operation and does not say why");
  return module;
}

std::vector<func::FuncOp> publicFunctions(ModuleOp module) {
  std::vector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      functions.push_back(function);
  return functions;
}

SourceLoc placeOf(Location location, const std::string &path) {
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    return {place.getFilename().str(), place.getLine(), place.getColumn()};
  return {path, 0, 0};
}

} // namespace kgen
