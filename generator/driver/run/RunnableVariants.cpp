#include "driver/run/RunnableVariants.h"

#include "driver/load/DefaultTargets.h"
#include "driver/load/Load.h"
#include "driver/run/LinkExterns.h"
#include "driver/run/LoadedCode.h"
#include "support/Notes.h"
#include "target/Architecture.h"
#include "target/HostCpu.h"
#include "target/TargetFiles.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/GlobPattern.h>
#include <llvm/TargetParser/Triple.h>

namespace kgen {

void keepGraphs(const std::string &specPath, const std::vector<std::string> &wanted,
                LoadedLibrary &library, Diagnostics &diagnostics) {
  std::vector<std::string> names;
  for (const Graph &graph : library.graphs)
    names.push_back(graph.name);
  std::vector<llvm::GlobPattern> patterns;
  for (const std::string &text : wanted) {
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
    if (!pattern) {
      diagnostics.error({specPath, 0, 0}, "'" + text + "' is no pattern of graphs' names: " +
                                              llvm::toString(pattern.takeError()));
      continue;
    }
    if (llvm::none_of(names, [&](const std::string &name) { return pattern->match(name); }))
      diagnostics.error({specPath, 0, 0},
                        "the library has no graph '" + text + "'" + didYouMean(text, names),
                        "it has " + llvm::join(names, ", "));
    patterns.push_back(std::move(*pattern));
  }
  if (!wanted.empty())
    llvm::erase_if(library.graphs, [&](const Graph &graph) {
      return llvm::none_of(patterns,
                           [&](const llvm::GlobPattern &p) { return p.match(graph.name); });
    });
}

void keepUsedStates(LoadedLibrary &library) {
  llvm::erase_if(library.spec.states, [&](const StateSpec &state) {
    return llvm::none_of(library.graphs, [&](const Graph &graph) {
      return llvm::any_of(graph.states,
                          [&](const GraphState &used) { return used.name == state.name.value; });
    });
  });
}

void keepOwnArchitecture(const std::string &specPath, LoadedLibrary &library,
                         Diagnostics &diagnostics) {
  const Architecture *kept = architectureOf(hostTriple());
  auto isKept = [&](const TargetSpec &target) { return architectureOf(target.triple) == kept; };
  if (llvm::all_of(library.targets, isKept))
    return;
  if (llvm::none_of(library.targets, isKept))
    kept = architectureOf(library.targets.front().triple);
  std::string others;
  for (const TargetSpec &target : takeOtherTargets(kept, library.targets))
    others += (others.empty() ? "" : ", ") + target.name.value;
  if (!others.empty())
    addNote(diagnostics, {specPath, 0, 0},
            "targets of " + architectureName(kept->triple()) +
                " only; --target says others: " + others);
}

namespace {

/// The reason why a target cannot run there; "" if it can.
std::string refusal(const TargetSpec &target, const std::vector<std::string> &missing,
                    const ForeignMachine *machine) {
  llvm::StringRef own = machine ? machine->architecture().triple() : hostTriple();
  if (llvm::Triple(target.triple).getArch() != llvm::Triple(own).getArch())
    return "it is for another architecture, " + architectureName(target.triple);
  if (missing.empty())
    return "";
  return (machine ? "the CPU of '" + machine->name() + "'" : "this CPU") + " lacks " +
         llvm::join(missing, ", ");
}

void keepTargets(const RunnableRequest &request, LoadedLibrary &library,
                 std::vector<std::string> &notes, Diagnostics &diagnostics) {
  std::vector<std::string> lines;
  std::set<std::string> asked;
  for (const TargetSpec &target : library.targets)
    for (const std::string &feature : target.featureNames())
      asked.insert(feature);
  llvm::Expected<std::vector<std::string>> lacked = missingFeatures(asked, request.machine);
  if (!lacked)
    return diagnostics.error({request.specPath, 0, 0}, llvm::toString(lacked.takeError()));
  llvm::erase_if(library.targets, [&](const TargetSpec &target) {
    std::vector<std::string> missing;
    for (const std::string &feature : target.featureNames())
      if (llvm::is_contained(*lacked, feature))
        missing.push_back(feature);
    std::string why = refusal(target, missing, request.machine);
    if (!why.empty())
      lines.push_back(target.name.value + ": " + why);
    return !why.empty();
  });
  if (library.targets.empty())
    diagnostics.error({request.specPath, 0, 0},
                      request.machine ? "the CPU of '" + request.machine->name() +
                                            "' supports none of the library's targets"
                                      : "this CPU supports none of the library's targets",
                      llvm::join(lines, "; ") + request.otherwise);
  notes.insert(notes.end(), lines.begin(), lines.end());
}

} // namespace

llvm::Expected<std::vector<std::string>> missingFeatures(const std::set<std::string> &features,
                                                         const ForeignMachine *machine) {
  std::vector<std::string> asked(features.begin(), features.end());
  if (!machine)
    return missingOnHost(asked);
  llvm::Expected<std::set<std::string>> offered = machine->offered(features);
  if (!offered)
    return offered.takeError();
  llvm::erase_if(asked, [&](const std::string &feature) { return offered->count(feature) != 0; });
  return asked;
}

/// True if all targets that are asked for are graphics cards.
static bool asksForGpusOnly(const RunnableRequest &request) {
  return !request.targets.empty() && llvm::all_of(request.targets, [&](const std::string &target) {
    Diagnostics unused; // loadLibrary() reports what is wrong
    return findTargetFile({target, {}}, TargetKind::gpu,
                          isTargetPath(target) ? "" : request.specPath, request.targetSearchPath,
                          unused)
        .has_value();
  });
}

/// Leaves graphics cards out where a machine runs the code: its programs are for CPUs.
static void leaveGpusOut(const RunnableRequest &request, LoadedLibrary &library,
                         std::vector<std::string> &notes, Diagnostics &diagnostics) {
  const std::string why = ": --run-with runs code for CPUs only";
  for (const GpuSpec &gpu : library.gpus)
    if (library.isForGpusOnly)
      diagnostics.error({"--target " + gpu.name.value, 0, 0}, gpu.name.value + why,
                        "leave --run-with out: code for graphics cards runs on those of this "
                        "machine");
    else
      notes.push_back(gpu.name.value + why);
  library.gpus.clear();
}

std::optional<LoadedLibrary> loadWhatRuns(const RunnableRequest &request,
                                          std::vector<std::string> &notes,
                                          Diagnostics &diagnostics) {
  const bool isForGpusOnly = request.gpus && asksForGpusOnly(request);
  std::vector<std::string> targets = request.targets;
  if (isForGpusOnly)
    targets.push_back(defaultTargets({}, architectureOf(hostTriple())).front().name);
  ModelBindings bindings = request.bindings;
  bindings.graphs = request.graphs;
  std::optional<LoadedLibrary> library =
      loadLibrary(request.specPath, targets, request.targetSearchPath, bindings, diagnostics,
                  request.machine ? &request.machine->architecture() : nullptr);
  if (!library)
    return std::nullopt;
  library->isForGpusOnly = isForGpusOnly;
  if (request.gpus && request.machine)
    leaveGpusOut(request, *library, notes, diagnostics);
  keepGraphs(request.specPath, request.graphs, *library, diagnostics);
  keepUsedStates(*library);
  keepTargets(request, *library, notes, diagnostics);
  if (request.machine)
    checkExternsAreLinked(*library, request.machine->link(), diagnostics);
  else
    linkExterns(*library, request.link, diagnostics);
  return diagnostics.hasErrors() ? std::nullopt : std::move(library);
}

} // namespace kgen
