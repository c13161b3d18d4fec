// bf16 as integers of 16 bits: the same bits on every CPU, and no calls into a compiler's library.
#include "transforms/Passes.h"
#include "transforms/llvm/NarrowFloats.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Transforms/Passes.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_EXPANDBF16PASS
#include "transforms/Passes.h.inc"

namespace {

struct ExpandBf16Pass : impl::ExpandBf16PassBase<ExpandBf16Pass> {
  void runOnOperation() override {
    auto bf16 = BFloat16Type::get(&getContext());
    dropDefaultRounding(getOperation(), bf16);
    convertByF32(getOperation(), bf16);
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (failed(storeAsIntegers(getOperation(), bf16)))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
