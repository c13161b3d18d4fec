// The front end as one call.
#pragma once

#include "driver/load/LoadedLibrary.h"

#include <optional>

namespace kgen {

struct InputHash; // emit/Library.h

/// Reads and checks everything that can be checked without compiling. `targets` replaces the spec's
/// unless empty. `specPath` may be an ONNX model, which is a library of one function, `run`, for
/// the default targets, as are specs that name none; `bindings` is what it leaves open, or sizes in
/// place of a spec's. With an `architecture`, targets of others are left out, and default targets
/// are its own; likewise with a `system`. `cardsAlone`: there may be graphics cards without a CPU.
/// Reports all errors and returns nothing if there was one.
std::optional<LoadedLibrary>
loadLibrary(const std::string &specPath, const std::vector<std::string> &targets,
            const std::vector<std::string> &targetSearchPath, const ModelBindings &bindings,
            Diagnostics &diagnostics, const Architecture *architecture = nullptr,
            std::optional<System> system = std::nullopt, bool cardsAlone = false);

/// Leaves the targets of one architecture, and returns the others.
std::vector<TargetSpec> takeOtherTargets(const Architecture *architecture,
                                         std::vector<TargetSpec> &targets);

/// sha256 in hex over what determines the library: graphs with their types, weights' bytes,
/// targets, kgen's version. Paths and the spec's layout do not count.
std::string specHash(const LoadedLibrary &library);

/// Hashes of the files that were read, each once, in their order.
std::vector<InputHash> inputHashes(const LoadedLibrary &library);

} // namespace kgen
