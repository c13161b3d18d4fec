// Operators of Templates.h in a kgen without the component: there is no TemplateSources.
#include "ops/Registry.h"
#include "support/Components.h"
#include "templates/Templates.h"

namespace kgen {

struct TemplateSources {};

std::shared_ptr<const TemplateSources> readTemplates(const std::vector<Located<std::string>> &paths,
                                                     Diagnostics &diagnostics) {
  for (const Located<std::string> &path : paths)
    diagnostics.error(path.where,
                      "templates '" + path.value + "': " + templatesComponent().refusal(),
                      templatesComponent().advice());
  return nullptr;
}

std::shared_ptr<const OperatorTable>
callableTemplates(const std::shared_ptr<const TemplateSources> &) {
  return nullptr;
}

std::vector<Operator> templateOperators(const std::shared_ptr<const TemplateSources> &) {
  return {};
}

std::shared_ptr<const OperatorTable> operatorsWith(const std::shared_ptr<const TemplateSources> &) {
  return {std::shared_ptr<const OperatorTable>(), &builtInOperators()};
}

bool actsOnGraphs(const TemplateSources &) { return false; }

bool addActingTemplates(mlir::ModuleOp, const TemplateSources &, Diagnostics &) { return true; }

std::vector<std::string> pathsOf(const TemplateSources &) { return {}; }

std::vector<std::string> kernelTemplates(const TemplateSources &) { return {}; }

std::string placeOfTemplate(llvm::StringRef, const TemplateSources &) { return ""; }

} // namespace kgen
