#include "transforms/gpu/Passes.h"

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FORBIDCONTRACTIONPASS
#include "transforms/gpu/Passes.h.inc"

namespace {

struct ForbidContractionPass : impl::ForbidContractionPassBase<ForbidContractionPass> {
  using ForbidContractionPassBase::ForbidContractionPassBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp, spirv::FNegateOp,
              spirv::FRemOp, spirv::FModOp>(op))
        op->setAttr("no_contraction", UnitAttr::get(&getContext()));
    });
  }
};

} // namespace
} // namespace kgen
