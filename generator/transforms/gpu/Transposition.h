// Operations that read what is one after another in memory in another order than they write.
#pragma once

#include "costmodel/GpuTransposition.h"
#include "transforms/gpu/GenericLoops.h"

namespace kgen::gpu_kernels {

/// The loops of an elementwise operation in three groups: along `read` elements of the sources are
/// one after another, along `written` those of the results.
struct Transposition {
  FlatLoops batch, read, written;
  llvm::SmallVector<unsigned> sources; ///< numbers of the inputs that go through shared memory
  GpuTransposition size;
  GpuTranspositionTile tile;
};

/// Returns nothing where all is read as it is written, and where tiles do not save traffic.
std::optional<Transposition> transpositionOf(const GpuFacts &gpu, const GenericLoops &loops);

} // namespace kgen::gpu_kernels
