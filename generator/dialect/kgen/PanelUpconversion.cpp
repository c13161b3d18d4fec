#include "dialect/kgen/PanelUpconversion.h"

using namespace mlir;

namespace kgen {

/// A block of widened B stays in the first cache, which is worth more than fewer blocks: B in the
/// second one costs energy, and CPUs that multiply at full rate lower their clock by what that
/// takes.
int64_t bytesOfUpconvertedB(TargetAttr target) { return target.getL1d(); }

/// Sums come and go once for each block, a tile at a time.
int64_t bytesOfUpconvertedSums(TargetAttr target) { return target.getL1d() * 3 / 2; }

/// Of each vector of columns, in cycles: all tiles but one are spared the widening of every k; the
/// first one stores it, and sums are loaded and stored between blocks of k.
bool isUpconversionProfitable(TargetAttr target, Type b, int64_t rows, int64_t k, int64_t mr,
                              int64_t kc) {
  constexpr double store = 2, loadAndStore = 2;
  double all = k, tiles = llvm::divideCeil(rows, mr), blocks = llvm::divideCeil(k, kc);
  double widen = target.cost(b.isF16() ? "convert_f16" : "widen_bf16");
  return (tiles - 1) * widen * all > store * all + loadAndStore * rows * (blocks - 1);
}

/// Panels side by side for tiles that are as square as there are registers for: with V vectors of
/// B and R elements of A a step loads V + R times for V * R products, and what loads cost lowers
/// the clock.
static int64_t panelsSideBySide(TargetAttr target, const GemmBlocking &wide, int64_t n,
                                int64_t lanes) {
  if (wide.nr < wide.panel)
    return 1;
  int64_t panels = 1, registers = target.getVectorRegisters();
  auto vectors = [&](int64_t count) -> int64_t {
    return llvm::divideCeil(count * wide.panel, lanes);
  };
  auto loads = [&](int64_t count) { return vectors(count) + wide.accumulators / vectors(count); };
  while (panels * wide.panel < n && loads(2 * panels) < loads(panels) &&
         wide.accumulators + vectors(2 * panels) + 1 <= registers)
    panels *= 2;
  return panels;
}

std::optional<UpconversionBlocking> upconversionBlocking(TargetAttr target,
                                                         const GemmBlocking &narrow, Type b,
                                                         int64_t m, int64_t n, int64_t k,
                                                         bool isApart) {
  if (narrow.nr < 2)
    return std::nullopt;
  Type f32 = Float32Type::get(target.getContext());
  GemmBlocking plain =
      target.gemmBlocking(f32, f32, m, n, k, /*packed=*/true, /*mayUseTiles=*/false);
  int64_t panels = panelsSideBySide(target, plain, n, target.lanes(f32));
  UpconversionBlocking wide;
  wide.columns = panels * narrow.panel;
  wide.nr = panels > 1 ? wide.columns : std::min(plain.nr, narrow.panel);
  wide.accumulators = plain.accumulators;
  // Blocks of equal depth, in whole groups of what a dot product would take.
  constexpr int64_t shallowest = 64; // what a block is worth its start for
  int64_t vnni = target.vnniFactor(b),
          most = bytesOfUpconvertedB(target) / wide.bytesOfRow() / vnni * vnni;
  if (most < shallowest)
    return std::nullopt;
  int64_t blocks = llvm::divideCeil(k, most);
  wide.kc = llvm::alignTo(llvm::divideCeil(k, blocks), vnni);
  // Whole tiles of rows, as blocks of them are cut.
  int64_t rows = narrow.mc;
  if (blocks > 1 && isApart)
    rows = std::min(rows, bytesOfUpconvertedSums(target) / wide.bytesOfRow());
  wide.mc = std::max<int64_t>(rows / narrow.mr, 1) * narrow.mr;
  bool pays = isUpconversionProfitable(target, b, std::min(m, wide.mc), k, narrow.mr, wide.kc);
  return pays ? std::optional(wide) : std::nullopt;
}

} // namespace kgen
