// The templates of a module, and what they may ask of its target.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "templates/dialect/Template.h"
#include "templates/language/Unify.h"

#include <llvm/ADT/DenseMap.h>

#include <deque>

namespace kgen::templates {

/// A template where it was defined.
struct DefinedTemplate {
  FuncOp op;
  Template header;
  std::string aliases; ///< definitions that its text needs
};

class TemplateTable {
public:
  explicit TemplateTable(mlir::ModuleOp module);

  /// Those of a name, in the module's order.
  llvm::ArrayRef<DefinedTemplate *> find(llvm::StringRef name) const;
  std::vector<std::string> names() const;
  std::deque<DefinedTemplate> &all() { return templates; }
  const std::deque<DefinedTemplate> &all() const { return templates; }
  const TargetFacts &target() const { return facts; }

  /// The type as a term, made once: what MLIR prints is what a template's author writes.
  const TypeTerm &termOf(mlir::Type type);

private:
  std::deque<DefinedTemplate> templates;
  std::map<std::string, std::vector<DefinedTemplate *>, std::less<>> byName;
  TargetFacts facts;
  std::deque<std::string> texts; ///< what the terms point into
  llvm::DenseMap<mlir::Type, TypeTerm> terms;
};

} // namespace kgen::templates
