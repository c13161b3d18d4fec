#include "ingress/mlir/Import.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/MlirErrors.h"
#include "dialect/template/Template.h"
#include "ingress/mlir/ImportParts.h"
#include "spec/Names.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/CrashRecoveryContext.h>

using namespace mlir;

namespace kgen {
namespace {

/// A context of its own: files are read before there is a pipeline.
class InputContext {
public:
  InputContext() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }
  MLIRContext &get() { return context; }

private:
  static DialectRegistry registry() {
    DialectRegistry all;
    registerMlirInput(all);
    all.insert<KgenDialect>();
    return all;
  }
  MLIRContext context;
};

std::vector<std::string> namesOf(const std::vector<func::FuncOp> &functions) {
  std::vector<std::string> names;
  for (func::FuncOp function : functions)
    names.push_back(function.getName().str());
  return names;
}

/// The one that is asked for, else the only public one.
func::FuncOp choose(ModuleOp module, const MlirRequest &request, Diagnostics &diagnostics) {
  std::vector<func::FuncOp> functions = publicFunctions(module);
  std::vector<std::string> names = namesOf(functions);
  kgen::Location where =
      request.asked.file.empty() ? kgen::Location{request.path, 0, 0} : request.asked;
  if (!request.function.empty()) {
    auto found = module.lookupSymbol<func::FuncOp>(request.function);
    if (found && !found.isExternal())
      return found;
    diagnostics.error(where,
                      "there is no function '" + request.function + "'" +
                          didYouMean(request.function, names),
                      names.empty() ? "" : "there are " + llvm::join(names, ", "));
    return {};
  }
  if (functions.size() == 1)
    return functions.front();
  if (functions.empty())
    diagnostics.error(where, "there is no public function with a body");
  else
    diagnostics.error(where, "there are several functions: " + llvm::join(names, ", "),
                      "'function' of the graph names one of them");
  return {};
}

std::optional<std::vector<std::string>> readNames(const std::string &path,
                                                  Diagnostics &diagnostics) {
  InputContext context;
  std::unique_ptr<llvm::MemoryBuffer> text = readMlirBytes(path, diagnostics);
  OwningOpRef<ModuleOp> module =
      text ? readMlir(std::move(text), path, context.get(), diagnostics) : nullptr;
  if (!module)
    return std::nullopt;
  std::vector<std::string> names = namesOf(publicFunctions(*module));
  if (!names.empty())
    return names;
  diagnostics.error({path, 0, 0}, "there is no public function with a body");
  return std::nullopt;
}

std::optional<Graph> readGraph(StringRef text, const MlirRequest &request,
                               Diagnostics &diagnostics) {
  InputContext context;
  OwningOpRef<ModuleOp> module = readMlir(llvm::MemoryBuffer::getMemBufferCopy(text, request.path),
                                          request.path, context.get(), diagnostics);
  if (module)
    for (auto of : llvm::make_early_inc_range(module->getOps<templates::FuncOp>()))
      of.erase(); // request.templates has them
  func::FuncOp function = module ? choose(*module, request, diagnostics) : func::FuncOp();
  if (!function)
    return std::nullopt;
  {
    MlirErrors errors(&context.get(), placeOf(function.getLoc(), request.path), diagnostics);
    bool isRight = prepareFunction(function) && checkFunction(function);
    if (!isRight && !diagnostics.hasErrors())
      diagnostics.error(placeOf(function.getLoc(), request.path),
                        "function '" + function.getName().str() + "' cannot be brought to linalg");
  }
  if (diagnostics.hasErrors())
    return std::nullopt;
  Graph graph = buildNodes(function, request, diagnostics);
  return diagnostics.hasErrors() ? std::nullopt : std::optional(std::move(graph));
}

/// Upstream's parsers and patterns crash on some texts that are wrong, for example on an order of
/// dimensions with a number of 20 digits. That is an error of the file, too.
template <typename Result>
std::optional<Result> safely(const std::string &path, Diagnostics &diagnostics,
                             llvm::function_ref<std::optional<Result>(Diagnostics &)> function) {
  static const bool isEnabled = [] {
    llvm::CrashRecoveryContext::Enable();
    return true;
  }();
  (void)isEnabled;
  Diagnostics found;
  std::optional<Result> result;
  bool isDone = llvm::CrashRecoveryContext().RunSafely([&] { result = function(found); });
  if (!isDone) {
    diagnostics.error(
        {path, 0, 0}, "upstream's parser or a pass of it crashes on this file",
        "`mlir-opt --canonicalize` may, too; leave out parts of it until it does not");
    return std::nullopt;
  }
  for (const kgen::Diagnostic &one : found.errors())
    diagnostics.error(one.where, one.message, one.hint);
  for (const kgen::Diagnostic &one : found.warnings())
    diagnostics.warning(one.where, one.message, one.hint);
  return result;
}

} // namespace

std::optional<std::vector<std::string>> functionsOfMlir(const std::string &path,
                                                        Diagnostics &diagnostics) {
  return safely<std::vector<std::string>>(
      path, diagnostics, [&](Diagnostics &found) { return readNames(path, found); });
}

std::optional<Graph> importMlirText(StringRef text, const MlirRequest &request,
                                    Diagnostics &diagnostics) {
  return safely<Graph>(request.path, diagnostics,
                       [&](Diagnostics &found) { return readGraph(text, request, found); });
}

std::optional<Graph> importMlir(const MlirRequest &request, Diagnostics &diagnostics) {
  std::unique_ptr<llvm::MemoryBuffer> text = readMlirBytes(request.path, diagnostics);
  return text ? importMlirText(text->getBuffer(), request, diagnostics) : std::nullopt;
}

} // namespace kgen
