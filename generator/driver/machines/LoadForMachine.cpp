#include "driver/machines/LoadForMachine.h"

#include "driver/load/Load.h"
#include "target/MachineLookup.h"

#include <llvm/ADT/StringExtras.h>

namespace kgen {

std::optional<LoadedLibrary> loadForMachine(const std::string &specPath, const std::string &machine,
                                            const std::vector<std::string> &targetSearchPath,
                                            const ModelBindings &bindings,
                                            Diagnostics &diagnostics) {
  Diagnostics found;
  std::optional<LoadedLibrary> library =
      loadLibrary(specPath, {machine}, targetSearchPath, bindings, found);
  for (const Diagnostic &one : found.errors())
    if (one.where.file == "--target " + machine)
      diagnostics.error({"--machine " + machine, 0, 0},
                        "unknown machine '" + machine + "'" +
                            didYouMean(machine, builtInMachines()),
                        "there are " + llvm::join(builtInMachines(), ", ") +
                            ", those of the spec, and files by their paths");
    else
      diagnostics.error(one.where, one.message, one.hint);
  for (const Diagnostic &one : found.warnings())
    diagnostics.warning(one.where, one.message, one.hint);
  if (!library || !library->machines.empty())
    return library;
  diagnostics.error({"--machine " + machine, 0, 0},
                    "target '" + machine + "' is a CPU; a machine is expected here",
                    "`kgen targets` lists both");
  return std::nullopt;
}

} // namespace kgen
