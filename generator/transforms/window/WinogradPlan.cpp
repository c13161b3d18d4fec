// Whether a convolution is worth Winograd's transforms, and how many tiles are worked on at a time.
#include "transforms/window/WinogradLoops.h"
#include "transforms/window/WinogradTransform.h"

#include <algorithm>

using namespace mlir;

namespace kgen {
namespace {

/// Cycles for a line of the cache that streams from the second cache, and from behind it.
constexpr double nearLine = 2, farLine = 8;

/// Cycles of the parts of a convolution, by what they compute and what they move:
///
///     direct    = max(9 R C F f / L, far(9 C F))
///     winograd  = transforms + products
///     transforms = T f (C / L (input operations + 2 P) + F / L (output operations + P + m^2))
///                  + 2 move(P T C) + 2 move(P T F)
///     products  = max(P T C F f / L, blocks * far(P C F))
///
/// with R results of C channels and F filters, T tiles of m x m results that need P products each,
/// f cycles for a multiply-add of L lanes.
class Costs {
public:
  Costs(const WinogradConvolution &conv, TargetAttr target)
      : conv(conv), l2(target.getL2()), fma(target.cost("fma_f32")),
        lanes(target.lanes(Float32Type::get(target.getContext()))) {}

  double direct() const {
    double weights = 9.0 * conv.channels * conv.filters;
    double results = double(conv.images) * conv.rows * conv.columns;
    return std::max(results * weights * fma / lanes, stream(weights));
  }

  /// With `rows` rows of tiles at a time.
  double tiled(const WinogradPlan &plan, int64_t rows) const {
    WinogradTransform transform(plan.tile);
    int64_t all = conv.images * plan.across(conv.rows), wide = plan.across(conv.columns);
    double tiles = double(all) * wide, products = transform.products();
    double weights = products * conv.channels * conv.filters;
    double blocks = llvm::divideCeil(all, rows);
    double values = products * rows * wide * (conv.channels + conv.filters);
    double line = 4 * values <= l2 ? nearLine : farLine;
    double input = vectors(conv.channels) * (transform.inputOperations() + 2 * products),
           output = vectors(conv.filters) *
                    (transform.outputOperations() + products + plan.tile * plan.tile);
    double moved = 2 * 4 * products * tiles * (conv.channels + conv.filters) / lineBytes;
    return tiles * fma * (input + output) + moved * line +
           std::max(tiles * weights * fma / lanes, blocks * stream(weights));
  }

private:
  double vectors(int64_t count) const { return double(llvm::divideCeil(count, lanes)); }
  /// What numbers take that are read once.
  double stream(double numbers) const {
    return 4 * numbers / lineBytes * (4 * numbers <= l2 / 2 ? nearLine : farLine);
  }

  const WinogradConvolution &conv;
  double l2, fma;
  int64_t lanes;
};

} // namespace

WinogradPlan planWinograd(const WinogradConvolution &conv, int64_t largest, TargetAttr target) {
  // What a model of this kind cannot tell apart stays direct, which is more precise.
  constexpr double worthwhile = 0.9;
  Costs costs(conv, target);
  WinogradPlan best;
  best.direct = best.cycles = costs.direct();
  double least = worthwhile * best.direct;
  for (int64_t tile = 2; tile <= largest; tile += 2) {
    WinogradPlan plan{tile, 0, 0, best.direct};
    int64_t all = conv.images * plan.across(conv.rows);
    for (int64_t rows = all; rows > 0; --rows) {
      plan.tileRows = rows;
      plan.cycles = costs.tiled(plan, rows);
      if (plan.cycles < least) {
        best = plan;
        least = plan.cycles;
      }
    }
  }
  return best;
}

} // namespace kgen
