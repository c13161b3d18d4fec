#include "costmodel/TaskTiles.h"

#include "costmodel/Rounding.h"

#include <algorithm>
#include <cassert>

namespace kgen {

int64_t maxTasksOf(const Cpu &cpu) { return std::max(cpu.heuristics.maxTasks, cpu.cores); }

int64_t sufficientTasksOf(const Cpu &cpu) {
  return std::max(cpu.heuristics.sufficientTasks, cpu.cores);
}

int64_t makespan(int64_t threads, int64_t whole, int64_t tile, int64_t last) {
  assert(threads > 0 && last <= tile && "a last tile is no larger than the others");
  int64_t rounds = whole / threads * tile;
  return whole % threads == 0 ? rounds + last : rounds + tile;
}

/// The last two of the candidates.
static void keepLast(std::vector<RejectedTile> &rejected) {
  constexpr size_t kept = 2;
  if (rejected.size() > kept)
    rejected.erase(rejected.begin(), rejected.end() - kept);
}

int64_t evenTile(const Cpu &cpu, const TaskTile &wanted, std::vector<RejectedTile> *rejected) {
  int64_t best = wanted.size;
  for (int64_t count = 2; count <= std::min(wanted.size, maxTasksOf(cpu)); ++count) {
    int64_t tile = wanted.size / count;
    bool isWasteful = roundUp(tile, wanted.grain) > tile + tile / cpu.heuristics.maxIdleShare;
    if (rejected && wanted.size % count == 0 && tile % wanted.unit == 0 && tile >= wanted.minTile &&
        (isWasteful || count < wanted.minCount))
      rejected->push_back({tile, isWasteful
                                     ? "the last " + std::to_string(wanted.grain) +
                                           " iterations of a task would be idle in part"
                                     : std::to_string(count) + " tasks of " +
                                           std::to_string(wanted.minCount) + " that are wanted"});
    if (wanted.size % count != 0 || tile % wanted.unit != 0 || tile < wanted.minTile || isWasteful)
      continue;
    best = tile;
    if (count >= wanted.minCount)
      break;
  }
  if (rejected) { // the best of those with too few tasks was preferred
    rejected->erase(std::remove_if(rejected->begin(), rejected->end(),
                                   [&](const RejectedTile &tile) { return tile.size == best; }),
                    rejected->end());
    keepLast(*rejected);
  }
  return best;
}

int64_t unevenTile(const Cpu &cpu, const TaskTile &wanted, std::vector<RejectedTile> *rejected) {
  int64_t size = wanted.size, step = std::max<int64_t>(wanted.unit, 1), best = 0, bestTime = 0;
  int64_t smallest = size / std::min(maxTasksOf(cpu), 2 * wanted.minCount);
  for (int64_t tile = roundUp(std::max(wanted.minTile, smallest), step);
       tile > 0 && tile < size && tile <= (size + 1) / 2 + step; tile += step) {
    int64_t whole = size / tile, rest = size % tile;
    // However few iterations a remainder has, it costs as many as a quarter of the smallest tile.
    int64_t last = rest ? std::max(rest, wanted.minTile / 4) : 0;
    // Threads do not end at the same time: a quarter of a tile.
    int64_t time = makespan(2, whole, tile, last) + makespan(4, whole, tile, last) + tile / 4 +
                   whole * (size / cpu.heuristics.tasksPerStart);
    if (cpu.cores > 4)
      time += makespan(cpu.cores, whole, tile, last);
    if (best == 0 || time < bestTime) {
      if (rejected && best != 0)
        rejected->push_back({best, "threads would be done after " + std::to_string(bestTime) +
                                       " iterations, not " + std::to_string(time)});
      best = tile;
      bestTime = time;
    }
  }
  if (rejected)
    keepLast(*rejected);
  return best;
}

int64_t evenParts(const Cpu &cpu, int64_t size, int64_t minSize, int64_t count, int64_t wanted) {
  int64_t best = 1;
  for (int64_t number = 2; number <= std::min(size, maxTasksOf(cpu)); ++number) {
    if (size % number != 0 || size / number < minSize)
      continue;
    best = number;
    if (count * number >= wanted)
      break;
  }
  return best;
}

} // namespace kgen
