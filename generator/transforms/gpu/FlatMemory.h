// Memrefs as kernels address them: elements of buffers of one dimension.
#pragma once

#include "transforms/gpu/IndexMath.h"

#include <mlir/IR/Value.h>

#include <optional>

namespace kgen::gpu_kernels {

/// Element (i, j, ...) of a memref is element `offset + i * strides[0] + j * strides[1] + ...` of
/// the buffer `root`, which has `elements` of them.
struct FlatMemory {
  mlir::Value root; ///< an allocation, a constant in memory or an argument; of identity layout
  int64_t elements = 0, offset = 0;
  llvm::SmallVector<int64_t> strides;
};

/// The address of an element whose indices are these forms of `loops` loops.
LinearForm addressForm(const FlatMemory &flat, llvm::ArrayRef<LinearForm> indices, unsigned loops);

/// Returns nothing where sizes, strides or the offset are known at run time only, or where indices
/// do not fit into 32 bits with a sign.
std::optional<FlatMemory> flatten(mlir::Value memref);

} // namespace kgen::gpu_kernels
