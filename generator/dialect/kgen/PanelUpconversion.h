// How panels of bf16 and f16 are widened to f32 once for several register tiles.
#pragma once

#include "dialect/kgen/Kgen.h"

namespace kgen {

/// Blocks of a contraction whose B is widened once, in elements. The first rows are multiplied as
/// GemmBlocking says and leave what they widen to the others.
struct UpconversionBlocking {
  int64_t columns;      ///< of a block of widened B: whole panels
  int64_t nr;           ///< columns of the tiles that read it
  int64_t accumulators; ///< vector registers for C in these
  int64_t kc;           ///< depth of the block
  int64_t mc;           ///< rows of A that are swept for it

  int64_t bytesOfRow() const { return columns * 4; }
};

/// Bytes of a task's memory for widened B, and for the sums of a block of rows.
int64_t bytesOfUpconvertedB(TargetAttr target);
int64_t bytesOfUpconvertedSums(TargetAttr target);

/// Whether panels of `b`, bf16 or f16, are worth widening for `rows` with a depth of `k`, in tiles
/// of `mr` rows and blocks of `kc`.
bool isUpconversionProfitable(TargetAttr target, mlir::Type b, int64_t rows, int64_t k, int64_t mr,
                              int64_t kc);

/// The blocks of an m x n x k contraction of f32 with `b` in panels, whose blocking is `narrow`, if
/// it pays to widen them once. With `isApart`, sums have no place in C.
std::optional<UpconversionBlocking> upconversionBlocking(TargetAttr target,
                                                         const GemmBlocking &narrow, mlir::Type b,
                                                         int64_t m, int64_t n, int64_t k,
                                                         bool isApart);

} // namespace kgen
