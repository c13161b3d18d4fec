// The name of the attribute that holds a plan.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace kgen {

/// The attribute of contractions, and of attention, that has their #kgen.gemm_plan.
constexpr llvm::StringLiteral gemmPlanAttrName = "kgen.gemm_plan";

} // namespace kgen
