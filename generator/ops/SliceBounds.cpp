#include "ops/SliceBounds.h"

namespace kgen {

/// Where a slice begins or ends in a dimension.
static std::optional<Dim> limitedTo(const Dim &size, const Dim &given) {
  const DimBounds bounds = given.bounds();
  const Dim at = bounds.max < 0 ? given + size : given;
  if (bounds.min < 0 && bounds.max >= 0)
    return std::nullopt;
  if (at.bounds().max <= 0)
    return Dim(0);
  if ((at - size).bounds().min >= 0)
    return size;
  const bool isInside = at.bounds().min >= 0 && (size - at).bounds().min >= 0;
  return isInside ? std::optional(at) : std::nullopt;
}

std::optional<SliceOfDim> sliceOf(const Dim &size, const Dim &start, const Dim &end, int64_t step) {
  std::optional<Dim> first = limitedTo(size, start), last = limitedTo(size, end);
  if (!first || !last || step < 1)
    return std::nullopt;
  const DimBounds distance = (*last - *first).bounds();
  if (distance.max <= 0)
    return SliceOfDim{0, 0};
  if (distance.min < 0)
    return std::nullopt;
  return SliceOfDim{*first, (*last - *first).ceilDiv(step)};
}

} // namespace kgen
