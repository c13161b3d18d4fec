// Integers that are computed from elements of tensors, as code computes them: of 64 bits, they wrap
// around.
#pragma once

#include "support/Dim.h"

#include <memory>

namespace kgen {

struct ElementTerm;
using ElementTermPtr = std::shared_ptr<const ElementTerm>;

/// A counter of a loop, and how often the loop goes round.
struct ElementLoop {
  size_t counter;
  Dim count;
};

struct ElementTerm {
  enum class Kind {
    size,    ///< `size`
    counter, ///< of a loop, its `number`
    element, ///< of input `number`, row-major at operand 0; its element type is i32 if `isNarrow`
    listed,  ///< of `list`, at operand 0
    sum,     ///< of both operands, as are the next ones
    difference,
    product,
    quotient, ///< rounded down, as `remainder`: of what is not negative
    remainder,
    greater,
    lesser,
    narrowed, ///< operand 0 as an integer of 32 bits
    reduced,  ///< operand 0 in all `loops` by `combine`: sum, greater or lesser
  };
  Kind kind;
  std::vector<ElementTermPtr> operands{};
  Dim size{};
  size_t number = 0;
  bool isNarrow = false;
  std::vector<int64_t> list{};
  std::vector<ElementLoop> loops{};
  Kind combine = Kind::sum;
};

} // namespace kgen
