// Where the points of a Resize's result lie among those of its input, along each axis. All of it is
// known when code is generated.
#pragma once

#include "graph/Operator.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

/// How one axis is resized.
struct ResizedAxis {
  int64_t input = 0, output = 0;
  long double scale = 1, roiStart = 0, roiEnd = 1;
};

/// All axes of input 0 by what the attributes say, or nothing after reporting an error.
std::optional<std::vector<ResizedAxis>> resizedAxes(const InferenceContext &context);

/// Which points of the input one of the result is made of, for one axis, and how much the second
/// one counts.
struct ResizedPoints {
  int64_t dimension; ///< in the operand's order
  std::vector<int32_t> first, second;
  std::vector<double> share;
  std::vector<int8_t> inside; ///< 0: beyond the image, with a cropping region
  bool isSame = true;         ///< each point is the input's
  int64_t repeats = 0;        ///< not 0: each point comes so often, which takes no table

  bool leavesImage() const { return llvm::is_contained(inside, 0); }
  /// How often each point is repeated, or 0 if it is not that.
  int64_t repetition(int64_t input) const {
    auto output = static_cast<int64_t>(first.size());
    if (output % input != 0 || leavesImage())
      return 0;
    for (int64_t i = 0; i < output; ++i)
      if (first[i] != i / (output / input))
        return 0;
    return output / input;
  }
};

/// Those of one axis, which is dimension `dimension` of the operand.
ResizedPoints pointsOf(const InferenceContext &context, const ResizedAxis &axis, int64_t dimension);

} // namespace kgen
