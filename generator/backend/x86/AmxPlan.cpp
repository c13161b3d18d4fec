// The partition of AMX kernels.
#include "backend/x86/AmxKernel.h"

using namespace mlir;

namespace kgen {

TilePasses::TilePasses(ukernel::GemmOp kernel, TargetAttr target)
    : stepK(tileBytes * 8 / kernel.getElement().getIntOrFloatBitWidth()),
      steps(kernel.getK() / stepK), rest(kernel.getK() % stepK), count(1) {
  // Several passes keep a block of B in L1 for all rows; a single block of rows uses B once.
  if (steps > 0 && kernel.getBatch() == 1 && TileRows(kernel.getM()).blocks() > 1) {
    GemmBlocking blocking =
        target.gemmBlocking(kernel.getElement(), kernel.getBElement(), kernel.getM(), kernel.getN(),
                            kernel.getK(), /*packed=*/true);
    count = std::min<int64_t>(steps, llvm::divideCeil(kernel.getK(), blocking.kc));
  }
  each = llvm::divideCeil(steps, count);
  if (each > 0)
    count = llvm::divideCeil(steps, each);
  last = steps - (count - 1) * each;
}

ArrayAttr TileRegisters::shapes(Builder &b) const {
  SmallVector<int64_t> heights(ukernel::tileRegisters, 0), widths(ukernel::tileRegisters, 0);
  auto set = [&](int64_t number, int64_t rows, int64_t width) {
    heights[number] = rows;
    widths[number] = width;
  };
  for (int64_t row = 0; row < maxCols; ++row) {
    set(registerOfA(row), height, tileBytes);
    for (int64_t col = 0; col < cols; ++col)
      set(registerOfSum(row, col), height, widthOf(col));
  }
  for (int64_t col = 0; col < cols; ++col)
    set(registerOfB(col), tileRows, widthOf(col));
  return b.getArrayAttr({b.getDenseI64ArrayAttr(heights), b.getDenseI64ArrayAttr(widths)});
}

} // namespace kgen
