// Files with templates: what is the same with and without the component.
#include "templates/Templates.h"

#include <mlir/IR/Diagnostics.h>
#include <mlir/Parser/Parser.h>

using namespace mlir;

namespace kgen {

TemplateFile::TemplateFile(std::unique_ptr<llvm::MemoryBuffer> file)
    : parsed(std::make_shared<llvm::SourceMgr>()), quoted(quoteTemplates(file->getBuffer())) {
  parsed->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(quoted.text, file->getBufferIdentifier()), {});
  shown.AddNewSourceBuffer(std::move(file), {});
}

OwningOpRef<ModuleOp> TemplateFile::parse(MLIRContext &context, bool verify) {
  // Templates are in quotes: their parser has its own limits.
  std::optional<MlirTextProblem> problem =
      quoted.problem ? quoted.problem : problemOfMlirText(quoted.text);
  if (problem) {
    const llvm::MemoryBuffer &file = *parsed->getMemoryBuffer(parsed->getMainFileID());
    auto place = llvm::SMLoc::getFromPointer(file.getBufferStart() + problem->at);
    auto [line, column] = parsed->getLineAndColumn(place);
    emitError(FileLineColLoc::get(&context, file.getBufferIdentifier(), line, column))
        << problem->message;
    return {};
  }
  return parseSourceFile<ModuleOp>(parsed, ParserConfig(&context, verify));
}

} // namespace kgen
