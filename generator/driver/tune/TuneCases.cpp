#include "driver/tune/TuneCases.h"

#include "driver/load/LibraryInterface.h"
#include "driver/run/RunnableVariants.h"
#include "driver/verify/ResultCheck.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

GenerateStatus makeReferences(const TuneOptions &options, const LoadedLibrary &library,
                              References &references, Diagnostics &diagnostics) {
  GenerateOptions generate;
  generate.specPath = options.specPath;
  LoadedLibrary fixed = library;
  std::vector<GraphInterface> sized;
  for (const Graph &graph : library.graphs)
    if (!graph.dims.empty())
      sized.push_back(interfaceOf(graph, library));
  llvm::erase_if(fixed.graphs, [](const Graph &graph) { return !graph.dims.empty(); });
  GenerateStatus status = GenerateStatus::ok;
  if (!fixed.graphs.empty())
    status = generateReference(generate, fixed, references.whole, diagnostics);
  if (status != GenerateStatus::ok)
    return status;
  return makeSizedReferences({options.specPath, options.targets, options.targetSearchPath,
                              options.bindings, options.link, options.sizes},
                             generate, sized, references.sized, diagnostics);
}

llvm::Expected<std::vector<TuneCase>> makeCases(const LoadedLibrary &library,
                                                const References &references) {
  auto load = [](const GenerateResult &made) -> llvm::Expected<std::shared_ptr<LoadedCode>> {
    llvm::Expected<LoadedCode> code = loadCode(made);
    if (!code)
      return code.takeError();
    return std::make_shared<LoadedCode>(std::move(*code));
  };
  std::vector<TuneCase> cases;
  std::shared_ptr<LoadedCode> whole;
  for (const Graph &graph : library.graphs) {
    if (graph.dims.empty() && !whole) {
      llvm::Expected<std::shared_ptr<LoadedCode>> code = load(references.whole);
      if (!code)
        return code.takeError();
      whole = *code;
    }
    if (graph.dims.empty())
      cases.push_back({graph.name, {}, &references.whole, whole});
    for (const SizedReference &sized : references.sized) {
      if (sized.graph != graph.name)
        continue;
      llvm::Expected<std::shared_ptr<LoadedCode>> code = load(sized.plain);
      if (!code)
        return code.takeError();
      cases.push_back({graph.name, sized.sizes, &sized.plain, *code, sized.counts});
    }
  }
  return cases;
}

} // namespace kgen
