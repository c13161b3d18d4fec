#include "ingress/mlir/Import.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/MlirErrors.h"
#include "ingress/mlir/FileText.h"
#include "ingress/mlir/ImportParts.h"
#include "spec/Names.h"
#include "support/Notes.h"
#include "templates/Templates.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/CrashRecoveryContext.h>

#include <mlir/IR/Verifier.h>

using namespace mlir;

namespace kgen {
namespace {

/// A context of its own: files are read before there is a pipeline.
class InputContext {
public:
  InputContext() : context(registry(), MLIRContext::Threading::DISABLED) {
    loadMlirInput(context);
    context.loadDialect<KgenDialect>();
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
  SourceLoc where = request.asked.file.empty() ? SourceLoc{request.path, 0, 0} : request.asked;
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
std::optional<Graph> graphOf(ModuleOp module, const MlirRequest &request, SourceLoc &where,
                             Diagnostics &diagnostics) {
  eraseTemplates(module); // request.templates has them
  func::FuncOp function = choose(module, request, diagnostics);
  if (!function)
    return std::nullopt;
  where = placeOf(function.getLoc(), request.path);
  Diagnostics found;
  {
    MlirErrors errors(module.getContext(), where, found);
    dropForeignAttributes(module);
    bool isRight = succeeded(verify(module)) && checkSource(function) &&
                   prepareFunction(function, request) && checkFunction(function);
    if (!isRight && !found.hasErrors())
      found.error(where, "function '" + function.getName().str() + "' cannot be brought to linalg");
  }
  reportMlirErrors(found, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  Graph graph = buildNodes(function, request, diagnostics);
  return diagnostics.hasErrors() ? std::nullopt : std::optional(std::move(graph));
}

/// Upstream's parsers and patterns crash on some texts that are wrong, for example on an order of
/// dimensions with a number of 20 digits. That is an error of the file, too, at `where` as it is
/// then. False: it did.
bool safely(const SourceLoc &where, Diagnostics &diagnostics,
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
  addAll(diagnostics, found);
  return true;
}

} // namespace

/// A parsed file. What functions become is done to copies.
class MlirFiles::Parsed {
public:
  static std::unique_ptr<Parsed> parse(std::unique_ptr<llvm::MemoryBuffer> text,
                                       const std::string &path, Diagnostics &diagnostics) {
    auto parsed = std::make_unique<Parsed>();
    parsed->module = readMlir(std::move(text), path, parsed->context.get(), diagnostics);
    if (!parsed->module)
      return nullptr;
    for (Operation &op : *parsed->module->getBody())
      if (auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
        parsed->symbols.insert({name, &op});
    return parsed;
  }

  ModuleOp get() const { return module.get(); }

  /// A copy of a function and of what it names; of the whole module if there is no such function.
  /// Files have thousands of functions, each of which becomes a graph.
  OwningOpRef<ModuleOp> copyFor(StringRef function) const {
    ModuleOp all = get();
    llvm::SetVector<Operation *> wanted;
    Operation *chosen = symbols.lookup(StringAttr::get(all.getContext(), function));
    if (!chosen)
      return all.clone();
    wanted.insert(chosen);
    for (size_t next = 0; next < wanted.size(); ++next) // it grows
      wanted[next]->walk([&](Operation *op) {
        op->getAttrDictionary().walk([&](SymbolRefAttr symbol) {
          if (Operation *named = symbols.lookup(symbol.getRootReference()))
            wanted.insert(named);
        });
      });
    auto copy = cast<ModuleOp>(all->cloneWithoutRegions());
    OpBuilder b = OpBuilder::atBlockBegin(&copy.getBodyRegion().emplaceBlock());
    for (Operation &op : *all.getBody())
      if (wanted.contains(&op))
        b.clone(op);
    return copy;
  }

private:
  InputContext context; // outlives what is in it
  OwningOpRef<ModuleOp> module;
  llvm::DenseMap<StringAttr, Operation *> symbols; ///< at top level
};

/// A file as text, as a whole where it parses, and functions that were cut out of it where it does
/// not.
struct MlirFiles::File {
  std::string text;
  std::unique_ptr<Parsed> whole;                              ///< null: it does not parse
  Diagnostics problems;                                       ///< of the whole
  std::map<std::string, std::unique_ptr<Parsed>> functions{}; ///< null: they do not parse either
};

MlirFiles::MlirFiles() = default;
MlirFiles::~MlirFiles() = default;

MlirFiles::File *MlirFiles::read(const std::string &path, Diagnostics &diagnostics) {
  auto known = files.try_emplace(path);
  std::unique_ptr<File> &file = known.first->second;
  std::unique_ptr<llvm::MemoryBuffer> text =
      known.second ? readMlirBytes(path, diagnostics) : nullptr;
  if (!text)
    return file.get();
  file = std::make_unique<File>();
  file->text = text->getBuffer().str();
  safely({path, 0, 0}, file->problems,
         [&](Diagnostics &found) { file->whole = Parsed::parse(std::move(text), path, found); });
  return file.get();
}

/// Returns what of the file has the function. Null after an error, which was reported.
std::unique_ptr<MlirFiles::Parsed> *MlirFiles::parsedFor(File &file, const MlirRequest &request,
                                                         Diagnostics &diagnostics) {
  if (file.whole)
    return &file.whole;
  auto known = file.functions.try_emplace(request.function);
  std::unique_ptr<Parsed> &parsed = known.first->second;
  std::optional<CutText> cut =
      request.function.empty() ? std::nullopt : cutFunction(file.text, request.function);
  if (!cut)
    reportProblems(file, diagnostics);
  if (!cut || (!known.second && !parsed))
    return nullptr;
  if (known.second)
    safely({request.path, 0, 0}, diagnostics, [&](Diagnostics &found) {
      parsed = Parsed::parse(llvm::MemoryBuffer::getMemBufferCopy(cut->text, request.path),
                             request.path, found);
      const kgen::Diagnostic &first = file.problems.errors().front();
      if (parsed)
        addNote(found, first.where,
                "the file cannot be read as a whole (" + first.message + "): '" + request.function +
                    "' was read without " +
                    (cut->others.empty() ? "the rest" : llvm::join(cut->others, ", ")));
    });
  return parsed ? &parsed : nullptr;
}

void MlirFiles::reportProblems(const File &file, Diagnostics &diagnostics) {
  std::vector<std::string> names = functionsInText(file.text);
  for (kgen::Diagnostic one : file.problems.errors()) {
    if (names.size() > 1)
      one.hint += (one.hint.empty() ? "" : "\n    ") +
                  ("--function NAME reads a function alone: there are " + llvm::join(names, ", "));
    diagnostics.error(one.where, one.message, one.hint);
  }
}

std::optional<std::vector<std::string>> MlirFiles::functions(const std::string &path,
                                                             Diagnostics &diagnostics) {
  File *file = read(path, diagnostics);
  if (!file)
    return std::nullopt;
  if (!file->whole)
    return reportProblems(*file, diagnostics), std::nullopt;
  std::vector<std::string> names = namesOf(publicFunctions(file->whole->get()));
  if (!names.empty())
    return names;
  diagnostics.error({path, 0, 0}, "there is no public function with a body");
  return std::nullopt;
}

std::optional<Graph> MlirFiles::import(const MlirRequest &request, Diagnostics &diagnostics) {
  File *file = read(request.path, diagnostics);
  std::unique_ptr<Parsed> *parsed = file ? parsedFor(*file, request, diagnostics) : nullptr;
  std::optional<Graph> graph;
  if (!parsed)
    return graph;
  SourceLoc where{request.path, 0, 0};
  bool isDone = safely(where, diagnostics, [&](Diagnostics &found) {
    OwningOpRef<ModuleOp> copy = (*parsed)->copyFor(request.function);
    graph = graphOf(*copy, request, where, found);
  });
  if (!isDone)
    (void)parsed->release(); // nothing in its context can be relied on
  return isDone ? std::move(graph) : std::nullopt;
}

std::optional<Graph> importMlirText(StringRef text, const MlirRequest &request,
                                    Diagnostics &diagnostics) {
  std::optional<Graph> graph;
  SourceLoc where{request.path, 0, 0};
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
