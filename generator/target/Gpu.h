// Figures of a kind of graphics cards, which the cost model reads.
#pragma once

#include <cstdint>

namespace kgen {

/// A graphics card as the cost model sees it.
struct GpuFacts {
#define KGEN_GPU_FACT(KEY, MEMBER, TYPE, MEANING) TYPE MEMBER = 0; ///< MEANING
#include "target/GpuFacts.def"
};

} // namespace kgen
