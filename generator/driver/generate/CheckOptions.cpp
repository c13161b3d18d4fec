#include "driver/generate/CheckOptions.h"

#include "driver/load/BackendChecks.h"
#include "driver/load/LibraryInterface.h"
#include "driver/load/Systems.h"
#include "emit/PythonNames.h"
#include "providers/Provider.h"
#include "target/Architecture.h"

namespace kgen {
namespace {

/// Reports a graph or a target of --only that the library does not have.
void checkOnly(const GenerateOptions &options, const LoadedLibrary &library,
               Diagnostics &diagnostics) {
  if (options.onlyGraph.empty())
    return;
  std::vector<std::string> graphs, targets;
  for (const Graph &graph : library.graphs)
    graphs.push_back(graph.name);
  for (const TargetSpec &target : library.targets)
    targets.push_back(target.name.value);
  auto check = [&](const char *what, const std::string &name,
                   const std::vector<std::string> &names) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      diagnostics.error({options.specPath, 0, 0}, std::string("the library has no ") + what + " '" +
                                                      name + "'" + didYouMean(name, names));
  };
  check("graph", options.onlyGraph, graphs);
  check("target", options.onlyTarget, targets);
}

/// Refuses a Python module where names or sizes of the library do not fit one.
void checkModule(const LoadedLibrary &library, Diagnostics &diagnostics) {
  auto check = [&](const std::string &problem, const char *wayOut) {
    if (!problem.empty())
      diagnostics.error(library.spec.library.where, problem, wayOut);
  };
  for (const TargetSpec &target : library.targets)
    if (!architectureOf(target.triple)->choosesVariants())
      check("a Python module calls a shared library, which there is none of for target '" +
                target.name.value + "'",
            "generate no module for it");
  for (System system : library.systems)
    if (system != System::onLinux)
      check("a Python module calls a shared library of Linux, and the library is for " +
                systemName(system).str(),
            "generate no module for it");
  check(pythonNameProblem(library.spec.library.value), "give the library another name");
  LibraryInterface described;
  described.states = statesOf(library.spec);
  for (const Graph &graph : library.graphs)
    described.graphs.push_back(interfaceOf(graph, library));
  for (const GraphInterface &graph : described.graphs)
    check(pythonSizeProblem(described, graph),
          "give it an input that has it, or generate no module");
  for (const GraphInterface &graph : described.graphs)
    check(pythonStateProblem(graph), "rename the input, or generate no module");
}

} // namespace

/// Parts of two systems have the same names.
static void checkPartSystem(const GenerateOptions &options, const LoadedLibrary &library,
                            Diagnostics &diagnostics) {
  if ((options.onlyGraph.empty() && options.partsDirectory.empty()) || library.systems.size() < 2)
    return;
  diagnostics.error({options.specPath, 0, 0},
                    "parts are for one system each, and the library is for several",
                    "--system says which");
}

void checkOptions(const GenerateOptions &options, const LoadedLibrary &library,
                  Diagnostics &diagnostics) {
  checkOnly(options, library, diagnostics);
  checkPartSystem(options, library, diagnostics);
  if (!isProviderName(options.provider))
    diagnostics.error({options.specPath, 0, 0}, "there is no provider '" + options.provider + "'" +
                                                    didYouMean(options.provider, providerNames()));
  for (const TargetSpec &target : library.targets) {
    reportForeignProvider(options.provider, target, {options.specPath, 0, 0}, diagnostics);
    checkProvider(options.provider, {options.specPath, 0, 0}, target, library.systems, diagnostics);
  }
  if (options.python || library.spec.python)
    checkModule(library, diagnostics);
}

} // namespace kgen
