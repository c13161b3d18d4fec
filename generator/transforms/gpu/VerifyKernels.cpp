// Rules of all graphics cards.
#include "transforms/gpu/GpuAttr.h"
#include "transforms/gpu/IndexFacts.h"
#include "transforms/gpu/KernelBuilder.h"
#include "transforms/gpu/Passes.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <llvm/ADT/StringMap.h>

#include <array>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "transforms/gpu/Passes.h.inc"

using namespace gpu_kernels;

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
    const llvm::StringMap<GridDims> blocks = blockDimsOfKernels();
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      checkBarriers(kernel);
      checkStores(kernel, blocks.lookup(kernel.getName()));
      checkAlignments(kernel);
      if (facts)
        checkLimits(kernel, *facts);
    });
  }

private:
  /// The dimensions in which a launch of a kernel has several blocks.
  llvm::StringMap<GridDims> blockDimsOfKernels() {
    llvm::StringMap<GridDims> dims;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      const gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
      const std::array<Value, 3> blocks{grid.x, grid.y, grid.z};
      for (auto [number, count] : llvm::enumerate(blocks))
        if (getConstantIntValue(count) != 1)
          dims[launch.getKernelName().getValue()] |= 0b1000U << number;
    });
    return dims;
  }

  /// Reports stores of what several threads, or blocks, would write to one place: those whose place
  /// does not depend on the thread, and that not one of them alone runs.
  void checkStores(gpu::GPUFuncOp kernel, GridDims blocks) {
    GridDims needed = blocks;
    for (auto [number, size] :
         llvm::enumerate(kernel.getKnownBlockSize().value_or(ArrayRef<int32_t>())))
      if (size != 1)
        needed |= 1U << number;
    std::optional<GridDependence> dependence;
    kernel.walk([&](Operation *op) {
      auto check = [&](auto store) {
        const bool isShared =
            Divergence::isShared(cast<MemRefType>(store->getOperand(1).getType()));
        if (!dependence)
          dependence.emplace(kernel);
        GridDims dims = dependence->dimsAround(op);
        for (Value index : store.getIndices())
          dims |= dependence->dimsOf(index);
        const GridDims missing = (isShared ? needed & threadDims : needed) & ~dims;
        if (missing == 0)
          return;
        op->emitError() << "several " << ((missing & threadDims) != 0 ? "threads" : "blocks")
                        << " store to one place";
        signalPassFailure();
      };
      if (auto store = dyn_cast<memref::StoreOp>(op))
        check(store);
      else if (auto vector = dyn_cast<vector::StoreOp>(op))
        check(vector);
    });
  }

  /// Reports accesses of vectors whose alignment does not follow from their indices.
  void checkAlignments(gpu::GPUFuncOp kernel) {
    Divisors divisors;
    kernel.walk([&](Operation *op) {
      auto check = [&](auto access, VectorType type) {
        const int64_t promised = access.getAlignment().value_or(0);
        if (promised == 0)
          return;
        int64_t bytes = type.getElementTypeBitWidth() / 8;
        if (!access.getIndices().empty())
          bytes *= divisors.divisorOf(access.getIndices().back());
        if (bytes % promised == 0)
          return;
        op->emitError() << "an alignment of " << promised
                        << " bytes does not follow from the index";
        signalPassFailure();
      };
      if (auto load = dyn_cast<vector::LoadOp>(op))
        check(load, load.getVectorType());
      else if (auto store = dyn_cast<vector::StoreOp>(op))
        check(store, store.getVectorType());
    });
  }

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
