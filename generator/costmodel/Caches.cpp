#include "costmodel/Caches.h"

#include "costmodel/Rounding.h"

#include <numeric>

namespace kgen {
namespace {

int64_t sizeOf(const Cpu &cpu, Cache cache) {
  switch (cache) {
  case Cache::l1:
    return cpu.l1dBytes;
  case Cache::l2:
    return cpu.l2Bytes;
  case Cache::lastLevel:
    break;
  }
  return cpu.l3BytesPerCore > 0 ? cpu.l3BytesPerCore : cpu.heuristics.lastLevelPerL2 * cpu.l2Bytes;
}

} // namespace

int64_t capacity(const Cpu &cpu, Cache cache, Share share) {
  int64_t size = sizeOf(cpu, cache);
  switch (share) {
  case Share::all:
    return size;
  case Share::threeQuarters:
    return size * 3 / 4;
  case Share::twoThirds:
    return size * 2 / 3;
  case Share::half:
    return size / 2;
  case Share::quarter:
    return size / 4;
  case Share::eighth:
    break;
  }
  return size / 8;
}

bool fits(const Cpu &cpu, SizeInterval bytes, Cache cache, Share share) {
  return bytes.max <= capacity(cpu, cache, share);
}

bool exceedsLastLevel(const Cpu &cpu, SizeInterval bytes) {
  return bytes.min > capacity(cpu, Cache::lastLevel);
}

int64_t waysOfL1(const Cpu &cpu) {
  return cpu.l1Ways > 0 ? cpu.l1Ways : cpu.l1dBytes / cpu.pageBytes;
}

int64_t setsOfRows(const Cpu &cpu, int64_t pitch) {
  return cpu.pageBytes / std::gcd(pitch, cpu.pageBytes);
}

bool hasSetConflicts(const Cpu &cpu, int64_t rows, int64_t pitch) {
  int64_t sets = setsOfRows(cpu, pitch), rowsOfSet = divideCeil(rows, sets);
  return 2 * rowsOfSet > waysOfL1(cpu);
}

} // namespace kgen
