// Rules of all graphics cards.
#include "transforms/gpu/GpuAttr.h"
#include "transforms/gpu/KernelBuilder.h"
#include "transforms/gpu/Passes.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "transforms/gpu/Passes.h.inc"

namespace {

/// Finds values that may differ among the threads of a block.
class Divergence {
public:
  bool isDivergent(Value value) {
    auto known = results.find(value);
    if (known != results.end())
      return known->second;
    results[value] = false; // what a loop carries is what it began with, unless it is divergent
    const bool isDivergent = compute(value);
    // Others may have been taken for uniform because this one was.
    if (isDivergent && isa<BlockArgument>(value))
      for (auto &[other, known] : llvm::make_early_inc_range(results))
        if (!known)
          results.erase(other);
    return results[value] = isDivergent;
  }

private:
  bool compute(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return isDivergentArgument(argument);
    Operation *op = value.getDefiningOp();
    if (isa<gpu::ThreadIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp>(op))
      return true;
    // All threads read the same of one address, unless one of them has just written it.
    for (Value operand : op->getOperands())
      if (isDivergent(operand))
        return true;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        for (Value operand : inner.getOperands())
          if (isDivergent(operand))
            return true;
    return isa<memref::LoadOp>(op) && isShared(cast<memref::LoadOp>(op).getMemRefType());
  }

  bool isDivergentArgument(BlockArgument argument) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return !isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp());
    if (argument == loop.getInductionVar())
      return hasDivergentBounds(loop);
    OpOperand *begin = loop.getTiedLoopInit(argument);
    return isDivergent(begin->get()) || isDivergent(loop.getTiedLoopYieldedValue(argument)->get());
  }

public:
  bool hasDivergentBounds(scf::ForOp loop) {
    return isDivergent(loop.getLowerBound()) || isDivergent(loop.getUpperBound()) ||
           isDivergent(loop.getStep());
  }

  static bool isShared(MemRefType type) {
    return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
  }

private:
  llvm::DenseMap<Value, bool> results;
};

struct VerifyKernelsPass : impl::VerifyKernelsPassBase<VerifyKernelsPass> {
  using VerifyKernelsPassBase::VerifyKernelsPassBase;

  void runOnOperation() override {
    std::optional<GpuFacts> facts = gpuOf(getOperation());
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      checkBarriers(kernel);
      if (facts)
        checkLimits(kernel, *facts);
    });
  }

private:
  void checkBarriers(gpu::GPUFuncOp kernel) {
    Divergence divergence;
    kernel.walk([&](gpu::BarrierOp barrier) {
      for (Operation *around = barrier->getParentOp(); around != kernel;
           around = around->getParentOp()) {
        auto branch = dyn_cast<scf::IfOp>(around);
        auto loop = dyn_cast<scf::ForOp>(around);
        bool isUniform = branch ? !divergence.isDivergent(branch.getCondition())
                                : loop && !divergence.hasDivergentBounds(loop);
        if (isUniform)
          continue;
        barrier.emitError("not all threads of a block reach the barrier");
        return signalPassFailure();
      }
    });
  }

  void checkLimits(gpu::GPUFuncOp kernel, const GpuFacts &facts) {
    int64_t threads = 1;
    const int64_t shared = gpu_kernels::sharedBytes(kernel);
    for (int32_t size : kernel.getKnownBlockSize().value_or(ArrayRef<int32_t>()))
      threads *= size;
    kernel.walk([&](memref::AllocOp alloc) {
      if (!Divergence::isShared(alloc.getType())) {
        alloc.emitError("a kernel allocates memory that is not shared by its block");
        signalPassFailure();
      }
    });
    if (threads > facts.threadsOfBlock || shared > facts.sharedBytes) {
      kernel.emitError() << "a block has " << threads << " threads and " << shared
                         << " bytes of shared memory, more than " << facts.threadsOfBlock
                         << " threads or " << facts.sharedBytes << " bytes";
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace kgen
