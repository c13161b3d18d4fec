#include "driver/run/RunnableVariants.h"

#include "driver/load/Load.h"
#include "driver/run/LinkExterns.h"
#include "support/Notes.h"
#include "target/Architecture.h"
#include "target/HostCpu.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/GlobPattern.h>

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

void keepTargets(const std::string &specPath, LoadedLibrary &library,
                 std::vector<std::string> &notes, Diagnostics &diagnostics) {
  std::vector<std::string> lines;
  llvm::erase_if(library.targets, [&](const TargetSpec &target) {
    std::vector<std::string> missing = missingOnHost(target.featureNames());
    if (!missing.empty())
      lines.push_back(target.name.value + ": this CPU lacks " + llvm::join(missing, ", "));
    return !missing.empty();
  });
  if (library.targets.empty())
    diagnostics.error({specPath, 0, 0}, "this CPU supports none of the library's targets",
                      llvm::join(lines, "; "));
  notes.insert(notes.end(), lines.begin(), lines.end());
}

} // namespace

std::optional<LoadedLibrary>
loadWhatRunsHere(const std::string &specPath, const std::vector<std::string> &targets,
                 const std::vector<std::string> &targetSearchPath, const ModelBindings &bindings,
                 const std::vector<std::string> &graphs, std::vector<std::string> &notes,
                 Diagnostics &diagnostics, const std::vector<std::string> &link) {
  std::optional<LoadedLibrary> library =
      loadLibrary(specPath, targets, targetSearchPath, bindings, diagnostics);
  if (!library)
    return std::nullopt;
  keepGraphs(specPath, graphs, *library, diagnostics);
  keepTargets(specPath, *library, notes, diagnostics);
  linkExterns(*library, link, diagnostics);
  return diagnostics.hasErrors() ? std::nullopt : std::move(library);
}

} // namespace kgen
