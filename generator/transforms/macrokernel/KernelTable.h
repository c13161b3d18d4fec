// The distinct micro-kernels of a module, made as tiles ask for them.
#pragma once

#include "dialect/tpp/Tpp.h"
#include "dialect/ukernel/Ukernel.h"

#include <mlir/IR/BuiltinOps.h>

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>

namespace kgen {

/// What distinguishes micro-kernels, besides the element type and the epilogue itself; as in
/// ukernel.gemm.
struct KernelShape {
  int64_t m, n, k;
  int64_t aRow, aCol, bRow, bCol, cRow, bPrefetch, bStreams;
  int64_t batch, aBatch, bBatch;
  int64_t aRun, aJump;
  llvm::SmallVector<int64_t> aInside;
  llvm::SmallVector<int64_t> epilogueRows, epilogueCols;
  bool accumulate, padded, withEpilogue;
  int64_t bWide = 0, sumsRow = 0;
  bool isWidened = false;      ///< B is what a kernel with bWide left
  bool prefetchesRows = false; ///< bPrefetch is about rows of a B in place
};

/// The distinct micro-kernels of a module, those that are in it already included.
class KernelTable {
public:
  explicit KernelTable(mlir::ModuleOp module);

  /// The symbol of the kernel of that shape, with `op`'s epilogue if it is to have one.
  mlir::FlatSymbolRefAttr get(tpp::ContractionOpInterface op, const KernelShape &shape);
  /// The symbol of a descriptor that was just made: its own, or that of an equal one, in which case
  /// it is erased.
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
