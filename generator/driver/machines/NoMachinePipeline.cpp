// --kgen-machine of a kgen-opt without the component.
#include "driver/machines/Machines.h"
#include "support/Components.h"

#include <mlir/Pass/PassRegistry.h>

using namespace mlir;

namespace kgen {

void registerMachinePipeline() {
  registerPassPipeline(
      "kgen-machine", "Refused: " + machinesComponent().refusal() + ".",
      [](OpPassManager &, StringRef, function_ref<LogicalResult(const Twine &)> report) {
        return report(machinesComponent().refusal() + "; " + machinesComponent().advice());
      },
      [](function_ref<void(const mlir::detail::PassOptions &)>) {});
}

} // namespace kgen
