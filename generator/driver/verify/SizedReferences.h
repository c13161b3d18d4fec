// Plain loops for the sizes that functions are called with.
#pragma once

#include "driver/generate/Generate.h"
#include "driver/load/Sizes.h"
#include "driver/run/ForeignMachine.h"

namespace kgen {

/// The plain loops of a graph whose sizes have become numbers.
struct SizedReference {
  std::string graph;
  SizeValues sizes;
  SizeValues counts; ///< that states begin with which hold some of the sizes
  GenerateResult plain;
};

/// A library that is loaded again for each size, and the sizes.
struct SizedRequest {
  const std::string &specPath;
  const std::vector<std::string> &targets, &targetSearchPath; ///< see GenerateOptions
  const ModelBindings &bindings;                              ///< see loadLibrary
  const std::vector<std::string> &link;                       ///< see LinkedFiles
  const SizeLists &sizes;                                     ///< see combinations()
  const ForeignMachine *machine = nullptr;                    ///< see RunnableRequest
};

/// Makes them for all combinations of sizes of the graphs that are given some.
GenerateStatus makeSizedReferences(const SizedRequest &request, const GenerateOptions &generate,
                                   const std::vector<GraphInterface> &graphs,
                                   std::vector<SizedReference> &references,
                                   Diagnostics &diagnostics);

/// True if functions of the library take the sizes; reports those that none takes.
bool takeSizes(const LoadedLibrary &library, const SizeLists &sizes, Diagnostics &diagnostics);

} // namespace kgen
