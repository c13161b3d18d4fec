// Names of a target in C and in LLVM.
#pragma once

#include "target/TargetSpec.h"

namespace kgen {

/// "x86-64-v4" as part of a C identifier: "x86_64_v4".
std::string targetIdentifier(const std::string &name);

/// LLVM's feature string for the target: the names with a plus each, separated by commas.
std::string llvmFeatures(const TargetSpec &target);

} // namespace kgen
