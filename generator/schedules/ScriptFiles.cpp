#include "schedules/ScriptFiles.h"

#include "dialect/kgen/MlirErrors.h"
#include "dialect/kgen/Schedule.h"
#include "schedules/AllowedOperations.h"
#include "spec/Yaml.h"
#include "support/InputFile.h"

#include <mlir/Dialect/Transform/IR/TransformDialect.h>
#include <mlir/Dialect/Transform/IR/TransformOps.h>
#include <mlir/Dialect/Transform/IR/Utils.h>
#include <mlir/Parser/Parser.h>

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/SourceMgr.h>

using namespace mlir;

namespace kgen {

/// The module that holds all scripts.
static ModuleOp libraryOf(ModuleOp module) {
  if (auto library = module.lookupSymbol<ModuleOp>(scheduleLibraryName))
    return library;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  return ModuleOp::create(b, module.getLoc(), scheduleLibraryName);
}

static void addModule(ModuleOp module, const std::string &symbol, ModuleOp script) {
  ModuleOp library = libraryOf(module);
  script.setSymName(symbol);
  library.push_back(script->clone());
}

/// `name` in messages is where the text stands.
static OwningOpRef<ModuleOp> parse(MLIRContext *context, llvm::StringRef text,
                                   const std::string &name) {
  context->getOrLoadDialect<transform::TransformDialect>();
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(text, name);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, context);
}

void addScript(ModuleOp module, const std::string &symbol, const std::string &text,
               const std::string &name) {
  if (ModuleOp library = libraryOf(module); library.lookupSymbol(symbol))
    return;
  OwningOpRef<ModuleOp> script = parse(module.getContext(), text, name);
  if (!script)
    llvm::report_fatal_error("kgen made a schedule that cannot be parsed:\n" + llvm::Twine(text));
  addModule(module, symbol, *script);
}

static OwningOpRef<ModuleOp> parseFile(MLIRContext *context, const Located<std::string> &path,
                                       const std::string &from, Diagnostics &diagnostics,
                                       std::string &text) {
  llvm::SmallString<256> full(path.value);
  if (llvm::sys::path::is_relative(full)) {
    full = llvm::sys::path::parent_path(from);
    llvm::sys::path::append(full, path.value);
  }
  auto buffer = readInputFile(full.str().str(), maxTextBytes, Terminator::zero);
  if (!buffer) {
    diagnostics.error(path.where, "cannot read the script " + quotePath(full) + ": " +
                                      llvm::toString(buffer.takeError()));
    return {};
  }
  text = (*buffer)->getBuffer().str();
  MlirErrors errors(context, path.where, diagnostics);
  OwningOpRef<ModuleOp> script = parse(context, text, full.str().str());
  size_t before = diagnostics.errors().size();
  if (script)
    checkOperations(*script, path.where, diagnostics);
  return diagnostics.errors().size() == before ? std::move(script) : OwningOpRef<ModuleOp>();
}

std::optional<std::string> addScriptFiles(ModuleOp module, const std::string &symbol,
                                          const ScheduleSpec &schedule, Diagnostics &diagnostics) {
  std::string text, ignored;
  OwningOpRef<ModuleOp> script =
      parseFile(module.getContext(), schedule.script, schedule.file, diagnostics, text);
  if (!script)
    return std::nullopt;
  for (const Located<std::string> &path : schedule.libraries) {
    OwningOpRef<ModuleOp> library =
        parseFile(module.getContext(), path, schedule.file, diagnostics, ignored);
    if (!library)
      return std::nullopt;
    MlirErrors errors(module.getContext(), path.where, diagnostics);
    if (failed(transform::detail::mergeSymbolsInto(*script, std::move(library))))
      return std::nullopt;
  }
  std::string sequence = scheduleSymbolPrefix.str() + schedule.name.value;
  auto found = script->lookupSymbol<transform::NamedSequenceOp>(sequence);
  if (!found || found.isExternal()) {
    diagnostics.error(schedule.script.where,
                      "the script has no transform.named_sequence @" + sequence,
                      "it is applied to a handle of the node's function, and the parameters");
    return std::nullopt;
  }
  size_t expected = found.getFunctionType().getNumInputs(), given = 1 + schedule.parameters.size();
  if (expected != given) {
    diagnostics.error(schedule.script.where,
                      "@" + sequence + " takes " + std::to_string(expected) + " values, not " +
                          std::to_string(given),
                      "it is given a handle of the node's function and one for each parameter");
    return std::nullopt;
  }
  if (!libraryOf(module).lookupSymbol(symbol))
    addModule(module, symbol, *script);
  return text;
}

} // namespace kgen
