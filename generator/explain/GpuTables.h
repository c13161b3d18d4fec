// Tables of launches on a graphics card.
#pragma once

#include "explain/Explanation.h"
#include "explain/Table.h"

namespace kgen {

/// Launches in order: kernels, grids of blocks, threads.
Table gpuLaunchTable(const Explanation &explanation);
/// Blocks that a core has room for, bytes, operations and cycles of each launch.
Table gpuWorkTable(const Explanation &explanation);
/// The tile of each product, and those that come next to it.
Table gpuTileTable(const Explanation &explanation);

/// "3 launches of 2 kernels", what they move and how much memory the graph takes.
std::string gpuSummary(const Explanation &explanation);

} // namespace kgen
