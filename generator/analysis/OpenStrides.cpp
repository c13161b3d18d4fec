#include "analysis/OpenStrides.h"

namespace kgen {

bool mayBeOpen(tpp::ContractionOpInterface op, unsigned loop, bool isA) {
  unsigned m = op.getAMap().getNumDims() - op.getReductionRank() - 2;
  bool isWindowRow = op.getReductionRank() == 2 && isA && loop == m + 2;
  return loop < m || isWindowRow;
}

} // namespace kgen
