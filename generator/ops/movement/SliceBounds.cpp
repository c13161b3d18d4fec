#include "ops/movement/SliceBounds.h"

namespace kgen {

/// Returns where a slice begins or ends in a dimension.
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

/// Returns where a slice backwards begins or ends, from `least` to the last element.
static std::optional<Dim> limitedBackwards(const Dim &size, const Dim &given, int64_t least) {
  const DimBounds bounds = given.bounds();
  if (bounds.min < 0 && bounds.max >= 0)
    return std::nullopt;
  if (bounds.max < 0 && bounds.max < -size.bounds().max)
    return Dim(least); // before the first element, whatever the size is: numbers may be the lowest
  const Dim at = bounds.max < 0 ? given + size : given, last = size - 1;
  if ((at - last).bounds().min >= 0)
    return last;
  const bool isInside = at.bounds().min >= least && (last - at).bounds().min >= 0;
  return isInside ? std::optional(at) : std::nullopt;
}

/// The elements from `start` on that are `step` places before each other, until `end`.
static std::optional<SliceOfDim> sliceBackwards(const Dim &size, const Dim &start, const Dim &end,
                                                int64_t step) {
  std::optional<Dim> first = limitedBackwards(size, start, 0),
                     last = limitedBackwards(size, end, -1);
  if (!first || !last || size.bounds().min < 1)
    return std::nullopt;
  const DimBounds distance = (*first - *last).bounds();
  if (distance.max <= 0)
    return SliceOfDim{0, 0};
  if (distance.min < 0)
    return std::nullopt;
  return SliceOfDim{*first, (*first - *last).ceilDiv(-step)};
}

std::optional<SliceOfDim> sliceOf(const Dim &size, const Dim &start, const Dim &end, int64_t step) {
  constexpr int64_t longestStep = int64_t(1) << 31; // no axis is longer
  if (step < 0)
    return sliceBackwards(size, start, end, std::max(step, -longestStep));
  std::optional<Dim> first = limitedTo(size, start), last = limitedTo(size, end);
  if (!first || !last)
    return std::nullopt;
  const DimBounds distance = (*last - *first).bounds();
  if (distance.max <= 0)
    return SliceOfDim{0, 0};
  if (distance.min < 0)
    return std::nullopt;
  return SliceOfDim{*first, (*last - *first).ceilDiv(step)};
}

} // namespace kgen
