#include "ingress/mlir/ImportParts.h"

#include "dialect/kgen/MlirErrors.h"
#include "dialect/template/Template.h"
#include "dialect/tpp/Tpp.h"
#include "templates/Quote.h"

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
#include <mlir/IR/Verifier.h>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>

using namespace mlir;

namespace kgen {

/// Regions, types and attributes within each other; MLIR's parser and verifier recurse.
constexpr int maxMlirNesting = 200;

void registerMlirInput(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                  linalg::LinalgDialect, math::MathDialect, ml_program::MLProgramDialect,
                  scf::SCFDialect, templates::TemplateDialect, tensor::TensorDialect,
                  tosa::TosaDialect, tpp::TppDialect>();
  func::registerInlinerExtension(registry);
}

/// Where brackets are nested more deeply than that; null if they are not.
static const char *tooDeep(StringRef text) {
  int depth = 0;
  for (const char *at = text.begin(), *end = text.end(); at != end; ++at) {
    if (*at == '"') {
      for (++at; at != end && *at != '"'; ++at)
        if (*at == '\\' && at + 1 != end)
          ++at;
      if (at == end)
        return nullptr;
    } else if (*at == '/' && at + 1 != end && at[1] == '/') {
      while (at + 1 != end && at[1] != '\n')
        ++at;
    } else if (*at == '-' && at + 1 != end && at[1] == '>') {
      ++at;
    } else if (StringRef("([{<").contains(*at)) {
      if (++depth > maxMlirNesting)
        return at;
    } else if (StringRef(")]}>").contains(*at)) {
      depth = std::max(depth - 1, 0);
    }
  }
  return nullptr;
}

/// "%relu:2" and "%relu" are called relu; "%3" has no name.
static StringRef nameAt(SMRange range) {
  StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  text = text.ltrim('%').take_while([](char c) { return c != ':'; });
  return text.empty() || llvm::isDigit(text.front()) ? StringRef() : text;
}

static void nameResults(const AsmParserState &state) {
  for (const AsmParserState::OperationDefinition &definition : state.getOpDefs()) {
    if (definition.resultGroups.empty())
      continue;
    StringRef name = nameAt(definition.resultGroups.front().definition.loc);
    Operation *op = definition.op;
    if (!name.empty() && !isa<NameLoc>(op->getLoc()))
      op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), name), op->getLoc()));
  }
}

/// A module around what stands in the file, or the one that does.
static OwningOpRef<ModuleOp> parseModule(llvm::SourceMgr &source, const std::string &path,
                                         MLIRContext &context) {
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(FileLineColLoc::get(&context, path, /*line=*/1, /*column=*/1));
  AsmParserState state;
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  if (failed(parseAsmSourceFile(source, module->getBody(), config, &state)))
    return {};
  nameResults(state);
  if (llvm::hasSingleElement(*module->getBody()))
    if (auto only = dyn_cast<ModuleOp>(module->getBody()->front())) {
      only->remove();
      module = only;
    }
  return succeeded(verify(*module)) ? std::move(module) : OwningOpRef<ModuleOp>();
}

/// MLIR's words for an operation of a dialect that is not registered name options of its tools.
static void reportParseErrors(const Diagnostics &found, Diagnostics &diagnostics) {
  for (const Diagnostic &one : found.errors()) {
    StringRef message = one.message;
    bool isUnknown = message.starts_with("operation being parsed with an unregistered dialect") ||
                     (message.starts_with("custom op ") && message.contains(" is unknown")) ||
                     message.starts_with("dialect ");
    if (isUnknown)
      diagnostics.error(
          one.where,
          message.starts_with("operation")
              ? "the dialect of this operation is not known"
              : message.take_until([](char c) { return c == '('; }).rtrim().str(),
          "known are func, linalg, tensor, arith, math, scf, affine, template, tpp and tosa");
    else
      diagnostics.error(one.where, one.message, one.hint);
  }
}

std::unique_ptr<llvm::MemoryBuffer> readMlirBytes(const std::string &path,
                                                  Diagnostics &diagnostics) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (file && !llvm::sys::fs::is_directory(path))
    return std::move(*file);
  diagnostics.error({path, 0, 0},
                    "cannot be read: " + (file ? "it is a folder" : file.getError().message()));
  return nullptr;
}

OwningOpRef<ModuleOp> readMlir(std::unique_ptr<llvm::MemoryBuffer> file, const std::string &path,
                               MLIRContext &context, Diagnostics &diagnostics) {
  llvm::SourceMgr source;
  StringRef text = file->getBuffer();
  const char *begin = text.begin(), *deep = tooDeep(text);
  source.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  if (deep) {
    auto [line, column] = source.getLineAndColumn(llvm::SMLoc::getFromPointer(deep));
    diagnostics.error({path, line, column}, "more than " + std::to_string(maxMlirNesting) +
                                                " brackets are open within each other");
    return {};
  }
  if (size_t zero = text.find('\0'); zero != StringRef::npos) {
    auto [line, column] = source.getLineAndColumn(llvm::SMLoc::getFromPointer(begin + zero));
    diagnostics.error({path, line, column}, "expected MLIR's text, found a byte 0");
    return {};
  }
  // Lines keep their numbers.
  llvm::SourceMgr quoted;
  bool isQuoted = templates::hasTemplates(text);
  if (isQuoted)
    quoted.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(templates::quoteTemplates(text), path), {});
  Diagnostics found;
  OwningOpRef<ModuleOp> module;
  {
    MlirErrors errors(&context, {path, 0, 0}, found);
    module = parseModule(isQuoted ? quoted : source, path, context);
  }
  reportParseErrors(found, diagnostics);
  if (!module && !found.hasErrors())
    diagnostics.error({path, 0, 0}, "this is no MLIR");
  return module;
}

std::vector<func::FuncOp> publicFunctions(ModuleOp module) {
  std::vector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      functions.push_back(function);
  return functions;
}

kgen::Location placeOf(mlir::Location location, const std::string &path) {
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    return {place.getFilename().str(), place.getLine(), place.getColumn()};
  return {path, 0, 0};
}

} // namespace kgen
