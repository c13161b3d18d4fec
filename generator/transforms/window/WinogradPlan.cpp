// Estimates whether Winograd's minimal filtering pays, and chooses tile size and blocking.
#include "transforms/window/WinogradLoops.h"
#include "transforms/window/WinogradTransform.h"

#include <algorithm>

using namespace mlir;

namespace kgen {
namespace {

/// Cycles per cache line that is read contiguously, from L2 and from beyond L2.
constexpr double l2LineCycles = 2, memoryLineCycles = 8;

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
      : conv(conv), l2(target.getL2()), fma(target.cost("fma_f32")),
        lanes(target.lanes(Float32Type::get(target.getContext()))) {}

  double direct() const {
    double weights = 9.0 * conv.channels * conv.filters;
    double results = double(conv.images) * conv.rows * conv.columns;
    return std::max(results * weights * fma / lanes, load(weights));
  }

  /// With blocks of `rows` rows of tiles.
  double tiled(const WinogradPlan &plan, int64_t rows) const {
    WinogradTransform transform(plan.tile);
    int64_t all = conv.images * plan.tilesAlong(conv.rows), wide = plan.tilesAlong(conv.columns);
    double tiles = double(all) * wide, products = transform.products();
    double weights = products * conv.channels * conv.filters;
    double blocks = llvm::divideCeil(all, rows);
    double values = products * rows * wide * (conv.channels + conv.filters);
    double line = 4 * values <= l2 ? l2LineCycles : memoryLineCycles;
    double input = vectors(conv.channels) * (transform.inputOperations() + 2 * products),
           output = vectors(conv.filters) *
                    (transform.outputOperations() + products + plan.tile * plan.tile);
    double moved = 2 * 4 * products * tiles * (conv.channels + conv.filters) / lineBytes;
    return tiles * fma * (input + output) + moved * line +
           std::max(tiles * weights * fma / lanes, blocks * load(weights));
  }

private:
  double vectors(int64_t count) const { return double(llvm::divideCeil(count, lanes)); }
  /// Cycles to load `numbers` f32 numbers once.
  double load(double numbers) const {
    return 4 * numbers / lineBytes * (4 * numbers <= l2 / 2 ? l2LineCycles : memoryLineCycles);
  }

  const WinogradConvolution &conv;
  double l2, fma;
  int64_t lanes;
};

} // namespace

WinogradPlan planWinograd(const WinogradConvolution &conv, int64_t maxTile, TargetAttr target) {
  // If the estimates are too close to tell apart, the convolution stays direct, which rounds less.
  constexpr double maxShareOfDirect = 0.9;
  Costs costs(conv, target);
  WinogradPlan best;
  best.direct = best.cycles = costs.direct();
  double fewest = maxShareOfDirect * best.direct;
  for (int64_t tile = 2; tile <= maxTile; tile += 2) {
    WinogradPlan plan{tile, 0, 0, best.direct};
    int64_t all = conv.images * plan.tilesAlong(conv.rows);
    for (int64_t rows = all; rows > 0; --rows) {
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
