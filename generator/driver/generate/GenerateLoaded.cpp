// Libraries that are generated as they were loaded, and as plain loops.
#include "driver/generate/Generate.h"

#include "driver/load/Load.h"
#include "driver/run/LinkExterns.h"

namespace kgen {

GenerateStatus generateLibrary(const GenerateOptions &options, GenerateResult &result,
                               Diagnostics &diagnostics) {
  std::optional<LoadedLibrary> library = loadLibrary(
      options.specPath, options.targets, options.targetSearchPath, options.bindings, diagnostics,
      architectureNamed(options.architecture), systemNamed(options.system));
  if (library && options.runs)
    linkExterns(*library, options.link, diagnostics);
  if (!library || diagnostics.hasErrors())
    return GenerateStatus::userError;
  return generateLibrary(options, *library, result, diagnostics);
}

GenerateStatus generateReference(GenerateOptions options, const LoadedLibrary &library,
                                 GenerateResult &result, Diagnostics &diagnostics) {
  LoadedLibrary one = library; // weights are shared
  one.targets = {library.targets.back()};
  one.versions.clear();
  options.reference = true;
  options.provider = "auto";
  return generateLibrary(options, one, result, diagnostics);
}

} // namespace kgen
