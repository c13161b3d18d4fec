#include "dialect/template/ReadFile.h"

#include "templates/Quote.h"

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
  return parseSourceFile<ModuleOp>(parsed, ParserConfig(&context, verify));
}

} // namespace kgen::templates
