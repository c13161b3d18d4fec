// Bytes that a launch moves between memory and the card's cores.
#pragma once

#include <mlir/Dialect/GPU/IR/GPUDialect.h>

#include <array>

namespace kgen::gpu_kernels {

/// Memory moves in sectors of 32 bytes: threads of a subgroup that are at the same place of the
/// code at the same time move each sector once, and so does the access of the same buffer that
/// comes next. There are no caches: what another subgroup reads, or the same one later, moves
/// again, unless it is at the address of before in a buffer that nothing writes.
struct Traffic {
  int64_t readBytes = 0, writtenBytes = 0;
};

/// Follows the addresses that the kernel computes, for each subgroup of a few blocks, and for a few
/// iterations of long loops: exact where there are no more than these, else rounded to sectors. An
/// address that depends on contents counts as a sector of its own, and what depends on a condition
/// of contents as done.
Traffic trafficOf(mlir::gpu::GPUFuncOp kernel, const std::array<int64_t, 3> &blocks,
                  int64_t subgroup);

} // namespace kgen::gpu_kernels
