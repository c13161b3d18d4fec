#include "transforms/idioms/FloatComparison.h"

using namespace mlir;

namespace kgen {

std::optional<FloatComparison> comparisonOf(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OGT:
    return FloatComparison{true, false, false};
  case P::OGE:
    return FloatComparison{true, true, false};
  case P::OLT:
    return FloatComparison{false, false, false};
  case P::OLE:
    return FloatComparison{false, true, false};
  case P::UGT:
    return FloatComparison{true, false, true};
  case P::UGE:
    return FloatComparison{true, true, true};
  case P::ULT:
    return FloatComparison{false, false, true};
  case P::ULE:
    return FloatComparison{false, true, true};
  default:
    return std::nullopt;
  }
}

} // namespace kgen
