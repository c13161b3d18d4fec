#include "ingress/mlir/Import.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/MlirErrors.h"
#include "ingress/mlir/ImportParts.h"
#include "spec/Names.h"

#include <llvm/ADT/StringExtras.h>

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

} // namespace

std::optional<std::vector<std::string>> functionsOfMlir(const std::string &path,
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

std::optional<Graph> importMlir(const MlirRequest &request, Diagnostics &diagnostics) {
  std::unique_ptr<llvm::MemoryBuffer> text = readMlirBytes(request.path, diagnostics);
  return text ? importMlirText(text->getBuffer(), request, diagnostics) : std::nullopt;
}

std::optional<Graph> importMlirText(StringRef text, const MlirRequest &request,
                                    Diagnostics &diagnostics) {
  size_t before = diagnostics.errors().size();
  InputContext context;
  OwningOpRef<ModuleOp> module =
      readMlir(llvm::MemoryBuffer::getMemBufferCopy(text, request.path), request.path,
               context.get(), diagnostics);
  if (!module)
    return std::nullopt;
  func::FuncOp function = choose(*module, request, diagnostics);
  if (!function)
    return std::nullopt;
  {
    MlirErrors errors(&context.get(), placeOf(function.getLoc(), request.path), diagnostics);
    bool isRight = prepareFunction(function) && checkFunction(function);
    if (!isRight && diagnostics.errors().size() == before)
      diagnostics.error(placeOf(function.getLoc(), request.path),
                        "function '" + function.getName().str() + "' cannot be brought to linalg");
  }
  if (diagnostics.errors().size() != before)
    return std::nullopt;
  Graph graph = buildNodes(function, request, diagnostics);
  if (diagnostics.errors().size() != before)
    return std::nullopt;
  return graph;
}

} // namespace kgen
