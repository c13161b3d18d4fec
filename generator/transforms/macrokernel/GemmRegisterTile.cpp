// How many rows a register tile has: by the registers, by the rows that there are, and by what the
// first cache holds.
#include "transforms/macrokernel/MacroKernel.h"

#include <limits>
#include <numeric>

using namespace mlir;

namespace kgen {

/// Whether kernels multiply rows of B of floats with elements of A that have the same type.
bool MacroKernel::isPlain() {
  return !dotProducts && sizes[n()] > 1 && gemm.hasOneType() && !gemm.getBQuant() &&
         isa<FloatType>(gemm.getBType()) && gemm.getVnni() == 1 && target.hasFeature("fma");
}

/// Rows of `vectors` that the registers hold beside a row of B and an element of A.
int64_t MacroKernel::maxRows(int64_t vectors) {
  int64_t usual = std::max<int64_t>(1, blocking.accumulators / vectors);
  return isPlain() ? std::max(usual, (target.getVectorRegisters() - vectors - 2) / vectors) : usual;
}

/// Rows of a register tile of `vectors` in each of them: as the target says, or as many as there
/// can be if that makes fewer tiles of rows that are too few to be divided well, or of windows at
/// borders: those have parts of their own for what they leave out.
int64_t MacroKernel::tallest(int64_t rows, int64_t vectors) {
  int64_t usual = std::max<int64_t>(1, blocking.accumulators / vectors), most = maxRows(vectors);
  int64_t tiles = llvm::divideCeilSigned(rows, usual);
  bool isWorthIt = 6 * rows < 5 * usual * tiles || !borders.empty();
  int64_t chosen = isWorthIt && llvm::divideCeilSigned(rows, most) < tiles ? most : usual;
  bool isStream = !panel && rows <= chosen; // B comes from far, once
  return isStream ? chosen : std::min(chosen, rowsInCache());
}

/// Rows of A of which the first cache holds a line each: it is read for several steps. Lines that
/// are pages apart share one of its sets, which has room for a few; one of them is B's.
int64_t MacroKernel::rowsInCache() {
  int64_t distance = a.strides[m] * gemm.getAType().getIntOrFloatBitWidth() / 8;
  int64_t step = std::gcd(distance, pageBytes), ways = target.getL1d() / pageBytes;
  if (dotProducts || step < lineBytes)
    return std::numeric_limits<int64_t>::max();
  return std::max<int64_t>(1, (ways - 1) * (pageBytes / step));
}

/// How many outer rows a register tile of `vectors` in each row has: several if they are short, and
/// what is written follows each other.
int64_t MacroKernel::outerRowsOfTile(const Rows &rows, int64_t vectors) {
  auto follows = [&](const Operand &operand) {
    return operand.strides[outer()] == operand.strides[m] * sizes[m];
  };
  if (!rows.batch || !isPlain() || !follows(c) || !llvm::all_of(extras, follows))
    return 1;
  return std::max<int64_t>(1, std::min(maxRows(vectors), rowsInCache()) / sizes[m]);
}

/// Sums that a register tile has in each row, in vectors. Tiles of one vector get as many rows as
/// those of two where pairs of B are widened: LLVM takes a further register for each of them.
int64_t MacroKernel::sumsPerRow(int64_t columns) {
  int64_t vectors = dotProducts ? columns : llvm::divideCeil(columns, lanes);
  bool widensPairs = gemm.getVnni() > 1 && gemm.getAType() != gemm.getBType();
  return widensPairs ? std::max<int64_t>(vectors, 2) : vectors;
}

} // namespace kgen
