// A resolved target: the spec's facts as the #kgen.target attribute that passes see, and the
// features in LLVM's words.
#pragma once

#include "spec/TargetSpec.h"

namespace mlir {
class MLIRContext;
}

namespace kgen {

class TargetAttr; // dialect/kgen

/// "x86-64-v4" as part of a C identifier: "x86_64_v4".
std::string targetIdentifier(const std::string &name);

/// LLVM's feature string for the target: the names with a plus each, separated by commas.
std::string llvmFeatures(const TargetSpec &target);

TargetAttr makeTargetAttr(const TargetSpec &target, mlir::MLIRContext *context);

} // namespace kgen
