// Estimates whether Winograd's minimal filtering pays, and chooses tile size and blocking.
#include "costmodel/Caches.h"
#include "transforms/window/WinogradLoops.h"
#include "transforms/window/WinogradTransform.h"

#include <algorithm>

using namespace mlir;

namespace kgen {
namespace {

/// Estimated cycles of a convolution, from its multiply-adds and the bytes it moves:
///
///     direct    = max(9 R C F f / L, load(9 C F))
///     winograd  = transforms + products
///     transforms = T f (C / L (input operations + 2 P) + F / L (output operations + P + m^2))
///                  + 2 move(P T C) + 2 move(P T F)
///     products  = max(P T C F f / L, blocks * load(P C F))
///
/// with R results of C channels and F filters, T output tiles of m x m results that need P products
/// each, f cycles for a multiply-add of L lanes; load(n) and move(n) are the cycles to load and to
/// move n f32 numbers.
class Costs {
public:
  Costs(const WinogradConvolution &conv, TargetAttr target)
      : conv(conv), cpu(target.cpu()), fma(target.cost("fma_f32")),
        lanes(target.lanes(Float32Type::get(target.getContext()))) {}

  double direct() const {
    double weights = 9.0 * conv.channels * conv.filters;
    double results = double(conv.imagesTogether()) * conv.rows * conv.columns;
    return std::max(results * weights * fma / lanes, load(weights));
  }

  /// With blocks of `rows` rows of tiles.
  double tiled(const WinogradPlan &plan, int64_t rows) const {
    WinogradTransform transform(plan.tile);
    int64_t all = conv.imagesTogether() * plan.tilesAlong(conv.rows),
            wide = plan.tilesAlong(conv.columns);
    double tiles = double(all) * wide, products = transform.products();
    double weights = products * conv.channels * conv.filters;
    double blocks = llvm::divideCeil(all, rows);
    double values = products * rows * wide * (conv.channels + conv.filters);
    double line = cyclesOfLine(4 * values, Share::all);
    double input = vectors(conv.channels) * (transform.inputOperations() + 2 * products),
           output = vectors(conv.filters) *
                    (transform.outputOperations() + products + plan.tile * plan.tile);
    double moved =
        2 * 4 * products * tiles * (conv.channels + conv.filters) / double(cpu.lineBytes);
    return tiles * fma * (input + output) + moved * line +
           std::max(tiles * weights * fma / lanes, blocks * load(weights));
  }

private:
  double vectors(int64_t count) const { return double(llvm::divideCeil(count, lanes)); }
  /// Cycles to load `numbers` f32 numbers once.
  double load(double numbers) const {
    return 4 * numbers / double(cpu.lineBytes) * cyclesOfLine(4 * numbers, Share::half);
  }
  /// Cycles to read a cache line of so many bytes contiguously.
  double cyclesOfLine(double bytes, Share share) const {
    return bytes <= double(capacity(cpu, Cache::l2, share)) ? cpu.heuristics.l2LineCycles
                                                            : cpu.heuristics.memoryLineCycles;
  }

  const WinogradConvolution &conv;
  const Cpu &cpu;
  double fma;
  int64_t lanes;
};

} // namespace

int64_t WinogradPlan::possibleTileRows(const WinogradConvolution &conv, int64_t wanted) const {
  int64_t all = conv.imagesTogether() * tilesAlong(conv.rows), rows = std::min(wanted, all);
  while (ShapedType::isDynamic(conv.images) && rows > 0 && all % rows != 0)
    --rows;
  return rows;
}

WinogradPlan planWinograd(const WinogradConvolution &conv, int64_t maxTile, TargetAttr target) {
  // If the estimates are too close to tell apart, the convolution stays direct, which rounds less.
  Costs costs(conv, target);
  WinogradPlan best;
  best.direct = best.cycles = costs.direct();
  double fewest = target.tradeoffs().maxWinogradShare * best.direct;
  for (int64_t tile = 2; tile <= maxTile; tile += 2) {
    WinogradPlan plan{tile, 0, 0, best.direct};
    int64_t all = conv.imagesTogether() * plan.tilesAlong(conv.rows);
    for (int64_t rows = all; rows > 0; rows = plan.possibleTileRows(conv, rows - 1)) {
      plan.tileRows = rows;
      plan.cycles = costs.tiled(plan, rows);
      if (plan.cycles < fewest) {
        best = plan;
        fewest = plan.cycles;
      }
    }
  }
  return best;
}

} // namespace kgen
