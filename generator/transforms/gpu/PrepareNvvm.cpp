#include "transforms/gpu/KernelBuilder.h"
#include "transforms/gpu/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/Utils/Utils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PREPARENVVMPASS
#include "transforms/gpu/Passes.h.inc"

namespace {

/// Bytes: of buffers that kernels are given (emit/GpuInterface.h), and of shared arrays. Without
/// it, LLVM's optimizer assumes what the code generator does not promise.
constexpr int64_t pointerAlignment = 16;

/// The intrinsic of a function that has an instruction; empty: it has none.
StringRef intrinsicOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::FmaOp) { return "llvm.fma"; })
      .Case([](math::SqrtOp) { return "llvm.sqrt"; })
      .Case([](math::AbsFOp) { return "llvm.fabs"; })
      .Case([](math::FloorOp) { return "llvm.floor"; })
      .Case([](math::CeilOp) { return "llvm.ceil"; })
      .Case([](math::TruncOp) { return "llvm.trunc"; })
      .Case([](math::RoundEvenOp) { return "llvm.roundeven"; })
      .Case([](math::CopySignOp) { return "llvm.copysign"; })
      .Case([](math::AbsIOp) { return "llvm.abs"; })
      .Case([](math::CtPopOp) { return "llvm.ctpop"; })
      .Case([](math::CountLeadingZerosOp) { return "llvm.ctlz"; })
      .Case([](math::CountTrailingZerosOp) { return "llvm.cttz"; })
      .Case([](arith::MaxNumFOp) { return "llvm.maxnum"; })
      .Case([](arith::MinNumFOp) { return "llvm.minnum"; })
      .Case([](arith::MaximumFOp) { return "llvm.maximum"; })
      .Case([](arith::MinimumFOp) { return "llvm.minimum"; })
      .Default(StringRef());
}

/// Upstream makes calls of a library of NVIDIA's of all functions, those with an instruction too.
void useIntrinsics(gpu::GPUFuncOp kernel) {
  SmallVector<Operation *> functions;
  kernel.walk([&](Operation *op) {
    if (!intrinsicOf(op).empty())
      functions.push_back(op);
  });
  for (Operation *op : functions) {
    OpBuilder b(op);
    Type type = op->getResult(0).getType();
    std::string name = intrinsicOf(op).str() + ".";
    llvm::raw_string_ostream(name)
        << (type.isInteger() ? "i" : "f") << type.getIntOrFloatBitWidth();
    SmallVector<Value> operands(op->getOperands());
    if (isa<math::AbsIOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp>(op)) // no poison
      operands.push_back(LLVM::ConstantOp::create(b, op->getLoc(), b.getBoolAttr(false)));
    auto call =
        LLVM::CallIntrinsicOp::create(b, op->getLoc(), type, b.getStringAttr(name), operands);
    op->replaceAllUsesWith(call->getResults());
    op->erase();
  }
}

/// Promises of the host: kernels are given whole buffers, at multiples of 16 bytes.
void promise(gpu::GPUFuncOp kernel) {
  OpBuilder b(kernel.getContext());
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                      b.getI64IntegerAttr(pointerAlignment));
    kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
    if (!gpu_kernels::isWritten(kernel.getArgument(i)))
      kernel.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), b.getUnitAttr());
  }
}

/// Shared memory as attributions, which is how upstream makes arrays of it.
void attributeSharedMemory(gpu::GPUFuncOp kernel) {
  SmallVector<memref::AllocOp> allocs;
  kernel.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  OpBuilder b(kernel.getContext());
  for (auto [number, alloc] : llvm::enumerate(allocs)) {
    BlockArgument array = kernel.addWorkgroupAttribution(alloc.getType(), alloc.getLoc());
    kernel.setWorkgroupAttributionAttr(number, LLVM::LLVMDialect::getAlignAttrName(),
                                       b.getI64IntegerAttr(pointerAlignment));
    alloc.replaceAllUsesWith(array);
    alloc.erase();
  }
}

struct PrepareNvvmPass : impl::PrepareNvvmPassBase<PrepareNvvmPass> {
  using PrepareNvvmPassBase::PrepareNvvmPassBase;

  void runOnOperation() override {
    getOperation().walk([](gpu::GPUFuncOp kernel) {
      SmallVector<scf::ForOp> unrolled;
      kernel.walk([&](scf::ForOp loop) {
        if (loop->hasAttr("kgen.unroll"))
          unrolled.push_back(loop);
      });
      for (scf::ForOp loop : unrolled)
        if (std::optional<llvm::APInt> trips = loop.getStaticTripCount())
          (void)loopUnrollByFactor(loop, trips->getZExtValue());
      useIntrinsics(kernel);
      promise(kernel);
      attributeSharedMemory(kernel);
    });
  }
};

} // namespace
} // namespace kgen
