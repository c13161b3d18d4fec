#include "pipeline/BackendPasses.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/IR/BuiltinOps.h>

using namespace mlir;

namespace kgen {
namespace {

class BackendPasses : public PassWrapper<BackendPasses, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BackendPasses)

  explicit BackendPasses(PassPoint point) : point(point) {}
  StringRef getName() const override { return "kgen-backend-passes"; }

  /// Dialects of all back ends: when the passes are known, it is too late to load them.
  void getDependentDialects(DialectRegistry &registry) const override {
    for (const Backend *backend : backends())
      passesOf(*backend).getDependentDialects(registry);
  }

  void runOnOperation() override {
    TargetAttr target = targetOf(getOperation());
    const Backend *backend = target ? backendOf(target.getTriple()) : nullptr;
    if (!backend)
      return;
    OpPassManager passes = passesOf(*backend);
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

private:
  OpPassManager passesOf(const Backend &backend) const {
    OpPassManager passes(ModuleOp::getOperationName());
    backend.addPasses(passes, point);
    return passes;
  }

  PassPoint point;
};

} // namespace

std::unique_ptr<Pass> createBackendPasses(PassPoint point) {
  return std::make_unique<BackendPasses>(point);
}

} // namespace kgen
