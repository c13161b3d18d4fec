// The fixed ABI of micro-kernels: the address of each tile's first element.
#include "transforms/Passes.h"

#include <mlir/Conversion/LLVMCommon/ConversionTarget.h>
#include <mlir/Conversion/LLVMCommon/MemRefBuilder.h>
#include <mlir/Conversion/LLVMCommon/Pattern.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Transforms/DialectConversion.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERMICROKERNELCALLSPASS
#include "transforms/Passes.h.inc"

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

/// The operand of `ldtilecfg`: the palette, then two bytes for the width of each register and one
/// for its rows.
SmallVector<int8_t> tileShapes(ukernel::ConfigureAmxOp op) {
  SmallVector<int8_t> memory(64, 0);
  memory[0] = 1;
  for (auto [number, bytes] : llvm::enumerate(op.getBytes()))
    memory[16 + 2 * number] = static_cast<int8_t>(bytes);
  for (auto [number, rows] : llvm::enumerate(op.getRows()))
    memory[48 + number] = static_cast<int8_t>(rows);
  return memory;
}

/// Lowers AMX configurations, with their shapes as constants of the module.
class AmxConfigurations {
public:
  explicit AmxConfigurations(ModuleOp module) : module(module), b(module.getContext()) {}

  void lower(ukernel::ConfigureAmxOp op) {
    LLVM::GlobalOp constant = constantFor(op);
    b.setInsertionPoint(op);
    Value address = LLVM::AddressOfOp::create(b, op.getLoc(), constant);
    LLVM::CallIntrinsicOp::create(b, op.getLoc(), b.getStringAttr("llvm.x86.ldtilecfg"), address);
    op.erase();
  }

  void lower(ukernel::ReleaseAmxOp op) {
    b.setInsertionPoint(op);
    LLVM::CallIntrinsicOp::create(b, op.getLoc(), b.getStringAttr("llvm.x86.tilerelease"),
                                  ValueRange{});
    op.erase();
  }

private:
  LLVM::GlobalOp constantFor(ukernel::ConfigureAmxOp op) {
    LLVM::GlobalOp &constant = constants[{op.getRowsAttr(), op.getBytesAttr()}];
    if (constant)
      return constant;
    b.setInsertionPointToStart(module.getBody());
    SmallVector<int8_t> memory = tileShapes(op);
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), memory.size());
    auto value = DenseElementsAttr::get(
        RankedTensorType::get({static_cast<int64_t>(memory.size())}, b.getI8Type()),
        ArrayRef(memory));
    constant =
        LLVM::GlobalOp::create(b, op.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
                               "uk_tiles_" + std::to_string(constants.size()), value,
                               /*alignment=*/64);
    return constant;
  }

  ModuleOp module;
  OpBuilder b;
  DenseMap<std::pair<Attribute, Attribute>, LLVM::GlobalOp> constants;
};

struct LowerMicroKernelCallsPass : impl::LowerMicroKernelCallsPassBase<LowerMicroKernelCallsPass> {
  void runOnOperation() override {
    AmxConfigurations configurations(getOperation());
    getOperation().walk([&](Operation *op) {
      if (isa<ukernel::CallOp>(op))
        ++numCalls;
      if (auto configure = dyn_cast<ukernel::ConfigureAmxOp>(op)) {
        configurations.lower(configure);
        ++numConfigurations;
      } else if (auto release = dyn_cast<ukernel::ReleaseAmxOp>(op))
        configurations.lower(release);
    });
    LLVMTypeConverter converter(&getContext());
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
