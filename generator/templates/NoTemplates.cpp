// Templates.h of a kgen without the component. Files with templates are refused where they are
// read, so that no module has any.
#include "expressions/Lexer.h"
#include "support/Components.h"
#include "templates/Templates.h"

using namespace mlir;

namespace kgen {

static const char *firstTemplate(StringRef file) {
  for (StringRef word : {"template.func", "template.call"})
    if (const char *found = expressions::findWord(file, word))
      return found;
  return nullptr;
}

bool hasTemplates(StringRef file) { return firstTemplate(file); }

QuotedText quoteTemplates(StringRef file) {
  QuotedText text{file.str()};
  if (const char *found = firstTemplate(file))
    text.problem = {size_t(found - file.begin()),
                    templatesComponent().refusal() + "; " + templatesComponent().advice()};
  return text;
}

void insertTemplateDialect(DialectRegistry &) {}

bool hasTemplates(ModuleOp) { return false; }

bool hasPatterns(ModuleOp) { return false; }

void eraseTemplates(ModuleOp) {}

std::optional<TemplateCall> templateCall(Operation *) { return std::nullopt; }

void registerTemplatePasses() {}

void addTemplates(OpPassManager &) {}

void addTemplateInstances(OpPassManager &, bool) {}

void addTemplateTrials(OpPassManager &) {}

bool hasKernelTemplates(ModuleOp) { return false; }

std::optional<KernelTemplate> bestKernelTemplate(ModuleOp, const templates::KernelFacts &,
                                                 TargetAttr, std::string &refusal) {
  refusal = templatesComponent().refusal();
  return std::nullopt;
}

void callKernelTemplate(OpBuilder &, Location, const KernelTemplate &, ValueRange) {
  llvm_unreachable("there is no template to call");
}

} // namespace kgen
