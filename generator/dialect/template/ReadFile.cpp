#include "dialect/template/ReadFile.h"

#include "support/MlirText.h"
#include "templates/Quote.h"

#include <mlir/IR/Diagnostics.h>
#include <mlir/Parser/Parser.h>

using namespace mlir;

namespace kgen::templates {

TemplateFile::TemplateFile(std::unique_ptr<llvm::MemoryBuffer> file)
    : parsed(std::make_shared<llvm::SourceMgr>()), quoted(quoteTemplates(file->getBuffer())) {
  parsed->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(quoted, file->getBufferIdentifier()),
                             {});
  shown.AddNewSourceBuffer(std::move(file), {});
}

OwningOpRef<ModuleOp> TemplateFile::parse(MLIRContext &context, bool verify) {
  // Templates are in quotes: their parser has its own limits.
  if (std::optional<MlirTextProblem> problem = problemOfMlirText(quoted)) {
    const llvm::MemoryBuffer &file = *parsed->getMemoryBuffer(parsed->getMainFileID());
    auto place = llvm::SMLoc::getFromPointer(file.getBufferStart() + problem->at);
    auto [line, column] = parsed->getLineAndColumn(place);
    emitError(FileLineColLoc::get(&context, file.getBufferIdentifier(), line, column))
        << problem->message;
    return {};
  }
  return parseSourceFile<ModuleOp>(parsed, ParserConfig(&context, verify));
}

} // namespace kgen::templates
