// Functions that the files of the AArch64 architecture share.
#pragma once

#include "target/Architecture.h"

namespace kgen::aarch64 {

/// As Architecture::check, of a target for AArch64.
std::vector<TargetProblem> problemsOf(const TargetDescription &target);

/// As Architecture::featuresOfCpu: by LLVM's names of CPUs.
std::vector<std::string> featuresOfCpu(const std::string &name);

/// As Architecture::emitCpuChecks.
std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants);

} // namespace kgen::aarch64
