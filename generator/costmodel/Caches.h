// Capacity of caches: which one holds how much. Sizes are in bytes.
#pragma once

#include "costmodel/Interval.h"
#include "target/Cpu.h"

namespace kgen {

/// From the nearest on.
enum class Cache { l1, l2, lastLevel };

/// The share of a cache that an operand may take.
enum class Share {
  all,
  threeQuarters, ///< the rest is for what passes through once
  twoThirds,     ///< beside a block of the other operand of half its size
  half,          ///< beside a result of the same size
  quarter,       ///< beside operands and results of the tasks around it
  eighth
};

/// Bytes that fit. The last level is a core's share of it.
int64_t capacity(const Cpu &cpu, Cache cache, Share share = Share::all);

/// True if data of any size in the interval stays in the share of the cache until it is read again.
bool fits(const Cpu &cpu, SizeInterval bytes, Cache cache, Share share = Share::all);

/// True if data of any size in the interval is evicted before it is read again, from every cache.
bool exceedsLastLevel(const Cpu &cpu, SizeInterval bytes);

/// Ways of a set of L1: as many as pages, if the CPU does not state another number. The set of an
/// address depends on its offset in a page.
int64_t waysOfL1(const Cpu &cpu);

/// Sets of L1 that rows with a pitch of `pitch` bytes fall into.
int64_t setsOfRows(const Cpu &cpu, int64_t pitch);

/// True if `rows` rows that are read at the same time, with a row pitch of `pitch` bytes, occupy
/// more than half of the ways of a set of L1: conflict misses with what else is read.
bool hasSetConflicts(const Cpu &cpu, int64_t rows, int64_t pitch);

} // namespace kgen
