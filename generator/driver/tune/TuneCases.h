// The cases that `kgen tune` times: each function at each of its sizes.
#pragma once

#include "driver/run/LoadedCode.h"
#include "driver/tune/Tune.h"
#include "driver/verify/SizedReferences.h"

namespace kgen {

/// A graph at the sizes that it is called with, if it is given some, and its plain loops.
struct TuneCase {
  std::string graph;
  SizeValues sizes;
  const GenerateResult *reference;
  std::shared_ptr<LoadedCode> code; ///< of the reference
  SizeValues counts{};              ///< see SizedReference

  std::string text() const { return graph + atText(sizes); }
};

/// References that the functions are compared with.
struct References {
  GenerateResult whole;              ///< of graphs that are given no sizes
  std::vector<SizedReference> sized; ///< of the others
};

GenerateStatus makeReferences(const TuneOptions &options, const LoadedLibrary &library,
                              References &references, Diagnostics &diagnostics);

/// The references must outlive them.
llvm::Expected<std::vector<TuneCase>> makeCases(const LoadedLibrary &library,
                                                const References &references);

} // namespace kgen
