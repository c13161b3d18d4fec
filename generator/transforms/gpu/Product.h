// A contraction as kernels see it: loops by what they index, and operands.
#pragma once

#include "costmodel/GpuTiles.h"
#include "transforms/gpu/FlatMemory.h"
#include "transforms/gpu/IndexMath.h"

#include "dialect/tpp/Tpp.h"

namespace kgen::gpu_kernels {

/// Indices of a tensor that must be within its bounds: what is around it is zero.
struct Bound {
  LinearForm index;
  int64_t size;
};

/// A or B: a memref, an address and bounds as functions of all loops.
struct Factor {
  mlir::Value memref;
  LinearForm address;
  llvm::SmallVector<Bound> bounds;
};

/// Batches, m x n sums, k terms, and where A and B have them.
struct Product {
  tpp::ContractionOpInterface op;
  llvm::SmallVector<int64_t> sizes;
  FlatLoops batch, m, n, k;
  Factor a, b;
  mlir::Type sumType;

  GpuProduct size() const { return {batch.count(), m.count(), n.count(), k.count()}; }
  /// Registers of 32 bits for a sum.
  int64_t sumRegisters() const;
};

/// Tiles are offered for sums of 32 bits: of 64 half as many fit.
std::vector<GpuTileOffer> tileOffers(GpuFacts gpu, const Product &product);

/// Returns nothing, and why, where no kernel can be made.
std::optional<Product> productOf(tpp::ContractionOpInterface op, std::string &reason);

} // namespace kgen::gpu_kernels
