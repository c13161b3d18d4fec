// The fixed ABI of micro-kernels: the address of each tile's first element.
#include "dialect/kgen/IndexBits.h"
#include "transforms/lower/Passes.h"

#include <mlir/Conversion/LLVMCommon/ConversionTarget.h>
#include <mlir/Conversion/LLVMCommon/MemRefBuilder.h>
#include <mlir/Conversion/LLVMCommon/Pattern.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Transforms/DialectConversion.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERMICROKERNELCALLSPASS
#include "transforms/lower/Passes.h.inc"

namespace {

struct CallLowering : ConvertOpToLLVMPattern<ukernel::CallOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(ukernel::CallOp call, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> pointers;
    for (auto [tile, converted] : llvm::zip(call.getTiles(), adaptor.getTiles())) {
      MemRefDescriptor descriptor(converted);
      pointers.push_back(descriptor.bufferPtr(rewriter, call.getLoc(), *getTypeConverter(),
                                              cast<MemRefType>(tile.getType())));
    }
    rewriter.replaceOpWithNewOp<func::CallOp>(call, TypeRange{}, call.getCallee(), pointers);
    return success();
  }
};

struct LowerMicroKernelCallsPass : impl::LowerMicroKernelCallsPassBase<LowerMicroKernelCallsPass> {
  void runOnOperation() override {
    getOperation().walk([&](ukernel::CallOp) { ++numCalls; });
    LowerToLLVMOptions options(&getContext());
    options.overrideIndexBitwidth(indexBits(getOperation()));
    LLVMTypeConverter converter(&getContext(), options);
    RewritePatternSet patterns(&getContext());
    patterns.add<CallLowering>(converter);
    ConversionTarget legality(getContext());
    legality.addIllegalOp<ukernel::CallOp>();
    legality.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), legality, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
