#include "driver/load/NodeTemplates.h"

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/template/ReadFile.h"
#include "dialect/template/Template.h"
#include "driver/compile/Compile.h"
#include "driver/load/LibraryTemplates.h"
#include "pipeline/SubPipelines.h"
#include "support/InputFile.h"
#include "target/Target.h"
#include "transforms/templates/Passes.h"

#include <mlir/IR/Diagnostics.h>
#include <mlir/Pass/PassManager.h>

using namespace mlir;

namespace kgen {
namespace {

std::string textOf(const mlir::Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn()
       << ": ";
  os << diagnostic;
  return text;
}

/// The node that an error or one of its notes is about.
SourceLoc nodeOf(mlir::Diagnostic &diagnostic, const Graph &graph) {
  SourceLoc where;
  auto look = [&](const mlir::Diagnostic &one) {
    for (StringAttr name : namesIn(one.getLocation()))
      for (const Node &node : graph.nodes)
        if (node.name == name.getValue())
          where = node.where;
  };
  look(diagnostic);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    look(note);
  return where;
}

} // namespace

llvm::Error instantiateNodes(ModuleOp module, const Graph &graph, TemplateUse use) {
  if (module.getOps<templates::FuncOp>().empty())
    return llvm::Error::success();
  std::vector<Diagnostic> found;
  ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    SourceLoc where = nodeOf(diagnostic, graph);
    std::string text = textOf(diagnostic), notes;
    // Errors within a template that others call are no node's.
    if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
        place && where.file.empty()) {
      where = {place.getFilename().str(), place.getLine(), place.getColumn()};
      text = diagnostic.str();
    }
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      notes += (notes.empty() ? "" : "; ") + textOf(note);
    found.push_back({where, text, notes, Severity::error});
  });
  InstantiateTemplatesPassOptions options;
  options.references = use == TemplateUse::references;
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  if (use == TemplateUse::replacing)
    addTemplates(pm);
  else
    pm.addPass(createInstantiateTemplatesPass(options));
  if (succeeded(pm.run(module)))
    return llvm::Error::success();
  return llvm::make_error<ScheduleErrors>(std::move(found));
}

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
  templates::TemplateFile file(std::move(*text));
  OwningOpRef<ModuleOp> module = file.parse(context);
  if (!module)
    return;
  (*module)->setAttr(targetAttrName, makeTargetAttr(target, &context));
  PassManager pm(&context, ModuleOp::getOperationName());
  pm.addPass(createCheckTemplatesPass());
  (void)pm.run(*module);
}

void tryTemplates(const LoadedLibrary &library, Diagnostics &diagnostics) {
  for (const std::string &path : templateFiles(library))
    for (const TargetSpec &target : library.targets)
      tryFile(path, target, diagnostics);
}

} // namespace kgen
