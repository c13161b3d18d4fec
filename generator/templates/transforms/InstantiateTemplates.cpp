#include "templates/transforms/Passes.h"

#include "templates/transforms/Instantiator.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

namespace kgen {

#define GEN_PASS_DEF_INSTANTIATETEMPLATESPASS
#include "templates/transforms/Passes.h.inc"

namespace {

struct InstantiateTemplates : impl::InstantiateTemplatesPassBase<InstantiateTemplates> {
  using InstantiateTemplatesPassBase::InstantiateTemplatesPassBase;

  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    auto uses = module.walk([](mlir::Operation *op) {
      return mlir::isa_and_nonnull<templates::TemplateDialect>(op->getDialect())
                 ? mlir::WalkResult::interrupt()
                 : mlir::WalkResult::advance();
    });
    if (!uses.wasInterrupted())
      return markAllAnalysesPreserved();
    templates::InstanceLimits limits{
        maxDepth,   maxInstances,        maxCases, maxOperations, references,
        generalize, {maxUnroll, maxText}};
    templates::Instantiator instantiator(module, limits);
    bool succeededAll = mlir::succeeded(instantiator.resolveCalls());
    numCalls += instantiator.callCount;
    numInstances += instantiator.instanceCount();
    numSwitches += instantiator.switchCount;
    if (!succeededAll)
      return signalPassFailure();
    if (!keepTemplates)
      instantiator.eraseTemplates(
          [&](const templates::Template &of) { return keepKernels && of.kernel; });
    instantiator.sortInstances();
    if (inlineInstances && mlir::failed(instantiator.inlineInstances()))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
