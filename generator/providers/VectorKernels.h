// The parts of provider `vector`: what its kernels share, and the forms that they have.
#pragma once

#include "providers/TileCode.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace kgen {

/// A kernel that keeps its tile in vectors: rows x columns of them, row by row.
class VectorKernel : protected TileCode {
public:
  using TileCode::TileCode;

protected:
  using Tile = mlir::SmallVector<mlir::Value>;

  /// A loop from 0 to `count` by `by` that carries `tile`.
  Tile repeat(int64_t count, int64_t by, mlir::ArrayRef<mlir::Value> tile,
              llvm::function_ref<void(mlir::Value, Tile &)> body);
  /// Adds all of the batch's products to `tile`, each one by `depth` from where its A and B are.
  void overProducts(Tile &tile,
                    llvm::function_ref<void(Tile &, mlir::Value a, mlir::Value b)> depth);
  /// How many tiles of partial sums keep the arithmetic units busy, if one has that many chains of
  /// dependent operations; at most half of `steps`.
  int64_t independentSums(int64_t chains, int64_t steps);
  /// Adds the tiles of partial sums into the first.
  void addUp(Tile &tile, int64_t sets);
  /// Applies the epilogue and stores the tile.
  void finish(mlir::ArrayRef<mlir::Value> tile);

private:
  bool isHeavy();
};

/// Rows of B times broadcast elements of A.
void buildVectorProducts(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Vectors along k, added up at the end: for rows of A and columns of B that are contiguous.
void buildVectorDotProducts(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Weights of few bits in blocks, turned into f32 on the way.
void buildVectorBlocks(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Elementwise kernels: row by row.
void buildVectorMap(ukernel::MapOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Elements of `kernel` in one vector: of its widest type.
int64_t vectorMapLanes(ukernel::MapOp kernel, TargetAttr target);

} // namespace kgen
