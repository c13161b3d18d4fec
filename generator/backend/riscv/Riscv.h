// Functions that the files of the RISC-V architecture share.
#pragma once

#include "target/Architecture.h"

namespace kgen::riscv {

/// As Architecture::check, of a target for RISC-V.
std::vector<TargetProblem> problemsOf(const TargetDescription &target);

/// As Architecture::featuresOfCpu: by LLVM's names of CPUs.
std::vector<std::string> featuresOfCpu(const std::string &name);

/// "rv64imafdcv_zvl256b" of features ("+m,+a"), the name of an instruction set that compilers and
/// assemblers take.
std::string archString(llvm::StringRef features);

/// As Architecture::emitCpuChecks.
std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants);

} // namespace kgen::riscv
