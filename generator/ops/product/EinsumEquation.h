// The equation of an Einsum: which dimension of which operand has which label.
#pragma once

#include "graph/Operator.h"

namespace kgen {

/// A letter, or a number below 0 for a dimension that an ellipsis stands for: -1 is the last one.
using Label = int;
using Labels = std::vector<Label>;

struct EinsumEquation {
  std::vector<Labels> operands; ///< a label for each dimension
  Labels result;
  std::map<Label, int64_t> sizes;
};

/// The node's equation for its inputs, or nothing after reporting what is wrong.
std::optional<EinsumEquation> einsumEquation(const InferenceContext &context);

} // namespace kgen
