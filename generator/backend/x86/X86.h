// The interface between the parts of the x86 architecture.
#pragma once

#include "target/Architecture.h"
#include "target/HostCpu.h"

namespace kgen::x86 {

/// THE table from features to what they stand for.
Capabilities capabilitiesOf(const std::set<std::string> &features, int64_t vectorBits);

/// Contradictions between the keys of a target file.
std::vector<TargetProblem> problemsOf(const TargetDescription &target);

/// The features of a CPU that LLVM knows, perhaps by another name ("znver4" for "zen4").
std::vector<std::string> featuresOfCpu(const std::string &name);

std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants);

const std::vector<PeakInstruction> &peakInstructions();

const HostCpu &host();

} // namespace kgen::x86
