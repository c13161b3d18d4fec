// Panels of bf16 and f16 that are up-converted to f32 once for several register tiles.
#include "costmodel/Caches.h"
#include "costmodel/GemmBlocking.h"
#include "costmodel/Products.h"
#include "costmodel/Rounding.h"

#include <algorithm>
#include <cassert>

namespace kgen {

/// A block of up-converted B stays in L1, which is worth more than fewer blocks: reading B from L2
/// takes energy, and CPUs that multiply at full rate lower their clock for it.
int64_t maxUpconvertedBytes(const Cpu &cpu) { return capacity(cpu, Cache::l1); }

/// Sums are read and written once for each block of k, one register tile at a time.
int64_t maxUpconvertedSumBytes(const Cpu &cpu) { return capacity(cpu, Cache::l1) * 3 / 2; }

/// Cycles for each vector of columns. Saved: all tiles but the first one do not up-convert k
/// vectors. Spent: the first one stores k vectors, and sums are loaded and stored between blocks of
/// k.
bool isUpconversionProfitable(const Cpu &cpu, Element b, int64_t rows, int64_t k, int64_t mr,
                              int64_t kc) {
  assert((b == Element::bf16 || b == Element::f16) && "f32 is not up-converted");
  double store = cpu.heuristics.storeCycles, loadAndStore = store;
  double all = k, tiles = divideCeil(rows, mr), blocks = divideCeil(k, kc);
  double upconvert = costOf(cpu, b == Element::f16 ? "convert_f16" : "widen_bf16");
  return (tiles - 1) * upconvert * all > store * all + loadAndStore * rows * (blocks - 1);
}

/// Adjacent panels for register tiles that are as square as the registers allow: with V vectors of
/// B and R elements of A, an iteration of k has V + R loads for V * R products, and loads take
/// energy, which lowers the clock.
static int64_t adjacentPanels(const Cpu &cpu, const GemmBlocking &f32Blocking, int64_t n,
                              int64_t lanes) {
  if (f32Blocking.nr < f32Blocking.panel)
    return 1;
  int64_t panels = 1, registers = cpu.vectorRegisters;
  auto vectors = [&](int64_t count) -> int64_t {
    return divideCeil(count * f32Blocking.panel, lanes);
  };
  auto loads = [&](int64_t count) {
    return vectors(count) + f32Blocking.accumulators / vectors(count);
  };
  while (panels * f32Blocking.panel < n && loads(2 * panels) < loads(panels) &&
         f32Blocking.accumulators + vectors(2 * panels) + 1 <= registers)
    panels *= 2;
  return panels;
}

std::optional<UpconversionBlocking> upconversionBlocking(const Cpu &cpu,
                                                         const GemmBlocking &inRegisters, Element b,
                                                         int64_t m, int64_t n, int64_t k,
                                                         bool hasSeparateSums) {
  if (inRegisters.nr < 2)
    return std::nullopt;
  GemmShape shape{Element::f32, Element::f32, m, n, k};
  shape.isPacked = true;
  GemmBlocking f32Blocking = gemmBlocking(cpu, shape);
  int64_t panels = adjacentPanels(cpu, f32Blocking, n, lanes(cpu, Element::f32));
  UpconversionBlocking result;
  result.columns = panels * inRegisters.panel;
  result.nr = panels > 1 ? result.columns : std::min(f32Blocking.nr, inRegisters.panel);
  result.accumulators = f32Blocking.accumulators;
  // Blocks of equal depth, in multiples of the VNNI factor. Shallower blocks do not pay for their
  // start.
  const int64_t minDepth = cpu.heuristics.minUpconvertedDepth;
  int64_t vnni = vnniFactor(b),
          maxDepth = maxUpconvertedBytes(cpu) / result.bytesOfRow() / vnni * vnni;
  if (maxDepth < minDepth)
    return std::nullopt;
  int64_t blocks = divideCeil(k, maxDepth);
  result.kc = roundUp(divideCeil(k, blocks), vnni);
  // Full register tiles.
  int64_t rows = inRegisters.mc;
  if (blocks > 1 && hasSeparateSums)
    rows = std::min(rows, maxUpconvertedSumBytes(cpu) / result.bytesOfRow());
  result.mc = std::max<int64_t>(rows / inRegisters.mr, 1) * inRegisters.mr;
  bool isProfitable =
      isUpconversionProfitable(cpu, b, std::min(m, result.mc), k, inRegisters.mr, result.kc);
  return isProfitable ? std::optional(result) : std::nullopt;
}

} // namespace kgen
