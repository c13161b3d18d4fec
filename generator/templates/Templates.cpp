#include "templates/Templates.h"

#include "templates/dialect/TargetFacts.h"
#include "templates/dialect/Template.h"
#include "templates/language/Kernel.h"
#include "templates/language/Quote.h"
#include "templates/transforms/Passes.h"

using namespace mlir;

namespace kgen {
namespace {

/// The parsed header of a template in a module, whose verifier has seen it.
std::optional<templates::Template> headerOf(templates::FuncOp op) {
  std::vector<templates::ExpressionError> errors;
  return templates::parseTemplate(op.getText(), errors);
}

} // namespace

bool hasTemplates(StringRef file) { return templates::hasTemplates(file); }

QuotedText quoteTemplates(StringRef file) { return {templates::quoteTemplates(file)}; }

void insertTemplateDialect(DialectRegistry &registry) {
  registry.insert<templates::TemplateDialect>();
}

bool hasTemplates(ModuleOp module) { return !module.getOps<templates::FuncOp>().empty(); }

bool hasPatterns(ModuleOp module) {
  return llvm::any_of(module.getOps<templates::FuncOp>(), [](templates::FuncOp op) {
    std::optional<templates::Template> header = headerOf(op);
    return header && !header->replaces.empty();
  });
}

void eraseTemplates(ModuleOp module) {
  for (templates::FuncOp op : llvm::make_early_inc_range(module.getOps<templates::FuncOp>()))
    op.erase();
}

std::optional<TemplateCall> templateCall(Operation *op) {
  auto call = dyn_cast<templates::CallOp>(op);
  if (!call)
    return std::nullopt;
  return TemplateCall{call.getCallee(), call.getParameters().value_or(DictionaryAttr())};
}

void registerTemplatePasses() { registerKgenTemplatePasses(); }

void addTemplates(OpPassManager &pm) {
  InstantiateTemplatesPassOptions options;
  options.keepTemplates = true; // patterns are looked for in what operators are made of
  pm.addPass(createInstantiateTemplatesPass(options));
  pm.addPass(createReplaceByTemplatesPass());
  options.keepTemplates = false;
  options.keepKernels = true;
  pm.addPass(createInstantiateTemplatesPass(options));
}

void addTemplateInstances(OpPassManager &pm, bool references) {
  InstantiateTemplatesPassOptions options;
  options.references = references;
  pm.addPass(createInstantiateTemplatesPass(options));
}

void addTemplateTrials(OpPassManager &pm) { pm.addPass(createCheckTemplatesPass()); }

bool hasKernelTemplates(ModuleOp module) {
  return llvm::any_of(module.getOps<templates::FuncOp>(),
                      [](templates::FuncOp op) { return op.isKernel(); });
}

std::optional<KernelTemplate> bestKernelTemplate(ModuleOp module,
                                                 const templates::KernelFacts &facts,
                                                 TargetAttr target, std::string &refusal) {
  refusal = "the library has no template for kernels";
  templates::TargetFacts ofTarget = templates::factsOf(target);
  std::optional<KernelTemplate> best;
  std::string refusals;
  for (auto op : module.getOps<templates::FuncOp>()) {
    std::optional<templates::Template> header = headerOf(op);
    if (!header || !header->kernel)
      continue;
    templates::Match match = templates::matchKernel(*header, facts, &ofTarget);
    templates::ExpressionError error = match.refusal;
    double cost =
        match.fits() ? templates::costOf(*header, match.values, &ofTarget, error).value_or(0) : 0;
    if (!error.message.empty()) {
      refusals += (refusals.empty() ? "@" : "; @") + header->name.str() + ": " + error.message;
    } else if (!best || cost < best->cost) {
      SmallVector<NamedAttribute> parameters;
      Builder builder(module.getContext());
      for (const auto &[name, value] : match.values)
        parameters.push_back(builder.getNamedAttr(name, builder.getStringAttr(value.shown())));
      best = KernelTemplate{header->name.str(), builder.getDictionaryAttr(parameters), cost};
    }
  }
  if (!refusals.empty())
    refusal = refusals;
  return best;
}

void callKernelTemplate(OpBuilder &builder, Location loc, const KernelTemplate &kernel,
                        ValueRange operands) {
  templates::CallOp::create(builder, loc, TypeRange(),
                            FlatSymbolRefAttr::get(builder.getContext(), kernel.callee),
                            kernel.parameters, operands);
}

} // namespace kgen
