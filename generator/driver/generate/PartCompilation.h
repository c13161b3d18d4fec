// A part of a library while it is compiled.
#pragma once

#include "driver/compile/GraphCompilation.h"
#include "driver/generate/Generate.h"

namespace kgen {

struct PartCompilation {
  std::unique_ptr<GraphCompilation> graph;
  bool hasFailed = false, isDefect = false;
  std::string error; ///< empty where it is one of schedules, which are reported together

  /// Runs a step, unless one before it has failed, and adds its time to the part. Exceptions become
  /// errors.
  llvm::Error run(Part &part, llvm::function_ref<llvm::Error()> step);
  /// Keeps what has failed; success: errors of schedules, which are kept elsewhere.
  void keep(llvm::Error failure);
};

/// Returns all errors of parts as one, or else those of schedules.
llvm::Error errorOf(llvm::ArrayRef<PartCompilation> compilations,
                    const Diagnostics &scheduleErrors);

} // namespace kgen
