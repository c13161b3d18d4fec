// Rows of a register tile: limited by the registers, by the rows of the block, and by the
// first-level cache.
#include "costmodel/Caches.h"
#include "transforms/macrokernel/MacroKernel.h"

#include <limits>
#include <numeric>

using namespace mlir;

namespace kgen {

/// True if kernels multiply rows of floats of B by elements of A of the same type.
bool MacroKernel::isPlain() {
  return !dotProducts && sizes[n()] > 1 && gemm.hasOneType() && !gemm.getBQuant() &&
         isa<FloatType>(gemm.getBType()) && gemm.getVnni() == 1 && target.cpu().hasFma;
}

/// Rows of `vectors` sums each that the registers hold beside a row of B and an element of A.
int64_t MacroKernel::maxRows(int64_t vectors) {
  int64_t usual = std::max<int64_t>(1, blocking.accumulators / vectors);
  return isPlain() ? std::max(usual, (target.getVectorRegisters() - vectors - 2) / vectors) : usual;
}

/// Rows of a register tile with `vectors` in each, of `rows` in all: as the target's block sizes
/// say, or as many as there are registers for if that makes fewer tiles, and
///   either the usual tiles would be less than 5/6 full,
///   or there is implicit padding, whose kernels differ by row.
int64_t MacroKernel::rowsOfTile(int64_t rows, int64_t vectors) {
  int64_t usual = std::max<int64_t>(1, blocking.accumulators / vectors),
          maxRowsOfTile = maxRows(vectors);
  int64_t tiles = llvm::divideCeilSigned(rows, usual);
  bool isProfitable = 6 * rows < 5 * usual * tiles || !implicitPads.empty();
  int64_t chosen =
      isProfitable && llvm::divideCeilSigned(rows, maxRowsOfTile) < tiles ? maxRowsOfTile : usual;
  bool readsBOnce = !panel && rows <= chosen; // from memory
  return readsBOnce ? chosen : std::min(chosen, rowsInCache());
}

/// Rows of A of which the first-level cache holds a line each, which several values of k read.
/// Lines that are pages apart share a set; one of its ways is for B.
int64_t MacroKernel::rowsInCache() {
  int64_t distance = a.strides[m] * gemm.getAType().getIntOrFloatBitWidth() / 8;
  const Cpu &cpu = target.cpu();
  int64_t step = std::gcd(distance, cpu.pageBytes);
  if (dotProducts || step < cpu.lineBytes)
    return std::numeric_limits<int64_t>::max();
  return std::max<int64_t>(1, (waysOfL1(cpu) - 1) * (cpu.pageBytes / step));
}

/// Batch indices whose rows a register tile with `vectors` in each row takes: several if they have
/// few rows, which are contiguous in C.
int64_t MacroKernel::outerRowsOfTile(const RowBlock &rows, int64_t vectors) {
  auto follows = [&](const Operand &operand) {
    return operand.strides[outer()] == operand.strides[m] * sizes[m];
  };
  if (!rows.batch || !isPlain() || !follows(c) || !llvm::all_of(epilogueOperands, follows))
    return 1;
  return std::max<int64_t>(1, std::min(maxRows(vectors), rowsInCache()) / sizes[m]);
}

/// Vectors of sums in each row of a register tile of `columns`. Where pairs of B are up-converted,
/// one vector counts as two, since LLVM takes a further register for each of them.
int64_t MacroKernel::sumsPerRow(int64_t columns) {
  int64_t vectors = dotProducts ? columns : llvm::divideCeil(columns, lanes);
  bool upconvertsPairs = gemm.getVnni() > 1 && gemm.getAType() != gemm.getBType();
  return upconvertsPairs ? std::max<int64_t>(vectors, 2) : vectors;
}

} // namespace kgen
