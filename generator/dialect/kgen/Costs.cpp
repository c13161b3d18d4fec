// Reciprocal throughputs of instructions, and the choice of product instructions by them.
#include "dialect/kgen/Kgen.h"

using namespace mlir;

namespace kgen {

double TargetAttr::cost(StringRef instruction) const {
  if (auto cycles = getReciprocalThroughput().getAs<FloatAttr>(instruction))
    return cycles.getValueAsDouble();
  if (instruction.starts_with("tile_"))
    return 16;
  if (instruction == "fma_f32")
    return 0.5;
  return cost("fma_f32") * (instruction == "convert_f16" ? 2 : 1);
}

static bool isBf16(Type a, Type b) { return a.isBF16() && b.isBF16(); }
static bool isInt8(Type a, Type b) { return a.isInteger(8) && b.isInteger(8); }
static bool isLowPrecisionFloat(Type type) { return type.isBF16() || type.isF16(); }

/// True if the target has a dot-product instruction of the full vector width.
static bool hasDotProduct(TargetAttr target, Type a, Type b) {
  if (isBf16(a, b))
    return target.hasFeature("avx512bf16");
  if (!isInt8(a, b))
    return false;
  return target.hasFeature("avx512vnni") ||
         (target.getVectorBits() <= 256 && target.hasFeature("avxvnni"));
}

static bool hasAmx(TargetAttr target, Type a, Type b) {
  return target.hasFeature("amx-tile") && ((isBf16(a, b) && target.hasFeature("amx-bf16")) ||
                                           (isInt8(a, b) && target.hasFeature("amx-int8")));
}

/// Up-conversions of operand vectors for each vector of products: a vector of B serves all rows of
/// a register tile, one of A all its vectors of columns. A of floats is up-converted once, outside
/// of the kernel: kgen-upconvert-operands.
static double upconversionsPerProduct(TargetAttr target, Type a, Type b) {
  constexpr int64_t large = 1 << 20;
  GemmBlocking tile = target.gemmBlocking(a, b, large, large, large, /*packed=*/true,
                                          /*mayUseAmx=*/false);
  int64_t vectors = llvm::divideCeil(tile.nr, target.lanes(accumulatorOf(a, b)));
  bool isNarrowB = isLowPrecisionFloat(b) || b.isInteger(8);
  return (a.isInteger(8) ? 1.0 / vectors : 0) + (isNarrowB ? 1.0 / tile.mr : 0);
}

double TargetAttr::productCost(ProductForm form, Type a, Type b) const {
  double lanes = getVectorBits() / 32.0; // of f32 and i32
  switch (form) {
  case ProductForm::multiplyAdd:
    return cost(a.isF64() ? "fma_f64" : "fma_f32") / this->lanes(a);
  case ProductForm::upconvert:
    return (cost("fma_f32") + cost(a.isF16() || b.isF16() ? "convert_f16" : "widen_bf16") *
                                  upconversionsPerProduct(*this, a, b)) /
           lanes;
  case ProductForm::dotProduct:
    return isBf16(a, b) ? cost("dot_bf16") / (2 * lanes) : cost("dot_i8") / (4 * lanes);
  case ProductForm::multiplyAddI16: // vpmaddwd and an addition, at most as costly as fma_f32
    return (cost("multiply_add_i16") + cost("fma_f32") +
            cost("widen_i8") * upconversionsPerProduct(*this, a, b)) /
           (2 * lanes);
  case ProductForm::amx: // 16 x 16 sums of 64 bytes each
    return isBf16(a, b) ? cost("tile_bf16") / (16 * 16 * 32) : cost("tile_i8") / (16 * 16 * 64);
  }
  llvm_unreachable("all forms are handled");
}

bool TargetAttr::prefersF16Accumulate(Type a, Type b) const {
  return a.isF16() && b.isF16() && hasFeature("avx512fp16") &&
         cost("fma_f16") / lanes(a) < productCost(vectorProductForm(a, b), a, b);
}

ProductForm TargetAttr::vectorProductForm(Type a, Type b) const {
  ProductForm best = isInt8(a, b) ? ProductForm::multiplyAddI16
                     : isLowPrecisionFloat(a) || isLowPrecisionFloat(b) ? ProductForm::upconvert
                                                                        : ProductForm::multiplyAdd;
  bool isCheaper = hasDotProduct(*this, a, b) &&
                   productCost(ProductForm::dotProduct, a, b) < productCost(best, a, b);
  return isCheaper ? ProductForm::dotProduct : best;
}

ProductForm TargetAttr::productForm(Type a, Type b) const {
  ProductForm best = vectorProductForm(a, b);
  bool isCheaper =
      hasAmx(*this, a, b) && productCost(ProductForm::amx, a, b) < productCost(best, a, b);
  return isCheaper ? ProductForm::amx : best;
}

} // namespace kgen
