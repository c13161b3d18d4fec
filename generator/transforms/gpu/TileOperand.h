// One of the matrices of a product, as its tile is copied to shared memory.
#pragma once

#include "transforms/gpu/Product.h"

namespace kgen::gpu_kernels {

/// A or B: where its lines are, and how its tile is shared among threads.
struct TileOperand {
  const Factor *factor;
  const FlatLoops *lines; ///< rows of A, columns of B
  mlir::Value first;      ///< line of the block
  int64_t blockLines, pitch;
  mlir::Value shared;
  bool isAlongK; ///< neighbours in memory are terms, not lines
  int64_t width; ///< neighbours that a thread copies at a time

  /// True if neighbours are all inside or all outside, and one after another in memory.
  bool isUniform(const Product &product) const;
  /// True if compilers can make one access of them: the first is a multiple of their number, too.
  bool isAligned(const Product &product) const;
  /// True if they are a vector in memory that is summed as it is.
  bool isVector(const Product &product) const;

private:
  /// The loops that neighbours are along, and the others.
  const FlatLoops &fast(const Product &product) const { return isAlongK ? product.k : *lines; }
  const FlatLoops &slow(const Product &product) const { return isAlongK ? *lines : product.k; }
  bool growsBy(int64_t factor, const LinearForm &form, const Product &product) const;
  bool beginsAtMultiple(const LinearForm &form, const Product &product) const;
};

} // namespace kgen::gpu_kernels
