#include "dialect/kgen/PanelUpconversion.h"

using namespace mlir;

namespace kgen {

/// A block of up-converted B stays in L1, which is worth more than fewer blocks: reading B from L2
/// takes energy, and CPUs that multiply at full rate lower their clock for it.
int64_t maxUpconvertedBytes(TargetAttr target) { return target.getL1d(); }

/// Sums are read and written once for each block of k, one register tile at a time.
int64_t maxUpconvertedSumBytes(TargetAttr target) { return target.getL1d() * 3 / 2; }

/// Cycles for each vector of columns. Saved: all tiles but the first one do not up-convert k
/// vectors. Spent: the first one stores k vectors, and sums are loaded and stored between blocks of
/// k.
bool isUpconversionProfitable(TargetAttr target, Type b, int64_t rows, int64_t k, int64_t mr,
                              int64_t kc) {
  constexpr double store = 2, loadAndStore = 2;
  double all = k, tiles = llvm::divideCeil(rows, mr), blocks = llvm::divideCeil(k, kc);
  double upconvert = target.cost(b.isF16() ? "convert_f16" : "widen_bf16");
  return (tiles - 1) * upconvert * all > store * all + loadAndStore * rows * (blocks - 1);
}

/// Adjacent panels for register tiles that are as square as the registers allow: with V vectors of
/// B and R elements of A, an iteration of k has V + R loads for V * R products, and loads take
/// energy, which lowers the clock.
static int64_t adjacentPanels(TargetAttr target, const GemmBlocking &f32Blocking, int64_t n,
                              int64_t lanes) {
  if (f32Blocking.nr < f32Blocking.panel)
    return 1;
  int64_t panels = 1, registers = target.getVectorRegisters();
  auto vectors = [&](int64_t count) -> int64_t {
    return llvm::divideCeil(count * f32Blocking.panel, lanes);
  };
  auto loads = [&](int64_t count) {
    return vectors(count) + f32Blocking.accumulators / vectors(count);
  };
  while (panels * f32Blocking.panel < n && loads(2 * panels) < loads(panels) &&
         f32Blocking.accumulators + vectors(2 * panels) + 1 <= registers)
    panels *= 2;
  return panels;
}

std::optional<UpconversionBlocking> upconversionBlocking(TargetAttr target,
                                                         const GemmBlocking &inRegisters, Type b,
                                                         int64_t m, int64_t n, int64_t k,
                                                         bool hasSeparateSums) {
  if (inRegisters.nr < 2)
    return std::nullopt;
  Type f32 = Float32Type::get(target.getContext());
  GemmBlocking f32Blocking =
      target.gemmBlocking(f32, f32, m, n, k, /*packed=*/true, /*mayUseAmx=*/false);
  int64_t panels = adjacentPanels(target, f32Blocking, n, target.lanes(f32));
  UpconversionBlocking result;
  result.columns = panels * inRegisters.panel;
  result.nr = panels > 1 ? result.columns : std::min(f32Blocking.nr, inRegisters.panel);
  result.accumulators = f32Blocking.accumulators;
  // Blocks of equal depth, in multiples of the VNNI factor. Shallower blocks do not pay for their
  // start.
  constexpr int64_t minDepth = 64;
  int64_t vnni = target.vnniFactor(b),
          maxDepth = maxUpconvertedBytes(target) / result.bytesOfRow() / vnni * vnni;
  if (maxDepth < minDepth)
    return std::nullopt;
  int64_t blocks = llvm::divideCeil(k, maxDepth);
  result.kc = llvm::alignTo(llvm::divideCeil(k, blocks), vnni);
  // Full register tiles.
  int64_t rows = inRegisters.mc;
  if (blocks > 1 && hasSeparateSums)
    rows = std::min(rows, maxUpconvertedSumBytes(target) / result.bytesOfRow());
  result.mc = std::max<int64_t>(rows / inRegisters.mr, 1) * inRegisters.mr;
  bool isProfitable =
      isUpconversionProfitable(target, b, std::min(m, result.mc), k, inRegisters.mr, result.kc);
  return isProfitable ? std::optional(result) : std::nullopt;
}

} // namespace kgen
