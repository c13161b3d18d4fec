#include "driver/compile/LoopsOfNamedOps.h"

#include "transforms/decompose/Passes.h"

#include <mlir/Pass/PassManager.h>

using namespace mlir;

namespace kgen {

LogicalResult decomposeNamedOps(ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addNestedPass<func::FuncOp>(createDecomposeNamedOpsPass());
  return pm.run(module);
}

} // namespace kgen
