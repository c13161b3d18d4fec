#include "transforms/gpu/TileOperand.h"

using namespace mlir;

namespace kgen::gpu_kernels {

/// True if a form grows by `factor` from each neighbour to the next.
bool TileOperand::growsBy(int64_t factor, const LinearForm &form, const Product &product) const {
  return fast(product).innerFactor(form) == factor && fast(product).innerRun(form) % width == 0;
}

/// True if a form that grows by 1 is a multiple of their number at the first neighbour.
bool TileOperand::beginsAtMultiple(const LinearForm &form, const Product &product) const {
  return form.constant % width == 0 &&
         fast(product).areMultiples(form, width, /*beyondRun=*/true) &&
         slow(product).areMultiples(form, width, /*beyondRun=*/false) &&
         product.batch.areMultiples(form, width, /*beyondRun=*/false);
}

bool TileOperand::isUniform(const Product &product) const {
  auto isSame = [&](const Bound &bound) {
    return growsBy(0, bound.index, product) ||
           (growsBy(1, bound.index, product) && bound.size % width == 0 &&
            beginsAtMultiple(bound.index, product));
  };
  return width > 1 && growsBy(1, factor->address, product) && llvm::all_of(factor->bounds, isSame);
}

bool TileOperand::isAligned(const Product &product) const {
  return isUniform(product) && beginsAtMultiple(factor->address, product);
}

bool TileOperand::isVector(const Product &product) const {
  Type type = getElementTypeOrSelf(factor->memref.getType());
  return isAligned(product) && type == product.sumType && type.isF32();
}

} // namespace kgen::gpu_kernels
