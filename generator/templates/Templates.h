// The component KGEN_TEMPLATES as all other folders see it: files with templates, operators and
// kernels that are templates, and the passes that make instances of them. A kgen without the
// component has what is declared here, too, and refuses files with templates (NoTemplates.cpp,
// NoTemplateOperators.cpp).
#pragma once

#include "dialect/kgen/Kgen.h"
#include "support/Diagnostics.h"
#include "support/MlirText.h"
#include "templates/language/KernelFacts.h"

#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>
#include <mlir/Pass/PassManager.h>

#include <llvm/Support/SourceMgr.h>

#include <memory>
#include <optional>

namespace kgen {

struct Operator;
class OperatorTable;

// Files.

/// True if a file has templates in it.
bool hasTemplates(llvm::StringRef file);

/// A file as MLIR's parser reads it: templates are strings. Lines keep their numbers.
struct QuotedText {
  std::string text;
  std::optional<MlirTextProblem> problem{}; ///< why its templates cannot be read
};
QuotedText quoteTemplates(llvm::StringRef file);

/// A file as it is, for diagnostics that quote it, and as MLIR's parser reads it.
struct TemplateFile {
  explicit TemplateFile(std::unique_ptr<llvm::MemoryBuffer> file);

  mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context, bool verify = true);

  llvm::SourceMgr shown;

private:
  std::shared_ptr<llvm::SourceMgr> parsed;
  QuotedText quoted;
};

// Operations.

/// Registers the dialect of templates.
void insertTemplateDialect(mlir::DialectRegistry &registry);

/// True if there are templates in the module.
bool hasTemplates(mlir::ModuleOp module);
/// True if a template of the module takes the place of a pattern.
bool hasPatterns(mlir::ModuleOp module);
/// Removes the templates, but not what calls them.
void eraseTemplates(mlir::ModuleOp module);

struct TemplateCall {
  llvm::StringRef callee;
  mlir::DictionaryAttr parameters; ///< strings; null: none
};
/// The call of a template that an operation is.
std::optional<TemplateCall> templateCall(mlir::Operation *op);

// Passes.

void registerTemplatePasses();
/// Puts instances in the place of calls of templates, and of what templates replace.
void addTemplates(mlir::OpPassManager &pm);
/// Puts instances in the place of calls. With `references` these are of the templates that others
/// name in `reference`.
void addTemplateInstances(mlir::OpPassManager &pm, bool references = false);
/// Tries instances of all templates.
void addTemplateTrials(mlir::OpPassManager &pm);

// Micro-kernels.

/// True if a template of the module is a micro-kernel.
bool hasKernelTemplates(mlir::ModuleOp module);

/// A template as a micro-kernel.
struct KernelTemplate {
  std::string callee;
  mlir::DictionaryAttr parameters;
  double cost = 0; ///< cycles of a call
};
/// The template of the lowest cost among those that are the kernel of these facts. Nothing if none
/// is, for the reason in `refusal`.
std::optional<KernelTemplate> bestKernelTemplate(mlir::ModuleOp module,
                                                 const templates::KernelFacts &facts,
                                                 TargetAttr target, std::string &refusal);
void callKernelTemplate(mlir::OpBuilder &builder, mlir::Location loc, const KernelTemplate &kernel,
                        mlir::ValueRange operands);

// Operators of users: a template whose name has a dot is one.

/// All files of a library: templates call templates of other files.
struct TemplateSources;

/// Files with templates; null if there is none. What is wrong with a file is reported at its place
/// there.
std::shared_ptr<const TemplateSources> readTemplates(const std::vector<Located<std::string>> &paths,
                                                     Diagnostics &diagnostics);

/// All of them, also those without a dot, by their names.
std::shared_ptr<const OperatorTable>
callableTemplates(const std::shared_ptr<const TemplateSources> &files);

/// Their operators, of names with a dot; attributes are parameters, inputs are operands, optional
/// inputs are overloads.
std::vector<Operator> templateOperators(const std::shared_ptr<const TemplateSources> &files);

/// The built-in operators and those of the files.
std::shared_ptr<const OperatorTable>
operatorsWith(const std::shared_ptr<const TemplateSources> &files);

/// True if one of them acts without being called: in the place of operations, or as a
/// micro-kernel.
bool actsOnGraphs(const TemplateSources &sources);
/// Adds the templates to the module if one of them acts without being called. False after an error,
/// which is reported: MLIR's parser refuses one of them.
bool addActingTemplates(mlir::ModuleOp module, const TemplateSources &sources,
                        Diagnostics &diagnostics);

/// The paths of the files.
std::vector<std::string> pathsOf(const TemplateSources &sources);
/// The names of the templates that are micro-kernels.
std::vector<std::string> kernelTemplates(const TemplateSources &sources);
/// Returns where the template of that name is declared; "" if there is none.
std::string placeOfTemplate(llvm::StringRef name, const TemplateSources &sources);

} // namespace kgen
