// Products and convolutions whose results are scaled by known numbers: their weights take the
// scale.
#pragma once

#include "graph/Operator.h"

namespace kgen {

// `Operator::scaled` of Conv, ConvTranspose, Gemm and MatMul. The weights are computed in double.
// Nothing where they are not known or belong to other types than f32 and f64, and where a scaled
// weight is not a normal number any more: results would differ by more than rounding.

/// The filters are [out, ...].
std::optional<ScaledNode> scaledFilters(const InferenceContext &c, const ChannelScale &scale);
/// The filters are [c, out / group, ...].
std::optional<ScaledNode> scaledTransposedFilters(const InferenceContext &c,
                                                  const ChannelScale &scale);
std::optional<ScaledNode> scaledGemm(const InferenceContext &c, const ChannelScale &scale);
/// A Gemm, whose C holds the term.
std::optional<ScaledNode> scaledMatMul(const InferenceContext &c, const ChannelScale &scale);

} // namespace kgen
