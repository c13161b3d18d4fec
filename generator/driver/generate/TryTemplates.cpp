#include "driver/generate/TryTemplates.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/MakeTarget.h"
#include "driver/compile/Compile.h"
#include "driver/load/LibraryTemplates.h"
#include "support/InputFile.h"
#include "templates/Templates.h"

#include <mlir/IR/Diagnostics.h>
#include <mlir/Pass/PassManager.h>

using namespace mlir;

namespace kgen {

static void tryFile(const std::string &path, const TargetSpec &target, Diagnostics &diagnostics) {
  auto text = readInputFile(path, maxTextBytes);
  if (!text)
    return llvm::consumeError(text.takeError()); // reported when it was read
  MLIRContext context(pipelineDialects(), MLIRContext::Threading::DISABLED);
  context.loadDialect<KgenDialect>();
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
    SourceLoc where{path, place ? place.getLine() : 0, place ? place.getColumn() : 0};
    std::string notes;
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      notes += (notes.empty() ? "" : "; ") + note.str();
    diagnostics.error(where, diagnostic.str(), notes);
  });
  TemplateFile file(std::move(*text));
  OwningOpRef<ModuleOp> module = file.parse(context);
  if (!module)
    return;
  (*module)->setAttr(targetAttrName, makeTargetAttr(target, &context));
  PassManager pm(&context, ModuleOp::getOperationName());
  addTemplateTrials(pm);
  (void)pm.run(*module);
}

void tryTemplates(const LoadedLibrary &library, Diagnostics &diagnostics) {
  for (const std::string &path : templateFiles(library))
    for (const TargetSpec &target : library.targets)
      tryFile(path, target, diagnostics);
}

} // namespace kgen
