// Sums of products, where nearly all of a contraction's time goes.
#pragma once

#include "simulate/Numbers.h"

namespace kgen {

/// Memory of an operand of two loops: at `[i * outer + j * inner]`.
struct ProductOperand {
  char *data; ///< of the loops' first element
  int64_t outer, inner;
};

/// For all i < outer and j < inner in this order: sum = sum + a * b, computed in the type of the
/// sums, in which floats round after the product and after the sum.
using MultiplyAdd = void (*)(ProductOperand sum, ProductOperand a, ProductOperand b, int64_t outer,
                             int64_t inner);

/// Conversion of an operand to the type of the sums.
struct FactorForm {
  Number number;
  bool isUnsigned = false;
  bool operator==(const FactorForm &o) const {
    return number == o.number && isUnsigned == o.isUnsigned;
  }
};

/// The function for sums and factors of these types; null if there is none.
MultiplyAdd multiplyAddFor(Number sum, FactorForm a, FactorForm b);

} // namespace kgen
