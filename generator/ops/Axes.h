// Which axes an operator works along: an attribute, or an input that is a weight.
#pragma once

#include "graph/Operator.h"

namespace kgen {

/// A list of integers that the attribute `name` or input i gives, which must be a weight then;
/// `list` stays empty if neither is there. False after reporting an error.
bool readIntegers(const InferenceContext &context, size_t i, const std::string &name,
                  std::optional<std::vector<int64_t>> &list);

/// The axes as flags by dimension of a tensor of `rank`. They are what the attribute `axes` or
/// input 1 lists, each counted from the end if negative; nothing if neither is there. Reports what
/// is wrong and sets `good` to false.
std::optional<std::vector<bool>> listedAxes(const InferenceContext &context, bool &good,
                                            size_t rank);
/// The same by dimension of input 0.
std::optional<std::vector<bool>> listedAxes(const InferenceContext &context, bool &good);

/// The integers of input i, which must be a weight of type i64[n]; reports it otherwise. `what` is
/// the input's name.
std::optional<std::vector<int64_t>> requiredIntegers(const InferenceContext &context, size_t i,
                                                     const std::string &what);

} // namespace kgen
