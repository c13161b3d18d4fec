// The rates of arithmetic instructions, measured: what a benchmark's figures are a fraction of.
#pragma once

#include "measure/ThreadPool.h"
#include "target/HostCpu.h"

namespace kgen {

/// 10^9 operations a second of one short run on every thread of the pool at the same time. The CPU
/// must have the instruction's features.
double peakRate(const PeakInstruction &instruction, const ThreadPool &pool);

} // namespace kgen
