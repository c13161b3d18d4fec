// The distinct micro-kernels of a module.
#pragma once

#include "dialect/tpp/Tpp.h"
#include "dialect/ukernel/Ukernel.h"

#include <mlir/IR/BuiltinOps.h>

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>

namespace kgen {

/// Attributes of a micro-kernel of contractions that distinguish it from others, besides element
/// types and the epilogue itself. Members are the attributes of ukernel.gemm; strides are in
/// elements.
struct KernelShape {
  int64_t m, n, k;
  int64_t aRow, aCol, bRow, bCol, cRow; ///< strides of rows and columns
  int64_t bPrefetch;             ///< elements of B (or A) that are prefetched in all; 0: none
  int64_t bStreams;              ///< access streams of B that the kernel prefetches itself; 0: none
  int64_t batch, aBatch, bBatch; ///< products that are added up, and their strides
  int64_t aRun, aJump; ///< rows of A that follow each other, and the stride between such runs; or 0
  llvm::SmallVector<int64_t> aInside; ///< valid ranges of the rows of A; empty: all of it
  llvm::SmallVector<int64_t> epilogueRows, epilogueCols; ///< strides of epilogue operands
  bool accumulate, padded, withEpilogue;
  int64_t bWide = 0;           ///< row stride of the up-converted B that the kernel stores; 0: none
  int64_t sumsRow = 0;         ///< row stride of the partial sums that it starts from; 0: none
  bool isUpconverted = false;  ///< B is what a kernel with bWide stored
  bool prefetchesRows = false; ///< bPrefetch is about rows of an unpacked B
  bool hasPrefetchEnd = false; ///< bPrefetch is the greatest number of elements
  bool oneChain = false;       ///< each sum is one chain (ukernel::oneChainAttrName)
};

/// The distinct micro-kernels of a module, including those that are in it already.
class KernelTable {
public:
  explicit KernelTable(mlir::ModuleOp module);

  /// The symbol of the kernel of that shape, with `op`'s epilogue if `shape.withEpilogue`.
  mlir::FlatSymbolRefAttr get(tpp::ContractionOpInterface op, const KernelShape &shape);
  /// The symbol of a new descriptor, or of an equal one, in which case the new one is erased.
  mlir::FlatSymbolRefAttr intern(ukernel::KernelOpInterface kernel);
  /// The first descriptor that equals `kernel`, which is in the module.
  mlir::FlatSymbolRefAttr find(ukernel::KernelOpInterface kernel) const;

  mlir::ModuleOp getModule() const { return module; }

private:
  mlir::ModuleOp module;
  llvm::StringSet<> names;
  llvm::StringMap<mlir::FlatSymbolRefAttr> byDescription;
  llvm::StringMap<int> count;
};

} // namespace kgen
