// One kernel and its launch.
#pragma once

#include "transforms/gpu/FlatMemory.h"
#include "transforms/gpu/IndexMath.h"

#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/IR/IRMapping.h>

#include <array>

namespace kgen::gpu_kernels {

/// A grid of blocks of threads.
struct Grid {
  std::array<int64_t, 3> blocks{1, 1, 1}, threads{1, 1, 1};

  /// At least so many blocks, in two dimensions where one does not hold them.
  void setBlocks(int64_t count);
};

/// Makes `gpu.func` in a module, whose arguments are buffers of one dimension, and
/// `gpu.launch_func` in front of an operation. What is built in between goes into the kernel.
class KernelBuilder {
public:
  /// `memrefs`, each with a FlatMemory, are all that the kernel reads and writes; those of one
  /// buffer become one argument.
  KernelBuilder(mlir::gpu::GPUModuleOp module, mlir::Operation *before, mlir::StringRef name,
                mlir::ArrayRef<mlir::Value> memrefs, const Grid &grid);

  /// Ends the kernel and launches it.
  mlir::gpu::LaunchFuncOp finish();

  /// Bytes of the tensors that are read so far and of those that are written, each once.
  int64_t leastBytes() const;

  mlir::Value block(unsigned dimension);
  /// The number of the block of a grid that Grid::setBlocks() has made.
  mlir::Value blockNumber();
  mlir::Value thread(unsigned dimension);
  /// Elements in a buffer of the kernel's own that all threads of a block share.
  mlir::Value shared(mlir::Type element, int64_t elements);
  void barrier();
  /// Builds `body` where a condition holds; a null one holds everywhere.
  void where(mlir::Value condition, llvm::function_ref<void()> body);

  /// The address of an element of a memref outside: an index into its buffer.
  mlir::Value address(mlir::Value memref, mlir::ValueRange indices);
  mlir::Value load(mlir::Value memref, mlir::ValueRange indices);
  mlir::Value loadAt(mlir::Value memref, mlir::Value address);
  void store(mlir::Value value, mlir::Value memref, mlir::ValueRange indices);
  void storeAt(mlir::Value value, mlir::Value memref, mlir::Value address);
  /// Neighbours at once; the address is a multiple of their number.
  mlir::SmallVector<mlir::Value> loadVectorAt(mlir::Value memref, mlir::Value address,
                                              int64_t count);
  void storeVectorAt(mlir::ValueRange values, mlir::Value memref, mlir::Value address);
  /// Like those above, but in a buffer of the kernel's own.
  mlir::SmallVector<mlir::Value> loadShared(mlir::Value buffer, mlir::Value address, int64_t count);
  void storeShared(mlir::ValueRange values, mlir::Value buffer, mlir::Value address);

  /// Clones what a body computes; returns what its terminator passes on. Indices of loops are
  /// `indices`, reads of memory outside become reads of the kernel's arguments, or what `read`
  /// makes of them, and constants outside are copied, other values are as in `outside`.
  mlir::SmallVector<mlir::Value>
  inlineBody(mlir::Block &body, mlir::ValueRange arguments, mlir::ValueRange indices,
             const mlir::IRMapping &outside = {},
             llvm::function_ref<mlir::Value(mlir::memref::LoadOp)> read = nullptr);

  mlir::OpBuilder b;
  const mlir::Location loc;
  const IndexMath math;

private:
  /// A buffer, and the elements of it that the type has.
  using Views = mlir::SmallVector<std::pair<mlir::Value, mlir::MemRefType>>;

  mlir::Value argumentOf(mlir::Value memref, Views &used);

  Views read, written; ///< each once
  mlir::Operation *before;
  const Grid grid;
  mlir::gpu::GPUFuncOp function;
  mlir::SmallVector<mlir::Value> roots; ///< of the arguments
};

/// True if a kernel writes to the buffer that the argument is.
bool isWritten(mlir::BlockArgument argument);

/// Bytes of an element in memory; of i1 one.
int64_t bytesInMemory(mlir::Type element);

/// Bytes of shared memory of a block.
int64_t sharedBytes(mlir::gpu::GPUFuncOp kernel);

/// The memrefs that a body reads from outside, and the rest of what it takes from there.
struct Captures {
  mlir::SmallVector<mlir::Value> memrefs, constants, others;
};
Captures capturesOf(mlir::Operation *op);

} // namespace kgen::gpu_kernels
