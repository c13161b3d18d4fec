// Panels of bf16 and f16 that are up-converted to f32 once for several register tiles.
#pragma once

#include "dialect/kgen/Kgen.h"

namespace kgen {

/// Block sizes of a contraction whose B is up-converted once, in elements. The first tile of rows
/// follows GemmBlocking and stores the up-converted B for the others.
struct UpconversionBlocking {
  int64_t columns;      ///< of a block of up-converted B: full panels
  int64_t nr;           ///< columns of the register tiles that read it
  int64_t accumulators; ///< vector registers for C in these tiles
  int64_t kc;           ///< depth of the block
  int64_t mc;           ///< rows of A that are multiplied with it

  int64_t bytesOfRow() const { return columns * 4; }
};

/// Maximum bytes of a task's memory for up-converted B, and for the sums of a block of rows.
int64_t maxUpconvertedBytes(TargetAttr target);
int64_t maxUpconvertedSumBytes(TargetAttr target);

/// True if up-converting panels of `b` (bf16 or f16) once costs fewer cycles than in each register
/// tile, for `rows` rows of depth `k` in tiles of `mr` rows and blocks of depth `kc`.
bool isUpconversionProfitable(TargetAttr target, mlir::Type b, int64_t rows, int64_t k, int64_t mr,
                              int64_t kc);

/// Block sizes of an m x n x k contraction of f32 with panels of `b`; nothing if it is cheaper to
/// up-convert in each register tile. `inRegisters` are the sizes for the latter. With
/// `hasSeparateSums`, C has another type than the sums, which need memory of their own between
/// blocks of k.
std::optional<UpconversionBlocking> upconversionBlocking(TargetAttr target,
                                                         const GemmBlocking &inRegisters,
                                                         mlir::Type b, int64_t m, int64_t n,
                                                         int64_t k, bool hasSeparateSums);

} // namespace kgen
