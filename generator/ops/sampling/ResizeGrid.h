// The coordinates in the input of the points of a Resize's, or an Upsample's, result, along each
// axis. All of it is known when code is generated, but for the sizes of axes that are enlarged by a
// whole factor.
#pragma once

#include "graph/Operator.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

/// True if the operator is Upsample, which has fewer attributes.
bool isUpsample(const InferenceContext &context);

/// Parameters of the resizing of one axis: by `enlarged` / `reduced`, two exact numbers, so that
/// coordinates that are whole, or a half, are exactly that.
struct ResizedAxis {
  int64_t input = 0, output = 0;
  long double enlarged = 1, reduced = 1, roiStart = 0, roiEnd = 1;
  /// Its size is known at run time only: `input` and `output` are those of an example, whose points
  /// are those of each size.
  bool isSymbolic = false;

  long double scale() const { return enlarged / reduced; }
};

/// All axes of input 0 by what the attributes say, or nothing after reporting an error.
std::optional<std::vector<ResizedAxis>> resizedAxes(const InferenceContext &context);

/// Points of the input that each one of the result is made of, for one axis.
struct ResizedPoints {
  int64_t dimension;                       ///< in the operand's order
  int64_t input;                           ///< points of the input
  std::vector<std::vector<int32_t>> taps;  ///< taps[k][i]: the k-th point that point i is made of
  std::vector<std::vector<double>> shares; ///< how much it counts; none if there is one tap only
  std::vector<int8_t> inside;              ///< 0: outside of the image, with a cropping region
  bool isSame = true;                      ///< each point is the input's
  int64_t repeats = 0;                     ///< not 0: each point comes so often, without a table

  bool leavesImage() const { return llvm::is_contained(inside, 0); }
  int64_t size() const { return static_cast<int64_t>(inside.size()); }
  /// Returns how often each point is repeated, or 0 if it is not that.
  int64_t repetition(int64_t input) const {
    if (taps.size() != 1 || size() % input != 0 || leavesImage())
      return 0;
    for (int64_t i = 0; i < size(); ++i)
      if (taps[0][i] != i / (size() / input))
        return 0;
    return size() / input;
  }
};

/// Those of one axis, which is dimension `dimension` of the operand.
ResizedPoints pointsOf(const InferenceContext &context, const ResizedAxis &axis, int64_t dimension);

} // namespace kgen
