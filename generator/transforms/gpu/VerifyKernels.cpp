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

struct VerifyKernelsPass : impl::VerifyKernelsPassBase<VerifyKernelsPass> {
  using VerifyKernelsPassBase::VerifyKernelsPassBase;

  void runOnOperation() override {
    std::optional<GpuFacts> facts = gpuOf(getOperation());
    const llvm::StringMap<GridDims> blocks = blockDimsOfKernels();
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      const GridDependence dependence(kernel);
      checkBarriers(kernel, dependence);
      checkStores(kernel, dependence, blocks.lookup(kernel.getName()));
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
  void checkStores(gpu::GPUFuncOp kernel, const GridDependence &dependence, GridDims blocks) {
    GridDims needed = blocks;
    for (auto [number, size] :
         llvm::enumerate(kernel.getKnownBlockSize().value_or(ArrayRef<int32_t>())))
      if (size != 1)
        needed |= 1U << number;
    kernel.walk([&](Operation *op) {
      auto check = [&](auto store) {
        GridDims dims = dependence.dimsAround(op);
        for (Value index : store.getIndices())
          dims |= dependence.dimsOf(index);
        const GridDims missing =
            (isShared(store->getOperand(1).getType()) ? needed & threadDims : needed) & ~dims;
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

  void checkBarriers(gpu::GPUFuncOp kernel, const GridDependence &dependence) {
    kernel.walk([&](gpu::BarrierOp barrier) {
      for (Operation *around = barrier->getParentOp(); around != kernel;
           around = around->getParentOp()) {
        const bool isUniform =
            isa<scf::IfOp, scf::ForOp>(around) && !isDivergent(dependence.dimsOfControl(around));
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
      if (!isShared(alloc.getType())) {
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
