#include "costmodel/AxisBlocks.h"

#include <algorithm>

namespace kgen {

bool fitsIntoCaches(const Cpu &cpu, const AxisShape &axis, bool areReadAgain) {
  const Heuristics &limits = cpu.heuristics;
  const int64_t maxRows = areReadAgain ? limits.maxAxisRowsReadAgain : limits.maxAxisRows;
  return axis.count * axis.inside <= limits.maxCachedAxis ||
         (axis.inside > 1 && axis.count <= maxRows);
}

bool hasManySlices(const Cpu &cpu, const AxisShape &axis, bool areReadAgain) {
  const int64_t inPage = cpu.pageBytes * 8 / axis.elementBits;
  return axis.outside * (areReadAgain ? std::max<int64_t>(axis.inside / inPage, 1) : 1) >=
         cpu.heuristics.minSlices;
}

int64_t blockLength(const AxisShape &axis) {
  const bool isRow = axis.inside == 1;
  const int64_t minLength = isRow ? 1024 : 8, maxLength = isRow ? 16384 : 64;
  for (int64_t length = maxLength; length >= minLength; --length)
    if (axis.count % length == 0)
      return length;
  return 0;
}

} // namespace kgen
