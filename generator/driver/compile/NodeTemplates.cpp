#include "driver/compile/NodeTemplates.h"

#include "dialect/kgen/DecisionLog.h"
#include "driver/compile/Compile.h"
#include "templates/Templates.h"

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
  if (!hasTemplates(module))
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
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  if (use == TemplateUse::replacing)
    addTemplates(pm);
  else
    addTemplateInstances(pm, use == TemplateUse::references);
  if (succeeded(pm.run(module)))
    return llvm::Error::success();
  return llvm::make_error<ScheduleErrors>(std::move(found));
}

} // namespace kgen
