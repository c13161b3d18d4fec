// Bytes of weights that passes rearrange at build time: their order, sums, and who shares them.
#pragma once

#include <mlir/IR/DialectResourceBlobManager.h>
#include <mlir/IR/Operation.h>

namespace kgen {

/// Adds each byte of a tensor of `shape`, in the order of memory, to its sum, modulo 2^32.
/// `sumStrides` are the strides of the sums by the dimensions of the tensor; 0 for those that are
/// summed over.
void addBytesToSums(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> sumStrides,
                    const char *source, bool isUnsigned, llvm::MutableArrayRef<uint32_t> sums);

/// Makes `index` that of the next element of a tensor of `shape` in row-major order; after the
/// last one comes the first.
void advance(llvm::MutableArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape);

/// Returns the bytes in memory that all modules of this process share, as long as one has them: the
/// variants of a graph, which are compiled at the same time, pack most weights in the same way.
mlir::AsmResourceBlob shared(mlir::AsmResourceBlob blob);

/// Frees, when it is destroyed, the resources that a constant of the module used when it was
/// constructed and none uses any more. Constants of several shapes may share a resource.
class FreeUnusedResources {
public:
  explicit FreeUnusedResources(mlir::Operation *module);
  ~FreeUnusedResources();

private:
  mlir::Operation *module;
  llvm::SmallVector<mlir::DenseResourceElementsAttr> before;
};

} // namespace kgen
