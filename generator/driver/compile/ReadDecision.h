// Details of a decision as plain data.
#pragma once

#include "driver/compile/Decision.h"
#include "explain/Explanation.h"

namespace kgen {

ExplainedTiling readTiling(const Decision &decision); ///< of "tiled"
ExplainedLoops readLoops(const Decision &decision);   ///< of "vectorized" and "scalar"
std::vector<ExplainedStrategy> readStrategies(const Decision &decision); ///< of "strategy"
/// Of "kernel". Steps of its calls are looked up in `stepIndex`, by number in the IR.
ExplainedKernel readKernel(const Decision &decision, const std::map<int64_t, size_t> &stepIndex);
/// Of "buffer", without its contents.
ExplainedBuffer readBuffer(const Decision &decision);
/// Of "launch", as far as passes know it; also the kind of the step.
void readGpuLaunch(const Decision &decision, ExplainedStep &step);
/// Of "winograd": how the convolution is computed.
std::string readMethod(const Decision &decision);

} // namespace kgen
