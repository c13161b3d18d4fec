// The whole flow as one library call: spec file in, files of a library out.
#pragma once

#include "driver/Compile.h"
#include "emit/Library.h"
#include "spec/TargetSpec.h"
#include "support/Diagnostics.h"

#include <functional>
#include <optional>

namespace kgen {

struct GenerateOptions {
  std::string specPath;
  std::vector<std::string> targets;          ///< --target: instead of the spec's
  std::vector<std::string> targetSearchPath; ///< --target-path
  EmitKind emit = EmitKind::object;
  bool reference = false;  ///< plain loops instead of the optimised pipeline
  unsigned jobs = 0;       ///< 0: as many as cores
  std::string onlyGraph, onlyTarget; ///< --only graph:target; empty: everything
  /// Called from any thread, one call at a time.
  std::function<void(size_t done, size_t total, const std::string &what)> progress;
};

/// What became of one graph for one target.
struct VariantSummary {
  std::string graph, target;
  int64_t workspaceBytes = 0, textBytes = 0;
  uint64_t instructions = 0;
  double seconds = 0;
};

struct GenerateResult {
  LibraryInterface library;
  FileSet files; ///< the complete folder, or only the parts that --only or --emit llvm|mlir asked for
  std::vector<VariantSummary> variants; ///< by graph as declared, then by rank
  int64_t weightBytes = 0;
  std::vector<std::string> inputFiles; ///< everything that was read, for --depfile
};

/// Nothing is written. On a user's error (in `diagnostics`) returns nothing; an internal error is a diagnostic too, but
/// sets `internal`.
std::optional<GenerateResult> generateLibrary(const GenerateOptions &options, Diagnostics &diagnostics, bool &internal);

} // namespace kgen
