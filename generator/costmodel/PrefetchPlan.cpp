#include "costmodel/PrefetchPlan.h"

#include "costmodel/Rounding.h"

#include <algorithm>

namespace kgen {
namespace {

/// The reads of one slice in one block that are not redundant beside others.
class SliceReads {
public:
  SliceReads(const Cpu &cpu, const std::vector<ReadPattern> &reads) : cpu(cpu), reads(reads) {
    for (size_t number = 0; number < reads.size(); ++number)
      all.push_back(number);
    // A loop that reads a part of the slice is redundant beside one that reads all of it.
    dropUnlessAll([&](const ReadPattern &read) { return isSubslice(read); });
    isAnySlow = any([&](const ReadPattern &read) { return isSlow(read); });
    // Short rows that are not worth prefetching do not keep the whole slice from it.
    if (!isAnySlow && any(isInShortRows))
      dropUnlessAll([](const ReadPattern &read) { return !read.isFlat; });
    areAllFlat = !any([](const ReadPattern &read) { return !read.isFlat; });
  }

  PrefetchPlan plan() const;

private:
  template <typename Predicate> bool any(Predicate holds) const {
    return std::any_of(all.begin(), all.end(), [&](size_t number) { return holds(reads[number]); });
  }
  /// Drops the reads for which the predicate holds, unless it holds for all.
  template <typename Predicate> void dropUnlessAll(Predicate holds) {
    auto isDropped = [&](size_t number) { return holds(reads[number]); };
    if (!std::all_of(all.begin(), all.end(), isDropped))
      all.erase(std::remove_if(all.begin(), all.end(), isDropped), all.end());
  }

  /// At most half of a slice, as one row.
  static bool isSubslice(const ReadPattern &read) {
    return read.isFlat && read.hasNextSlice && read.sliceBytes > 0 &&
           2 * read.sliceElements * read.elementBytes <= read.sliceBytes;
  }
  /// One or more rows of a slice of several contiguous rows.
  static bool isInShortRows(const ReadPattern &read) {
    return read.loopElements != read.sliceElements || read.isAcrossRows;
  }
  bool isSlow(const ReadPattern &read) const {
    return read.hasFunctions ||
           (read.isAcrossRows && read.rowsPerStep >= cpu.heuristics.minSlowRows);
  }
  int64_t elementsRead(const ReadPattern &own) const;
  bool isReadAgain(const ReadPattern &read) const;
  ReadPrefetch prefetchOf(const ReadPattern &read) const;
  size_t withMostWork(const std::vector<size_t> &candidates) const;

  const Cpu &cpu;
  const std::vector<ReadPattern> &reads;
  std::vector<size_t> all; ///< numbers of patterns
  bool isAnySlow, areAllFlat;
};

/// Elements of a slice that the reads of a loop comprise together, whether they read different rows
/// or all the same one. Slices of more than a quarter of L2 count as one read each: the next one
/// would not fit beside this one and what is computed from it.
int64_t SliceReads::elementsRead(const ReadPattern &own) const {
  if (!own.hasNextSlice || own.sliceBytes == 0 ||
      !fits(cpu, own.sliceBytes, Cache::l2, Share::quarter))
    return own.sliceElements;
  int64_t elements = 0;
  for (size_t number : all)
    elements += reads[number].loop == own.loop ? reads[number].sliceElements : 0;
  return std::min(elements, own.sliceBytes / own.elementBytes);
}

/// True if another loop reads the same slice, but for a remainder: less than twice, more than half.
bool SliceReads::isReadAgain(const ReadPattern &read) const {
  int64_t own = elementsRead(read);
  return any([&](const ReadPattern &other) {
    int64_t others = elementsRead(other);
    return other.loop != read.loop && 2 * std::min(own, others) > std::max(own, others);
  });
}

/// The table:
///   rows side by side   next slice if it is known, read again, and a loop is slow; else the
///                       hardware prefetcher, which follows each row but does not know the slice
///   read again          next slice, or the next row
///   read once           the prefetch distance, if half of the loop is left after it
ReadPrefetch SliceReads::prefetchOf(const ReadPattern &read) const {
  bool again = isReadAgain(read),
       isSideBySide = !read.isAcrossRows && read.readsOfColumn >= cpu.heuristics.hardwareStreams;
  int64_t distance = cpu.heuristics.prefetchDistance;
  ReadPrefetch prefetch;
  if (isSideBySide && !(again && read.hasNextSlice && isAnySlow))
    return prefetch;
  if (again && read.hasNextSlice && !areAllFlat) {
    prefetch.ahead = PrefetchAhead::nextSlice;
    // More than half of L1 would evict what the loop works on.
    if (!fits(cpu, read.sliceBytes, Cache::l1, Share::half))
      prefetch.target = Cache::l2;
  } else if (again) {
    prefetch.ahead = PrefetchAhead::nextRow;
    prefetch.elements = read.loopElements;
  } else if (read.loopElements * read.elementBytes >= 2 * distance) {
    prefetch.ahead = PrefetchAhead::distance;
    prefetch.elements = distance / read.elementBytes;
  }
  return prefetch;
}

/// The read of the loop with the most operations for each vector, the last of several: what it
/// prefetches arrives while it computes. Another loop is preferred to the last one if it has 1.5
/// times its work. Loops with less than half a function do not differ.
size_t SliceReads::withMostWork(const std::vector<size_t> &candidates) const {
  auto workOf = [&](size_t number) {
    return std::max(reads[number].operations, cpu.heuristics.functionOperations / 2);
  };
  size_t found = candidates.back();
  for (size_t number : candidates)
    if (workOf(number) > workOf(found) + workOf(found) / 2)
      found = number;
  return found;
}

PrefetchPlan SliceReads::plan() const {
  PrefetchPlan plan;
  plan.reads.resize(reads.size());
  std::vector<size_t> profitable;
  for (size_t number : all)
    if (prefetchOf(reads[number]).ahead != PrefetchAhead::none)
      profitable.push_back(number);
  if (profitable.empty())
    plan.refusal = "too short, or rows side by side";
  else if (any(isInShortRows) && !isAnySlow)
    plan.refusal = "short rows in fast loops";
  if (plan.refusal)
    return plan;
  int64_t loop = reads[withMostWork(profitable)].loop;
  for (size_t number : profitable)
    if (reads[number].loop == loop)
      plan.reads[number] = prefetchOf(reads[number]);
  plan.last = profitable.back();
  int64_t lastLoop = reads[plan.last].loop,
          early = loop == lastLoop ? reads[profitable.front()].loop : loop;
  for (size_t number : profitable)
    if (early != lastLoop && reads[number].loop == early)
      plan.writers.push_back(number);
  return plan;
}

} // namespace

PrefetchPlan planPrefetches(const Cpu &cpu, const std::vector<ReadPattern> &reads) {
  return SliceReads(cpu, reads).plan();
}

bool areWindows(const Cpu &cpu, const WindowReads &reads) {
  int64_t ofRow = reads.columnAdvance * reads.trips, read = reads.elements * reads.trips;
  bool isLong = ofRow * reads.elementBytes >= cpu.heuristics.minStreamedRowBytes;
  bool areSeveral = reads.elements >= 2 * reads.columnAdvance;
  bool areAdjacent = reads.span < read;
  bool continues = reads.rowAdvance > ofRow / 2 && reads.rowAdvance <= 2 * read;
  bool overlap = reads.columnAdvance > reads.step || read > reads.rowAdvance;
  return isLong && areSeveral && areAdjacent && continues && overlap;
}

/// While a row is read, all lines of the outer loop's next iteration are prefetched.
std::optional<WindowPrefetchPlan> planWindowPrefetch(const Cpu &cpu, const WindowReads &reads) {
  int64_t inLine = cpu.lineBytes / reads.elementBytes, ofRow = reads.trips * reads.columnAdvance,
          lines = divideCeil(reads.rowAdvance, reads.trips * inLine),
          faster = lines * inLine - reads.columnAdvance,
          distance = cpu.heuristics.windowPrefetchDistance / reads.elementBytes;
  if (faster % reads.step != 0 || lines > cpu.heuristics.maxWindowPrefetches)
    return std::nullopt;
  return WindowPrefetchPlan{lines, faster / reads.step,
                            std::max<int64_t>(distance + ofRow - reads.rowAdvance, 0)};
}

std::optional<BlockPrefetchPlan> planBlockPrefetch(const Cpu &cpu, int64_t lines,
                                                   int64_t iterations) {
  if (lines > cpu.heuristics.maxBlockPrefetches * iterations)
    return std::nullopt;
  int64_t linesPerIteration = divideCeil(lines, iterations);
  return BlockPrefetchPlan{linesPerIteration, linesPerIteration > 1 ? 1 : iterations / lines};
}

} // namespace kgen
