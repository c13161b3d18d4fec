#include "driver/compile/LoopsOfNamedOps.h"

#include "dialect/template/Template.h"
#include "transforms/decompose/Passes.h"

#include <mlir/Pass/PassManager.h>

using namespace mlir;

namespace kgen {

LogicalResult decomposeNamedOps(ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addNestedPass<func::FuncOp>(createDecomposeNamedOpsPass());
  return pm.run(module);
}

bool hasPatterns(ModuleOp module) {
  return llvm::any_of(module.getOps<templates::FuncOp>(),
                      [](templates::FuncOp op) { return op.getText().contains("replaces"); });
}

} // namespace kgen
