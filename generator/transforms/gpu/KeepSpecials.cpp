#include "transforms/gpu/Passes.h"

#include <mlir/Dialect/SPIRV/IR/SPIRVOps.h>

#include <set>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_KEEPSPECIALSPASS
#include "transforms/gpu/Passes.h.inc"

namespace {

struct KeepSpecialsPass : impl::KeepSpecialsPassBase<KeepSpecialsPass> {
  using KeepSpecialsPassBase::KeepSpecialsPassBase;

  void runOnOperation() override {
    spirv::ModuleOp module = getOperation();
    std::set<unsigned> widths; // in order, for the same bytes each time
    module.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (auto number = dyn_cast<FloatType>(getElementTypeOrSelf(type)))
          widths.insert(number.getWidth());
    });
    for (auto entry : module.getOps<spirv::EntryPointOp>()) {
      OpBuilder b(entry->getContext());
      b.setInsertionPointAfter(entry);
      auto function = module.lookupSymbol<spirv::FuncOp>(entry.getFn());
      for (unsigned width : widths)
        spirv::ExecutionModeOp::create(b, entry.getLoc(), function,
                                       spirv::ExecutionMode::SignedZeroInfNanPreserve,
                                       {int(width)});
    }
  }
};

} // namespace
} // namespace kgen
