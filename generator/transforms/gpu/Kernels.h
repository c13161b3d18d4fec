// The kinds of kernels.
#pragma once

#include "costmodel/GpuTiles.h"
#include "transforms/gpu/GenericLoops.h"
#include "transforms/gpu/Sequence.h"
#include "transforms/gpu/Transposition.h"

#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

#include <vector>

namespace kgen::gpu_kernels {

/// A kernel that was built, and what is known of its work.
struct BuiltKernel {
  mlir::gpu::LaunchFuncOp launch;
  /// "product", "rows", "points", "transposition", "sequence" or "copy"
  const char *form;
  int64_t leastBytes = 0; ///< of the tensors that it reads and writes, each once
  /// Of a product: its size, and the tiles that it might have had beside its own.
  std::optional<GpuProduct> product{};
  std::optional<GpuTile> tile{};
  std::vector<GpuTileOffer> offers{};
  int64_t registers = 0; ///< of a thread, about; 0: nothing is known
  std::optional<GpuTranspositionTile> transposition{};
};

/// A thread for each point of the parallel loops, which computes all terms of its sums.
BuiltKernel buildPointKernel(mlir::gpu::GPUModuleOp module, mlir::StringRef name,
                             const GenericLoops &loops);

/// A block of threads for each tile, which neighbours in the sources are read into, and neighbours
/// in the results written from.
BuiltKernel buildTranspositionKernel(mlir::gpu::GPUModuleOp module, mlir::StringRef name,
                                     const GenericLoops &loops, const Transposition &way);

/// A thread for each element that is copied.
BuiltKernel buildCopyKernel(mlir::gpu::GPUModuleOp module, mlir::StringRef name,
                            mlir::memref::CopyOp op);

/// A thread for each point of a sequence's axes, which runs all of it.
BuiltKernel buildSequenceKernel(mlir::gpu::GPUModuleOp module, mlir::StringRef name,
                                const Sequence &sequence);

/// A grid with at least one thread for each of so many points.
Grid gridFor(int64_t points);
/// Builds `body` for the point of each thread, where there is one.
void forEachPoint(KernelBuilder &kernel, const Grid &grid, int64_t points,
                  llvm::function_ref<void(mlir::Value point)> body);

/// Moves scalars that a function computes between its operations into the bodies that use them, and
/// what has its place from them into loops of one iteration.
void sinkScalars(mlir::func::FuncOp function);

/// Operations one after another on the same rows, a group of threads for each row. Sums and maxima
/// of a row are in shared memory, its elements in registers.
class RowChain {
public:
  /// Returns the chain of one operation, if it has sums or maxima along what is one row.
  static std::optional<RowChain> begin(const GpuFacts &gpu, GenericLoops loops);
  /// Returns the chain of `first`, which is elementwise, and `second`.
  static std::optional<RowChain> begin(const GpuFacts &gpu, GenericLoops first,
                                       GenericLoops second);
  /// Adds an operation of the same rows that comes next; false if it does not fit.
  bool add(GenericLoops loops);

  BuiltKernel build(mlir::gpu::GPUModuleOp module, mlir::StringRef name) const;
  mlir::ArrayRef<GenericLoops> operations() const { return chain; }

private:
  bool fits(const GenericLoops &loops) const;
  bool leavesSources(const GenericLoops &loops) const;

  std::vector<GenericLoops> chain;
  llvm::SmallVector<int64_t> rowSizes, elementSizes;
  int64_t threads = 0; ///< of a row
  int64_t slots = 0;   ///< elements of a row that a thread has, at a time
  bool isLong = false; ///< registers do not hold a row: its operations go along it one by one
};

/// The product of two matrices in tiles: a block of threads for each tile of the result, operands
/// through shared memory, sums in registers. Returns nothing and why where there is none.
std::optional<BuiltKernel> buildContractionKernel(mlir::gpu::GPUModuleOp module,
                                                  mlir::StringRef name, const GpuFacts &gpu,
                                                  tpp::ContractionOpInterface op,
                                                  std::string &reason);

} // namespace kgen::gpu_kernels
