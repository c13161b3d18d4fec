#include "ingress/mlir/Import.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/MlirErrors.h"
#include "dialect/template/Template.h"
#include "ingress/mlir/ImportParts.h"
#include "spec/Names.h"

#include <llvm/ADT/SetVector.h>
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

/// `where` becomes the function's place.
std::optional<Graph> graphOf(ModuleOp module, const MlirRequest &request, kgen::Location &where,
                             Diagnostics &diagnostics) {
  for (auto of : llvm::make_early_inc_range(module.getOps<templates::FuncOp>()))
    of.erase(); // request.templates has them
  func::FuncOp function = choose(module, request, diagnostics);
  if (!function)
    return std::nullopt;
  where = placeOf(function.getLoc(), request.path);
  {
    MlirErrors errors(module.getContext(), where, diagnostics);
    bool isRight =
        checkSource(function) && prepareFunction(function, request) && checkFunction(function);
    if (!isRight && !diagnostics.hasErrors())
      diagnostics.error(where,
                        "function '" + function.getName().str() + "' cannot be brought to linalg");
  }
  if (diagnostics.hasErrors())
    return std::nullopt;
  Graph graph = buildNodes(function, request, diagnostics);
  return diagnostics.hasErrors() ? std::nullopt : std::optional(std::move(graph));
}

/// Upstream's parsers and patterns crash on some texts that are wrong, for example on an order of
/// dimensions with a number of 20 digits. That is an error of the file, too, at `where` as it is
/// then. False: it did.
bool safely(const kgen::Location &where, Diagnostics &diagnostics,
            llvm::function_ref<void(Diagnostics &)> function) {
  static const bool isEnabled = [] {
    llvm::CrashRecoveryContext::Enable();
    return true;
  }();
  (void)isEnabled;
  Diagnostics found;
  bool isDone = llvm::CrashRecoveryContext().RunSafely([&] { function(found); });
  if (!isDone) {
    diagnostics.error(
        where, "upstream's parser or a pass of it crashes on this file",
        "`mlir-opt --canonicalize` may, too; leave out parts of it until it does not");
    return false;
  }
  for (const kgen::Diagnostic &one : found.errors())
    diagnostics.error(one.where, one.message, one.hint);
  for (const kgen::Diagnostic &one : found.warnings())
    diagnostics.warning(one.where, one.message, one.hint);
  return true;
}

} // namespace

/// A file that was parsed. What functions become is done to copies.
class MlirFiles::File {
public:
  static std::unique_ptr<File> parse(std::unique_ptr<llvm::MemoryBuffer> text,
                                     const std::string &path, Diagnostics &diagnostics) {
    auto file = std::make_unique<File>();
    file->module = readMlir(std::move(text), path, file->context.get(), diagnostics);
    return file->module ? std::move(file) : nullptr;
  }

  ModuleOp get() const { return module.get(); }

  /// A copy of a function and of what it calls; of the whole module if there is no such function.
  /// Files have thousands of functions, each of which becomes a graph.
  OwningOpRef<ModuleOp> copyFor(StringRef function) const {
    ModuleOp all = get();
    llvm::SetVector<Operation *> wanted;
    if (auto found = all.lookupSymbol<func::FuncOp>(function))
      wanted.insert(found);
    if (wanted.empty())
      return all.clone();
    for (size_t next = 0; next < wanted.size(); ++next) // it grows
      wanted[next]->walk([&](func::CallOp call) {
        if (auto callee = all.lookupSymbol<func::FuncOp>(call.getCallee()))
          wanted.insert(callee);
      });
    auto copy = cast<ModuleOp>(all->cloneWithoutRegions());
    OpBuilder b = OpBuilder::atBlockBegin(&copy.getBodyRegion().emplaceBlock());
    for (Operation &op : *all.getBody())
      if (!isa<func::FuncOp>(op) || wanted.contains(&op))
        b.clone(op);
    return copy;
  }

private:
  InputContext context; // outlives what is in it
  OwningOpRef<ModuleOp> module;
};

MlirFiles::MlirFiles() = default;
MlirFiles::~MlirFiles() = default;

const MlirFiles::File *MlirFiles::read(const std::string &path, Diagnostics &diagnostics) {
  auto known = files.try_emplace(path);
  std::unique_ptr<File> &file = known.first->second;
  std::unique_ptr<llvm::MemoryBuffer> text =
      known.second ? readMlirBytes(path, diagnostics) : nullptr;
  if (text)
    safely({path, 0, 0}, diagnostics,
           [&](Diagnostics &found) { file = File::parse(std::move(text), path, found); });
  return file.get();
}

std::optional<std::vector<std::string>> MlirFiles::functions(const std::string &path,
                                                             Diagnostics &diagnostics) {
  const File *file = read(path, diagnostics);
  if (!file)
    return std::nullopt;
  std::vector<std::string> names = namesOf(publicFunctions(file->get()));
  if (!names.empty())
    return names;
  diagnostics.error({path, 0, 0}, "there is no public function with a body");
  return std::nullopt;
}

std::optional<Graph> MlirFiles::import(const MlirRequest &request, Diagnostics &diagnostics) {
  const File *file = read(request.path, diagnostics);
  std::optional<Graph> graph;
  if (!file)
    return graph;
  kgen::Location where{request.path, 0, 0};
  bool isDone = safely(where, diagnostics, [&](Diagnostics &found) {
    OwningOpRef<ModuleOp> copy = file->copyFor(request.function);
    graph = graphOf(*copy, request, where, found);
  });
  if (!isDone)
    (void)files[request.path].release(); // nothing in its context can be relied on
  return isDone ? std::move(graph) : std::nullopt;
}

std::optional<Graph> importMlirText(StringRef text, const MlirRequest &request,
                                    Diagnostics &diagnostics) {
  std::optional<Graph> graph;
  kgen::Location where{request.path, 0, 0};
  bool isDone = safely(where, diagnostics, [&](Diagnostics &found) {
    InputContext context;
    OwningOpRef<ModuleOp> module =
        readMlir(llvm::MemoryBuffer::getMemBufferCopy(text, request.path), request.path,
                 context.get(), found);
    if (module)
      graph = graphOf(*module, request, where, found);
  });
  return isDone ? std::move(graph) : std::nullopt;
}

} // namespace kgen
