// Tiles of a loop that become tasks: how many, and which size lets threads end soonest.
#pragma once

#include "target/Cpu.h"

#include <string>
#include <vector>

namespace kgen {

/// Constraints on the tiles of a loop.
struct TaskTile {
  int64_t size;        ///< iterations of the loop
  int64_t minCount;    ///< tiles that are wanted
  int64_t unit = 1;    ///< a tile is a multiple of it
  int64_t minTile = 1; ///< iterations of the smallest tile; only the last one may have fewer
  int64_t grain = 1;   ///< iterations that a task works on at a time
};

/// A candidate that another one was preferred to, and why.
struct RejectedTile {
  int64_t size;
  std::string why;
};

/// The maximum number of tasks of one operation: one for each core that the target states, or
/// `max_tasks` if that is more.
int64_t maxTasksOf(const Cpu &cpu);
/// The number of tasks of one operation from which on no further loop is tiled: one for each core
/// that the target states, or `sufficient_tasks` if that is more.
int64_t sufficientTasksOf(const Cpu &cpu);

/// The time, in iterations, until `threads` threads have done `whole` equal tiles of `tile`
/// iterations and a last one of `last`. Each thread takes the next tile when it has done one.
int64_t makespan(int64_t threads, int64_t whole, int64_t tile, int64_t last);

/// The largest tile that divides the loop into at least `minCount` tiles; the smallest candidate if
/// none is small enough, and `size` if there is no candidate. Tiles that would leave much of the
/// last `grain` idle are none. `rejected`, if it is not null, gets those two that came next to it.
int64_t evenTile(const Cpu &cpu, const TaskTile &tile,
                 std::vector<RejectedTile> *rejected = nullptr);

/// The tile, with a smaller last one, that two and four threads together are done with soonest, and
/// as many as there are cores if the target states more; 0 if there is none. `rejected` likewise.
int64_t unevenTile(const Cpu &cpu, const TaskTile &tile,
                   std::vector<RejectedTile> *rejected = nullptr);

/// The number of equal parts of `size` iterations, at least `minSize` each, that multiplied by
/// `count` gives at least `wanted` tasks; the most parts if none does, 1 if there are none.
int64_t evenParts(const Cpu &cpu, int64_t size, int64_t minSize, int64_t count, int64_t wanted);

} // namespace kgen
