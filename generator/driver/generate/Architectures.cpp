#include "driver/generate/Architectures.h"

#include "driver/generate/CheckOptions.h"
#include "driver/load/ExternFunctions.h"
#include "driver/load/LibraryInterface.h"
#include "driver/load/Load.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

bool makesLibrary(const GenerateOptions &options) {
  return options.emit == EmitKind::object || options.emit == EmitKind::assembly;
}

ObjectKind objectKind(const GenerateOptions &options) {
  return options.emit == EmitKind::assembly ? ObjectKind::assembly : ObjectKind::object;
}

void identify(const GenerateOptions &options, const LoadedLibrary &library, const std::string &hash,
              LibraryInterface &interface) {
  interface.name = library.spec.library.value;
  interface.specHash = hash;
  if (makesLibrary(options))
    interface.inputs = inputHashes(library);
  interface.objectKind = objectKind(options);
  interface.provider = options.provider;
  interface.reference = options.reference;
  interface.python = options.python || library.spec.python;
  interface.externs = externsOf(library.graphs);
  interface.states = statesOf(library.spec);
}

namespace {

/// The architectures of the targets, in the order of architectures().
std::vector<const Architecture *> architecturesOf(const LoadedLibrary &library) {
  std::vector<const Architecture *> found;
  for (const TargetSpec &target : library.targets)
    if (!llvm::is_contained(found, architectureOf(target.triple)))
      found.push_back(architectureOf(target.triple));
  return found;
}

/// The library as it would be loaded with the targets of one architecture and without machines.
LoadedLibrary partFor(const Architecture *architecture, const LoadedLibrary &whole) {
  LoadedLibrary part = whole; // weights are shared
  part.machines.clear();
  for (const TargetSpec &other : takeOtherTargets(architecture, part.targets))
    llvm::erase(part.inputFiles, other.path);
  return part;
}

std::string folderOf(const Architecture *architecture) {
  return architectureName(architecture->triple());
}

/// Options for the part of an architecture in the folder `name`.
GenerateOptions partOptions(const GenerateOptions &options, const std::string &name) {
  GenerateOptions part = options;
  part.isUpToDate = nullptr;
  if (!options.partsDirectory.empty())
    part.partsDirectory += "/" + name;
  return part;
}

/// Adds the workspaces of an architecture's variants to what is known of the same graph.
void addWorkspaces(const GraphInterface &from, GraphInterface &graph) {
  graph.workspaceBytes.insert(from.workspaceBytes.begin(), from.workspaceBytes.end());
  graph.workspaceSizes.insert(from.workspaceSizes.begin(), from.workspaceSizes.end());
  for (size_t i = 0; i < graph.versions.size(); ++i)
    addWorkspaces(from.versions[i], graph.versions[i]);
}

/// A library of several architectures being generated.
class FolderOfArchitectures {
public:
  FolderOfArchitectures(const GenerateOptions &options, const LoadedLibrary &library,
                        GenerateResult &result, Diagnostics &diagnostics)
      : options(options), library(library), result(result), diagnostics(diagnostics) {}

  GenerateStatus run();
  GenerateStatus runPart();

private:
  void generate(const Architecture *architecture);
  void scheduleForMachines();
  void add(GenerateResult part, const Architecture *architecture);

  const GenerateOptions &options;
  const LoadedLibrary &library;
  GenerateResult &result;
  Diagnostics &diagnostics;
  FileSet files;
  GenerateStatus status = GenerateStatus::ok; ///< the worst of all
};

void FolderOfArchitectures::add(GenerateResult part, const Architecture *architecture) {
  const std::string folder = folderOf(architecture);
  LibraryInterface &whole = result.library;
  ArchitectureInterface described{folder, architecture->compilerMacro().str(), {}};
  for (const VariantInterface &variant : part.library.variants)
    described.targets.push_back(variant.target);
  whole.architectures.push_back(std::move(described));
  llvm::append_range(whole.variants, part.library.variants);
  whole.stackBytes = std::max(whole.stackBytes, part.library.stackBytes);
  if (whole.graphs.empty())
    whole.graphs = part.library.graphs;
  for (size_t i = 0; i < whole.graphs.size(); ++i)
    addWorkspaces(part.library.graphs[i], whole.graphs[i]);
  for (const auto &[path, contents] : part.files)
    files[folder + "/" + path] = contents;
  result.weightBytes += part.weightBytes;
  result.weightSizes.insert(part.weightSizes.begin(), part.weightSizes.end());
  llvm::append_range(result.budgets, part.budgets);
  for (Part &one : part.parts)
    result.parts.push_back(std::move(one));
  part.parts.clear();
  result.folders.push_back(std::move(part));
}

void FolderOfArchitectures::generate(const Architecture *architecture) {
  GenerateOptions own = partOptions(options, folderOf(architecture));
  const size_t before = result.parts.size();
  const size_t all = (library.graphs.size() + library.versions.size()) * library.targets.size();
  if (options.progress)
    own.progress = [&](size_t done, size_t, const std::string &what) {
      options.progress(before + done, all, what);
    };
  GenerateResult part;
  GenerateStatus ended =
      generateOneArchitecture(own, partFor(architecture, library), part, diagnostics);
  status = std::max(status, ended);
  if (ended == GenerateStatus::ok)
    add(std::move(part), architecture);
}

void FolderOfArchitectures::scheduleForMachines() {
  LoadedLibrary rest = library;
  rest.targets.clear();
  GenerateResult scheduled;
  GenerateOptions own = partOptions(options, "");
  status = std::max(status, generateOneArchitecture(own, rest, scheduled, diagnostics));
  files.insert(scheduled.files.begin(), scheduled.files.end());
}

GenerateStatus FolderOfArchitectures::run() {
  result.inputFiles = library.inputFiles;
  result.linked = library.linked;
  identify(options, library, specHash(library), result.library);
  if (options.isUpToDate && options.isUpToDate(result.library))
    return GenerateStatus::upToDate;
  for (const Architecture *architecture : architecturesOf(library))
    generate(architecture);
  if (!library.machines.empty())
    scheduleForMachines();
  if (status == GenerateStatus::ok)
    result.files = emitLibrary(result.library, files);
  return status;
}

/// A part for --parts: its files are in the folder of its architecture, because weights of two
/// differ in their formats and not in their names.
GenerateStatus FolderOfArchitectures::runPart() {
  const TargetSpec &target = *llvm::find_if(
      library.targets, [&](const TargetSpec &one) { return one.name.value == options.onlyTarget; });
  const Architecture *architecture = architectureOf(target.triple);
  const std::string folder = folderOf(architecture);
  status = generateOneArchitecture(partOptions(options, folder), partFor(architecture, library),
                                   result, diagnostics);
  result.inputFiles = library.inputFiles;
  result.partFolder = folder + "/";
  for (const auto &[path, contents] : result.files)
    files[result.partFolder + path] = contents;
  result.files = std::move(files);
  return status;
}

} // namespace

GenerateStatus generateLibrary(const GenerateOptions &options, const LoadedLibrary &library,
                               GenerateResult &result, Diagnostics &diagnostics) {
  checkOptions(options, library, diagnostics);
  if (diagnostics.hasErrors())
    return GenerateStatus::userError;
  if (!makesLibrary(options) || architecturesOf(library).size() < 2)
    return generateOneArchitecture(options, library, result, diagnostics);
  FolderOfArchitectures folder(options, library, result, diagnostics);
  return options.onlyGraph.empty() ? folder.run() : folder.runPart();
}

} // namespace kgen
