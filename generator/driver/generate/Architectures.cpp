#include "driver/generate/Architectures.h"

#include "driver/generate/CheckOptions.h"
#include "driver/load/ExternFunctions.h"
#include "driver/load/LibraryInterface.h"
#include "driver/load/Load.h"
#include "driver/load/Systems.h"

#include <llvm/ADT/STLExtras.h>

#include <utility>

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
  interface.states = statesOf(library);
}

namespace {

/// An architecture on a system: one library of its own.
struct Place {
  const Architecture *architecture;
  std::optional<System> system; ///< none where code needs none
};

/// Those of the targets, in the order of architectures() and systems.
std::vector<Place> placesOf(const LoadedLibrary &library) {
  std::vector<Place> places;
  const Architecture *last = nullptr; // targets are sorted by architecture
  for (const TargetSpec &target : library.targets) {
    const Architecture *architecture = architectureOf(target.triple);
    if (architecture == std::exchange(last, architecture))
      continue;
    if (!systemOf(architecture->triple()))
      places.push_back({architecture, std::nullopt});
    else
      for (System system : library.systems)
        places.push_back({architecture, system});
  }
  return places;
}

/// Makes the targets those of the system.
void moveTo(const Place &place, LoadedLibrary &library) {
  if (!place.system)
    return;
  library.systems = {*place.system};
  for (TargetSpec &target : library.targets)
    target = targetOn(*place.system, std::move(target));
}

/// The library as it would be loaded with the targets of one place and without machines.
LoadedLibrary partFor(const Place &place, const LoadedLibrary &whole) {
  LoadedLibrary part = whole; // weights are shared
  part.machines.clear();
  for (const TargetSpec &other : takeOtherTargets(place.architecture, part.targets))
    llvm::erase(part.inputFiles, other.path);
  moveTo(place, part);
  return part;
}

/// "x86_64"; of a library for several systems "x86_64-windows".
std::string folderOf(const Place &place, const LoadedLibrary &library) {
  std::string name = architectureName(place.architecture->triple());
  if (place.system && library.systems.size() > 1)
    name += "-" + systemName(*place.system).str();
  return name;
}

/// Returns how C compilers tell the place from others: by the system only if there are several.
ArchitectureInterface describe(const Place &place, const LoadedLibrary &library) {
  ArchitectureInterface one;
  one.folder = folderOf(place, library);
  one.architecture = architectureName(place.architecture->triple());
  one.macro = place.architecture->compilerMacro().str();
  one.isForWindows = place.system == System::onWindows;
  if (!place.system || library.systems.size() < 2)
    return one;
  one.condition = "defined(" + one.macro + ")";
  const std::string other = place.architecture->msvcMacro().str();
  if (one.isForWindows && !other.empty())
    one.condition = "(" + one.condition + " || defined(" + other + "))";
  one.condition += " && defined(" + systemMacro(*place.system).str() + ")";
  return one;
}

/// Options for the part of a place in the folder `name`.
GenerateOptions partOptions(const GenerateOptions &options, const std::string &name) {
  GenerateOptions part = options;
  part.isUpToDate = nullptr;
  if (!options.partsDirectory.empty())
    part.partsDirectory += "/" + name;
  return part;
}

/// Adds the workspaces of a place's variants to what is known of the same graph.
void addWorkspaces(const GraphInterface &from, GraphInterface &graph) {
  for (const auto &[target, bytes] : from.workspaceBytes) {
    int64_t &largest = graph.workspaceBytes[target];
    largest = std::max(largest, bytes);
  }
  graph.workspaceSizes.insert(from.workspaceSizes.begin(), from.workspaceSizes.end());
  for (size_t i = 0; i < graph.versions.size(); ++i)
    addWorkspaces(from.versions[i], graph.versions[i]);
}

/// A library of several places being generated.
class FolderOfPlaces {
public:
  FolderOfPlaces(const GenerateOptions &options, const LoadedLibrary &library,
                 GenerateResult &result, Diagnostics &diagnostics)
      : options(options), library(library), result(result), diagnostics(diagnostics) {}

  GenerateStatus run();
  GenerateStatus runPart();

private:
  void generate(const Place &place);
  void scheduleForMachines();
  void add(GenerateResult part, const Place &place);

  const GenerateOptions &options;
  const LoadedLibrary &library;
  GenerateResult &result;
  Diagnostics &diagnostics;
  FileSet files;
  GenerateStatus status = GenerateStatus::ok; ///< the worst of all
};

void FolderOfPlaces::add(GenerateResult part, const Place &place) {
  LibraryInterface &whole = result.library;
  ArchitectureInterface described = describe(place, library);
  const std::string folder = described.folder;
  for (const VariantInterface &variant : part.library.variants)
    described.targets.push_back(variant.target);
  whole.architectures.push_back(std::move(described));
  for (const VariantInterface &variant : part.library.variants)
    if (llvm::none_of(whole.variants, [&](const VariantInterface &other) {
          return other.target == variant.target;
        }))
      whole.variants.push_back(variant);
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

void FolderOfPlaces::generate(const Place &place) {
  GenerateOptions own = partOptions(options, folderOf(place, library));
  const size_t before = result.parts.size();
  size_t targets = 0;
  for (const Place &one : placesOf(library))
    targets += partFor(one, library).targets.size();
  const size_t all = (library.graphs.size() + library.versions.size()) * targets;
  if (options.progress)
    own.progress = [&](size_t done, size_t, const std::string &what) {
      options.progress(before + done, all, what);
    };
  GenerateResult part;
  GenerateStatus ended = generateOneArchitecture(own, partFor(place, library), part, diagnostics);
  status = std::max(status, ended);
  if (ended == GenerateStatus::ok)
    add(std::move(part), place);
}

void FolderOfPlaces::scheduleForMachines() {
  LoadedLibrary rest = library;
  rest.targets.clear();
  GenerateResult scheduled;
  GenerateOptions own = partOptions(options, "");
  status = std::max(status, generateOneArchitecture(own, rest, scheduled, diagnostics));
  files.insert(scheduled.files.begin(), scheduled.files.end());
}

GenerateStatus FolderOfPlaces::run() {
  result.inputFiles = library.inputFiles;
  result.linked = library.linked;
  identify(options, library, specHash(library), result.library);
  if (options.isUpToDate && options.isUpToDate(result.library))
    return GenerateStatus::upToDate;
  for (const Place &place : placesOf(library))
    generate(place);
  if (!library.machines.empty())
    scheduleForMachines();
  if (status == GenerateStatus::ok)
    result.files = emitLibrary(result.library, files);
  return status;
}

/// A part for --parts: its files are in the folder of its place, because weights of two differ in
/// their formats and not in their names.
GenerateStatus FolderOfPlaces::runPart() {
  const TargetSpec &target = *llvm::find_if(
      library.targets, [&](const TargetSpec &one) { return one.name.value == options.onlyTarget; });
  const std::vector<Place> places = placesOf(library);
  const Place &place = *llvm::find_if(
      places, [&](const Place &one) { return one.architecture == architectureOf(target.triple); });
  const std::string folder = folderOf(place, library);
  status = generateOneArchitecture(partOptions(options, folder), partFor(place, library), result,
                                   diagnostics);
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
  const std::vector<Place> places = placesOf(library);
  if (makesLibrary(options) && places.size() > 1) {
    FolderOfPlaces folder(options, library, result, diagnostics);
    return options.onlyGraph.empty() ? folder.run() : folder.runPart();
  }
  if (places.empty() || places.front().system == hostSystem())
    return generateOneArchitecture(options, library, result, diagnostics);
  LoadedLibrary moved = library; // weights are shared
  moveTo(places.front(), moved);
  return generateOneArchitecture(options, moved, result, diagnostics);
}

} // namespace kgen
